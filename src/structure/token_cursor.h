// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a rank is among its tokens while the search goes on: 24 bytes whatever is left, so that a search may
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

/// The next token, and those behind it: first the rest of a span, then what `then` names.
class TokenCursor {
 public:
  TokenCursor() = default;
  /// `then` must outlive it, and is not at its end.
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

/// Whether keys are still to come. Of each span the last token of each key is found once.
class TokensAhead {
 public:
  /// The tokens stay where they are as long as this.
  bool any_of(TokenCursor cursor, const std::set<std::uint32_t>& keys);

 private:
  struct Last {
    const Token* from = nullptr;  // what is behind has been looked at
    std::unordered_map<std::uint32_t, const Token*> of;
  };
  void look_at(std::span<const Token> tokens, Last& last);

  std::unordered_map<const Token*, Last> last_;  // by the span's end
};

/// Tokens and places that cursors of a search point to.
class TokenPool {
 public:
  /// A cursor that goes on at `cursor`; null where that is at its end.
  const TokenCursor* keep(const TokenCursor& cursor) {
    return cursor.at_end() ? nullptr : &cursors_.emplace_back(cursor);
  }
  /// The loop at the cursor as one round of its body, and what is left of it.
  TokenCursor unrolled(TokenCursor cursor);
  /// Operations, what repeats itself as loops.
  TokenCursor folded(const std::vector<Token>& operations);
  /// The next `count` tokens alone.
  TokenCursor copied(TokenCursor cursor, std::size_t count);

 private:
  std::vector<Token> tokens(std::span<const trace::Item> items,
                            const std::unordered_map<std::uint32_t, std::uint32_t>& keys);
  Token loop(std::uint32_t rounds, std::vector<Token> body);

  std::deque<TokenCursor> cursors_;
  std::deque<Token> loops_;  // with a round less
  std::deque<std::vector<Token>> copies_;
  std::deque<TokenLoop> bodies_;
};

}  // namespace parcast::program
