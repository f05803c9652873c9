// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sequence of words, folded while it grows: what repeats itself becomes a loop, loops nest. Nothing is lost: unrolled, the
// words come back one by one. Takes the memory of what is folded, and of the last some ten thousand items, in which
// repetitions are looked for.
//
//     a b b a b b a b b c      is      loop 3 [ a  b x 2 ]  c
//
// A loop that ends the list foretells the next words; while they come true a word costs one comparison. Where it does not, the
// end of the list is final, and if it is twice the same, both become a loop of two rounds (the shortest repetition first).

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
    std::uint32_t reach = 1 << 14;      // items, or whole loops, that a loop's body may have when it is found
    std::uint64_t rounds = Item::kMost;  // of a loop; more are a loop of such loops
  };

  Folding() = default;
  explicit Folding(Limits limits) : limits_(limits) {}

  /// One more word: computing, or an operation that is done once. Computing stands alone between operations.
  void add(Item word);
  /// The words so far, folded. Nothing may be added any more.
  Sequence finish();
  /// Items kept now, those of loops included.
  std::size_t held() const { return done_.size() + tokens_.size(); }

 private:
  /// A word, or the begin of a loop, whose body follows it.
  struct Token {
    std::uint64_t value = 0;   // the word; rounds
    std::uint32_t length = 0;  // tokens of the body; 0: a word
    std::uint32_t depth = 0;   // loops in loops, this one included; an operation done several times is none
    bool operator==(const Token&) const = default;
  };
  /// A word or a loop that is no part of another one, and does not grow any more.
  struct Element {
    std::size_t begin = 0;              // its first token
    std::uint64_t ending = 0;           // hash of it and the kEnding - 1 before
    std::uint32_t before = kNoElement;  // the one before it with the same
  };
  /// A loop whose next words are foretold: the last one, or one inside the body of another.
  struct Level {
    std::size_t loop = 0;    // its token
    std::size_t at = 0;      // the token in its body that is expected
    std::uint64_t done = 0;  // rounds; not kept of the outermost, whose token counts them
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
  Sequence done_;                       // too far back to be folded any more
  std::vector<Token> tokens_;
  std::vector<std::uint64_t> hashes_{0};  // of all tokens before each, but for those of a loop that foretells
  std::vector<std::uint64_t> powers_{1};
  std::vector<Element> elements_;
  std::unordered_map<std::uint64_t, std::uint32_t> endings_;  // the last element with each
  std::array<Level, kDeepest + 2> levels_{};  // one more than loops: the operations done several times
  std::uint32_t depth_ = 0;             // of `levels_` in use; 0: nothing is foretold
};

}  // namespace parcast::trace
