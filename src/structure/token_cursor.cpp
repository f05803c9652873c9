// SPDX-License-Identifier: Apache-2.0
#include "structure/token_cursor.h"

#include <algorithm>

#include "trace/folding.h"

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

Token TokenPool::loop(std::uint32_t rounds, std::vector<Token> body) {
  std::set<std::uint32_t> keys;
  for (const Token& token : body) {
    if (token.is_loop())
      keys.insert(token.loop->keys.begin(), token.loop->keys.end());
    else
      keys.insert(token.key);
  }
  bodies_.push_back({std::move(body), {keys.begin(), keys.end()}});
  return {.number = rounds, .loop = &bodies_.back()};
}

std::vector<Token> TokenPool::tokens(std::span<const trace::Item> items,
                                     const std::unordered_map<std::uint32_t, std::uint32_t>& keys) {
  std::vector<Token> all;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const trace::Item item = items[i];
    if (item.what() == trace::Item::What::loop) {
      all.push_back(loop(item.times(), tokens(items.subspan(i + 1, item.words()), keys)));
      i += item.words();
      continue;
    }
    const Token one{.key = keys.at(item.index()), .number = item.index()};
    all.push_back(item.times() == 1 ? one : loop(item.times(), {one}));
  }
  return all;
}

TokenCursor TokenPool::folded(const std::vector<Token>& operations, const TokenCursor& then) {
  trace::Folding folding;
  std::unordered_map<std::uint32_t, std::uint32_t> keys;  // by number
  for (const Token& token : operations) {
    folding.add(trace::Item::operation(token.number));
    keys.emplace(token.number, token.key);
  }
  return TokenCursor(copies_.emplace_back(tokens(folding.finish(), keys)), keep(then));
}

TokenCursor TokenPool::copied(TokenCursor cursor, std::size_t count) {
  std::vector<Token>& copy = copies_.emplace_back();
  for (; count > 0; --count, ++cursor) copy.push_back(*cursor);
  return TokenCursor(copy);
}

}  // namespace parcast::program
