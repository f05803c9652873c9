// SPDX-License-Identifier: Apache-2.0
#include "trace/folding.h"

#include <algorithm>
#include <utility>

namespace parcast::trace {
namespace {

// base of polynomial hashes modulo 2^64; sequences with equal hashes are compared
constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15u;
constexpr int kMostTrials = 32;  // earlier places with the same ending that fold() examines

std::uint64_t mixed_word(std::uint64_t value, std::uint32_t length) {
  value += (std::uint64_t{length} << 40) + 0xd1b54a32d192ed03u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

bool is_operation(std::uint64_t word) {
  return Item::from_word(word).what() == Item::What::operation;
}

}  // namespace

void Folding::add(Item word) {
  const std::uint64_t value = word.word();
  if (depth_ > 0) {
    if (tokens_[levels_[depth_ - 1].at].value == value) return take_expected();
    if (stop_foretelling() && foretell(value)) return;
  }
  while (fold())
    if (foretell(value)) return;
  push_word(value);
}

/// Starts predicting when the list ends with a loop whose first word is this one: another round has begun.
bool Folding::foretell(std::uint64_t word) {
  const std::size_t loop = elements_.back().begin;
  if (tokens_[loop].length == 0 || tokens_[loop].value >= limits_.rounds) return false;
  std::size_t first = loop;
  while (tokens_[first].length > 0) ++first;
  if (tokens_[first].value != word) return false;
  pop_element();
  depth_ = 1;
  levels_[0] = {loop, loop + 1, 0};
  descend();
  take_expected();
  return true;
}

/// Enters the loops that begin at the expected token, down to the next word.
void Folding::descend() {
  for (std::size_t at = levels_[depth_ - 1].at; tokens_[at].length > 0; ++at)
    levels_[depth_++] = {at, at + 1, 0};
}

/// Advances to the next word, the next round, or the item after the loop.
void Folding::take_expected() {
  ++levels_[depth_ - 1].at;
  for (;;) {
    Level& level = levels_[depth_ - 1];
    Token& loop = tokens_[level.loop];
    const std::size_t end = level.loop + 1 + loop.length;
    if (level.at != end) break;
    level.at = level.loop + 1;
    if (depth_ == 1) {
      if (++loop.value < limits_.rounds) break;
      depth_ = 0;
      return seal(level.loop);
    }
    if (++level.done < loop.value) break;
    --depth_;
    levels_[depth_ - 1].at = end;
  }
  descend();
}

/// Handles a failed prediction: writes the part of the round that did come. Returns whether there was any.
bool Folding::stop_foretelling() {
  const std::uint32_t depth = std::exchange(depth_, 0);
  const std::size_t before = elements_.size() + 1;
  seal(levels_[0].loop);
  for (std::uint32_t i = 0; i < depth; ++i) {
    const Level& level = levels_[i];
    const Token loop = tokens_[level.loop];
    const std::size_t body = level.loop + 1;
    if (i > 0 && level.done == 1) push_copies(body, body + loop.length);
    if (i > 0 && level.done > 1) {
      push_copies(level.loop, body + loop.length);
      const std::size_t copy = elements_.back().begin;
      pop_element();
      tokens_[copy].value = level.done;
      seal(copy);
    }
    push_copies(body, level.at);
  }
  return elements_.size() > before;
}

/// Appends a copy of the words and loops at these tokens to the list.
void Folding::push_copies(std::size_t from, std::size_t to) {
  while (from < to) {
    const std::size_t begin = tokens_.size(), length = 1 + tokens_[from].length;
    tokens_.resize(begin + length);
    std::copy_n(tokens_.begin() + static_cast<std::ptrdiff_t>(from), length,
                tokens_.begin() + static_cast<std::ptrdiff_t>(begin));
    seal(begin);
    from += length;
  }
}

/// Folds the end of the list if it repeats itself. Returns whether it did.
bool Folding::fold() {
  if (elements_.size() < 2) return false;
  if (merge_last_loops()) return true;
  for (std::uint32_t count = 1; count < kEnding; ++count)
    if (fold_last(count)) return true;
  const auto last = static_cast<std::uint32_t>(elements_.size() - 1);
  std::uint32_t like = elements_[last].before;
  for (int trials = 0; trials < kMostTrials && like != kNoElement && last - like <= limits_.reach; ++trials) {
    if (last - like >= kEnding && fold_last(last - like)) return true;
    like = elements_[like].before;
  }
  return false;
}

/// Makes the last `count` elements and the equal ones before them a loop of two rounds.
bool Folding::fold_last(std::uint32_t count) {
  if (elements_.size() < 2 * std::size_t{count}) return false;
  const std::size_t end = tokens_.size();
  const std::size_t second = begin_of(elements_.size() - count),
                    first = begin_of(elements_.size() - 2 * std::size_t{count});
  const std::size_t length = end - second;
  if (second - first != length || hash_of(first, second) != hash_of(second, end)) return false;
  const auto at = [this](std::size_t token) { return tokens_.begin() + static_cast<std::ptrdiff_t>(token); };
  if (!std::equal(at(first), at(second), at(second))) return false;
  const bool one_operation = length == 1 && is_operation(tokens_[second].value);
  const std::uint32_t depth = one_operation ? 0 : depth_of(second) + 1;
  if (depth > static_cast<std::uint32_t>(kDeepest)) return false;
  for (std::uint32_t i = 0; i < 2 * count; ++i) pop_element();
  tokens_.resize(second);
  tokens_.insert(at(first), Token{2, static_cast<std::uint32_t>(length), depth});
  seal(first);
  return true;
}

/// Merges the last two elements if they are loops with the same body.
bool Folding::merge_last_loops() {
  const std::size_t first = begin_of(elements_.size() - 2), second = begin_of(elements_.size() - 1),
                    end = tokens_.size();
  const Token one = tokens_[first], other = tokens_[second];
  if (one.length == 0 || one.length != other.length || one.value > limits_.rounds - other.value) return false;
  if (hash_of(first + 1, second) != hash_of(second + 1, end)) return false;
  if (!std::equal(tokens_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                  tokens_.begin() + static_cast<std::ptrdiff_t>(second),
                  tokens_.begin() + static_cast<std::ptrdiff_t>(second) + 1))
    return false;
  pop_element();
  pop_element();
  tokens_.resize(second);
  tokens_[first].value += other.value;
  seal(first);
  return true;
}

std::uint32_t Folding::depth_of(std::size_t from) const {
  std::uint32_t deepest = 0;
  for (std::size_t i = from; i < tokens_.size(); i += 1 + tokens_[i].length)
    deepest = std::max(deepest, tokens_[i].depth);
  return deepest;
}

void Folding::push_word(std::uint64_t word) {
  if (elements_.size() >= 4 * std::size_t{limits_.reach}) retire();
  tokens_.push_back({word, 0, 0});
  seal(tokens_.size() - 1);
}

/// Makes the tokens from `begin` on an element.
void Folding::seal(std::size_t begin) {
  for (std::size_t i = begin; i < tokens_.size(); ++i)
    hashes_.push_back(hashes_.back() * kBase + mixed_word(tokens_[i].value, tokens_[i].length));
  while (powers_.size() < hashes_.size()) powers_.push_back(powers_.back() * kBase);
  elements_.push_back({begin, 0, kNoElement});
  const std::size_t first = elements_.size() > kEnding ? elements_.size() - kEnding : 0;
  elements_.back().ending = hash_of(elements_[first].begin, tokens_.size());
  index_last();
}

void Folding::index_last() {
  const auto number = static_cast<std::uint32_t>(elements_.size() - 1);
  const auto [at, is_new] = endings_.emplace(elements_.back().ending, number);
  elements_.back().before = is_new ? kNoElement : std::exchange(at->second, number);
}

/// Removes the last element but keeps its tokens.
void Folding::pop_element() {
  const Element& last = elements_.back();
  if (last.before == kNoElement)
    endings_.erase(last.ending);
  else
    endings_[last.ending] = last.before;
  hashes_.resize(last.begin + 1);
  elements_.pop_back();
}

std::uint64_t Folding::hash_of(std::size_t from, std::size_t to) const {
  return hashes_[to] - hashes_[from] * powers_[to - from];
}

/// Makes the older half of the list final.
void Folding::retire() {
  const std::size_t half = elements_.size() / 2, tokens = elements_[half].begin;
  write(std::span(tokens_).first(tokens));
  tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(tokens));
  hashes_.erase(hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(tokens));
  std::vector<Element> left(elements_.begin() + static_cast<std::ptrdiff_t>(half), elements_.end());
  elements_.clear();
  endings_.clear();
  for (Element& element : left) {
    element.begin -= tokens;
    elements_.push_back(element);
    index_last();
  }
}

void Folding::write(std::span<const Token> tokens) {
  for (std::size_t i = 0; i < tokens.size(); i += 1 + tokens[i].length) {
    const Token& token = tokens[i];
    const auto rounds = static_cast<std::uint32_t>(token.value);
    if (token.length == 0) {
      done_.push_back(Item::from_word(token.value));
    } else if (token.length == 1 && is_operation(tokens[i + 1].value)) {
      done_.push_back(Item::operation(Item::from_word(tokens[i + 1].value).index(), rounds));
    } else {
      const std::size_t loop = done_.size();
      done_.emplace_back();
      write(tokens.subspan(i + 1, token.length));
      done_[loop] = Item::loop(static_cast<std::uint32_t>(done_.size() - loop - 1), rounds);
    }
  }
}

Sequence Folding::finish() {
  if (depth_ > 0) stop_foretelling();
  while (fold()) {
  }
  write(tokens_);
  tokens_.clear();
  elements_.clear();
  endings_.clear();
  hashes_.assign(1, 0);
  return std::move(done_);
}

}  // namespace parcast::trace
