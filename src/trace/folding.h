// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folds a sequence of words while it grows: repetitions become loops, and loops nest. Nothing is lost:
// unrolling the result gives the words back. Memory is used for the folded sequence, and for the last ten
// thousand or so items, which are searched for repetitions.
//
//     a b b a b b a b b c      is      loop 3 [ a  b x 2 ]  c
//
// A loop at the end of the list predicts the next words. While the predictions hold, a word costs one
// comparison. When a prediction fails, the end of the list is final. If it then ends with the same items
// twice, both become a loop of two rounds; the shortest repetition is tried first.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/trace.h"

namespace parcast::trace {

class Folding {
 public:
  struct Limits {
    std::uint32_t reach = 1 << 14;       // most items or complete loops in a loop's body when it is found
    std::uint64_t rounds = Item::kMost;  // most rounds of a loop; more become a loop of such loops
  };

  Folding() = default;
  explicit Folding(Limits limits) : limits_(limits) {}

  /// Adds one word: computing, or an operation that is done once. Two computing words never follow each
  /// other.
  void add(Item word);
  /// Returns the folded words. No word may be added afterwards.
  Sequence finish();
  /// Number of items held now, including those in loops.
  std::size_t held() const { return done_.size() + tokens_.size(); }

 private:
  /// A word, or the begin of a loop, followed by its body.
  struct Token {
    std::uint64_t value = 0;   // the word; of a loop: rounds
    std::uint32_t length = 0;  // of a loop: tokens of its body; 0: a word
    // nesting of loops, including this one; an operation done several times does not count
    std::uint32_t depth = 0;
    bool operator==(const Token&) const = default;
  };
  /// A word or a loop that is in no other loop and does not grow any more.
  struct Element {
    std::size_t begin = 0;              // index of its first token
    std::uint64_t ending = 0;           // hash of this element and the kEnding - 1 before it
    std::uint32_t before = kNoElement;  // previous element with the same `ending`
  };
  /// A loop that predicts the next words: the last one, or one inside the body of another.
  struct Level {
    std::size_t loop = 0;    // index of its token
    std::size_t at = 0;      // index of the expected token in its body
    std::uint64_t done = 0;  // rounds; not kept for the outermost loop, whose token counts them
  };
  static constexpr std::uint32_t kNoElement = UINT32_MAX;
  static constexpr std::uint32_t kEnding = 4;

  bool foretell(std::uint64_t word);
  void take_expected();
  void descend();
  bool stop_foretelling();
  void push_copies(std::size_t from, std::size_t to);

  bool fold();
  bool fold_last(std::uint32_t count);
  bool merge_last_loops();
  std::uint32_t depth_of(std::size_t from) const;

  void push_word(std::uint64_t word);
  void seal(std::size_t begin);
  void pop_element();
  void index_last();
  std::size_t begin_of(std::size_t element) const { return elements_[element].begin; }
  std::uint64_t hash_of(std::size_t from, std::size_t to) const;
  void retire();
  void write(std::span<const Token> tokens);

  Limits limits_;
  Sequence done_;  // items too far back to be folded any more
  std::vector<Token> tokens_;
  // hash of all tokens before each; excludes those of a loop that predicts
  std::vector<std::uint64_t> hashes_{0};
  std::vector<std::uint64_t> powers_{1};
  std::vector<Element> elements_;
  std::unordered_map<std::uint64_t, std::uint32_t> endings_;  // ending -> last element with it
  // one level more than loops: for operations done several times
  std::array<Level, kDeepest + 2> levels_{};
  std::uint32_t depth_ = 0;  // levels in use in `levels_`; 0: nothing is predicted
};

}  // namespace parcast::trace
