// SPDX-License-Identifier: Apache-2.0
#pragma once
// A rank's position in its tokens during the search. It has 24 bytes whatever remains, so that a search can
// go back.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "structure/tokens.h"

namespace parcast::program {

/// Iterates over tokens: first the rest of a span, then those at `then`.
class TokenCursor {
 public:
  TokenCursor() = default;
  /// `then` must outlive it, and must not be at its end.
  explicit TokenCursor(std::span<const Token> tokens, const TokenCursor* then = nullptr)
      : next_(tokens.data()), end_(tokens.data() + tokens.size()), then_(then) {
    leave_empty();
  }

  bool at_end() const { return next_ == end_; }
  const Token& operator*() const { return *next_; }
  const Token* operator->() const { return next_; }
  TokenCursor& operator++() {
    ++next_;
    leave_empty();
    return *this;
  }
  std::span<const Token> span() const { return {next_, end_}; }
  const TokenCursor* then() const { return then_; }

 private:
  void leave_empty() {
    while (next_ == end_ && then_) *this = TokenCursor(*then_);
  }

  const Token* next_ = nullptr;
  const Token* end_ = nullptr;
  const TokenCursor* then_ = nullptr;
};

/// Answers whether keys are still to come. For each span, the last token of each key is found once.
class TokensAhead {
 public:
  /// Returns whether any of the keys comes. The tokens must not move during the lifetime of this object.
  bool any_of(TokenCursor cursor, const std::set<std::uint32_t>& keys);

 private:
  struct Last {
    const Token* from = nullptr;  // start of the part examined so far
    std::unordered_map<std::uint32_t, const Token*> of;
  };
  void look_at(std::span<const Token> tokens, Last& last);

  std::unordered_map<const Token*, Last> last_;  // by the span's end
};

/// Owns the tokens and positions that a search's cursors point to.
class TokenPool {
 public:
  /// Stores a cursor that continues at `cursor`; null if that is at its end.
  const TokenCursor* keep(const TokenCursor& cursor) {
    return cursor.at_end() ? nullptr : &cursors_.emplace_back(cursor);
  }
  /// Returns a cursor to one round of the loop's body, followed by the loop's other rounds.
  TokenCursor unrolled(TokenCursor cursor);
  /// Returns operations with their repetitions as loops, followed by what `then` has.
  TokenCursor folded(const std::vector<Token>& operations, const TokenCursor& then = {});
  /// Returns the next `count` tokens only.
  TokenCursor copied(TokenCursor cursor, std::size_t count);

 private:
  std::vector<Token> tokens(std::span<const trace::Item> items,
                            const std::unordered_map<std::uint32_t, std::uint32_t>& keys);
  Token loop(std::uint32_t rounds, std::vector<Token> body);

  std::deque<TokenCursor> cursors_;
  std::deque<Token> loops_;  // with one round less
  std::deque<std::vector<Token>> copies_;
  std::deque<TokenLoop> bodies_;
};

}  // namespace parcast::program
