// SPDX-License-Identifier: Apache-2.0
#include "program/structure/token_cursor.h"

#include <algorithm>

namespace parcast::program {

void TokensAhead::look_at(std::span<const Token> tokens, Last& last) {
  const Token* const begin = tokens.data();
  if (!last.from) last.from = begin + tokens.size();
  while (last.from > begin) {
    const Token& token = *--last.from;
    if (!token.is_loop())
      last.of.emplace(token.key, &token);
    else
      for (const std::uint32_t key : token.loop->keys) last.of.emplace(key, &token);
  }
}

bool TokensAhead::any_of(TokenCursor cursor, const std::set<std::uint32_t>& keys) {
  for (const TokenCursor* at = &cursor; at; at = at->then()) {
    const std::span<const Token> tokens = at->span();
    if (tokens.empty()) continue;
    Last& last = last_[tokens.data() + tokens.size()];
    look_at(tokens, last);
    for (const std::uint32_t key : keys)
      if (const auto found = last.of.find(key); found != last.of.end() && found->second >= tokens.data())
        return true;
  }
  return false;
}

TokenCursor TokenPool::unrolled(TokenCursor cursor) {
  const Token loop = *cursor;
  const std::span<const Token> body = loop.loop->body;
  const TokenCursor* then = keep(++cursor);
  if (loop.rounds() > 2) {
    loops_.push_back(loop);
    --loops_.back().number;
    then = keep(TokenCursor(std::span(&loops_.back(), 1), then));
  } else if (loop.rounds() == 2) {
    then = keep(TokenCursor(body, then));
  }
  return TokenCursor(body, then);
}

TokenCursor TokenPool::copied(TokenCursor cursor, std::size_t count) {
  std::vector<Token>& copy = copies_.emplace_back();
  for (; count > 0; --count, ++cursor) copy.push_back(*cursor);
  return TokenCursor(copy);
}

}  // namespace parcast::program
