// SPDX-License-Identifier: Apache-2.0
// Part of the search for steps: loops in which some iterations do more than others.
#include <algorithm>
#include <map>
#include <set>

#include "structure/step_search.h"

namespace parcast::program {
namespace {

constexpr int kDeepestLooked = 4;  // nested loops whose operations may be those of all iterations
// Operations before a loop that may be its first iteration, which has more.
constexpr int kMostBefore = 16;
constexpr std::size_t kMostTokensAhead = 1 << 16;            // of a rank
constexpr std::size_t kMostOperations = 1 << 22;             // examined together
constexpr std::size_t kMostLookedAt = std::size_t{1} << 25;  // in one search

/// Returns the loop at a depth inside another, following the first loop in each; null if there is none.
const TokenLoop* loop_inside(const TokenLoop* loop, int depth) {
  for (; loop && depth > 0; --depth) {
    const auto inner = std::ranges::find_if(loop->body, &Token::is_loop);
    loop = inner == loop->body.end() ? nullptr : inner->loop;
  }
  return loop;
}

template <class Visit>
void for_each_key(const Token& token, Visit visit) {
  if (!token.is_loop()) return visit(token.key);
  for (const std::uint32_t key : token.loop->keys) visit(key);
}

/// Appends the token's operations; returns false if there are more than `most`.
bool add_operations(const Token& token, std::size_t most, std::vector<Token>& into) {
  if (!token.is_loop()) {
    into.push_back(token);
    return into.size() <= most;
  }
  for (std::uint32_t round = 0; round < token.rounds(); ++round)
    for (const Token& inner : token.loop->body)
      if (!add_operations(inner, most, into)) return false;
  return true;
}

void add_keys(const std::vector<Draft>& drafts, std::set<std::uint32_t>& into) {
  for (const Draft& draft : drafts) {
    if (draft.step.kind == Step::Kind::operation) into.insert(draft.key);
    add_keys(draft.body, into);
  }
}

/// Marks ranks whose loop ends before the first of these iterations: they do not show the rounds of loops in
/// it.
void silence(std::vector<Draft>& drafts, const std::vector<bool>& ranks) {
  for (Draft& draft : drafts) {
    if (draft.step.kind != Step::Kind::operation) draft.silent = ranks;
    silence(draft.body, ranks);
  }
}

}  // namespace

/// Returns each rank's operations up to the end of those at the given places. Returns nothing if a rank has
/// not reached them yet, or if they do nothing else.
std::optional<std::vector<Iterations>> StepSearch::parts_of(const State& state,
                                                            const std::set<std::uint32_t>& places) {
  const auto place_of = [&](std::uint32_t key) { return tokens_.keys[key].place; };
  const auto touches = [&](const Token& token, const std::set<std::uint32_t>& of) {
    bool found = false;
    for_each_key(token, [&](std::uint32_t key) { found = found || of.contains(place_of(key)); });
    return found;
  };
  std::set<std::uint32_t> all = places, keys;
  std::vector<bool> there(state.ranks.size());
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    std::set<std::uint32_t> before;
    std::size_t count = 0;
    for (TokenCursor rest = state.rest[at]; !rest.at_end() && count < kMostTokensAhead; ++rest, ++count) {
      for_each_key(*rest, [&](std::uint32_t key) { before.insert(place_of(key)); });
      if (!touches(*rest, places)) continue;
      there[at] = true;
      all.insert(before.begin(), before.end());
    }
    looked_at_ += count;
  }
  if (all.size() == places.size()) return std::nullopt;
  for (std::uint32_t key = 0; key < tokens_.keys.size(); ++key)
    if (all.contains(place_of(key))) keys.insert(key);
  std::vector<Iterations> out;
  std::size_t left = kMostOperations;
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    if (!there[at]) {
      if (ahead_.any_of(state.rest[at], keys)) return std::nullopt;
      continue;
    }
    Iterations& part = out.emplace_back(
        Iterations{.at = at, .run = tokens_.ranks[state.ranks[at]].run, .rest = state.rest[at]});
    const auto is_part = [&](const Token& token) {
      bool inside = true;
      for_each_key(token, [&](std::uint32_t key) { inside = inside && all.contains(place_of(key)); });
      return inside;
    };
    for (; !part.rest.at_end() && is_part(*part.rest); ++part.rest)
      if (!add_operations(*part.rest, left, part.all)) return std::nullopt;
    left -= part.all.size();
    for (const Token& token : part.all) part.always.push_back(places.contains(place_of(token.key)));
  }
  looked_at_ += kMostOperations - left;
  return out;
}

/// Returns whether the iterations are a likely reading. An inner loop with constant rounds would give the
/// same runs if every run ended with a complete period. The reading is likely if some run does not, or if a
/// parameter is the number of iterations.
bool StepSearch::are_likely(const std::vector<Iterations>& of, const Occasions& occasions) const {
  bool left = false;
  // Parameters equal to the number of iterations, in all runs.
  std::optional<std::set<std::size_t>> named;
  bool differ = false;
  for (const Iterations& rank : of) {
    const auto& parameters = tokens_.runs[rank.run].run.parameters;
    for (const auto& [key, recurrence] : occasions) {
      const std::int64_t every = recurrence.in(parameters).every;
      left = left || rank.rounds % every != 0;
      differ = differ || every > 1;
    }
    std::set<std::size_t> here;
    for (std::size_t v = 0; v < parameters.size(); ++v)
      if (parameters[v] == static_cast<double>(rank.rounds) && (!named || named->contains(v))) here.insert(v);
    named = std::move(here);
  }
  return differ && (left || (named && !named->empty()));
}

/// Joins steps of the same occasion.
std::optional<std::vector<Draft>> StepSearch::grouped(std::vector<Draft> drafts, const Occasions& occasions,
                                                      const std::vector<std::int64_t>& rounds) const {
  std::vector<Draft> out;
  for (Draft& draft : drafts) {
    std::vector<Draft> one;
    one.push_back(std::move(draft));
    std::set<std::uint32_t> keys;
    add_keys(one, keys);
    std::set<Recurrence> all;
    for (const std::uint32_t key : keys)
      all.insert(occasions.contains(key) ? occasions.at(key) : Recurrence{});
    if (all.size() != 1) return std::nullopt;
    const Recurrence when = *all.begin();
    if (when == Recurrence{}) {
      out.push_back(std::move(one.front()));
      continue;
    }
    std::vector<bool> silent;
    for (std::size_t rank = 0; rank < rounds.size(); ++rank)
      silent.push_back(rounds[rank] <= when.in(parameters_of(rank)).offset);
    silence(one, silent);
    Step step;
    step.kind = Step::Kind::every;
    step.every = when.every, step.offset = when.offset;
    if (when.parameter >= 0) step.every_of = tokens_.parameters[static_cast<std::size_t>(when.parameter)];
    const bool goes_on = !out.empty() && out.back().step.kind == Step::Kind::every &&
                         out.back().step.every == step.every && out.back().step.offset == step.offset &&
                         out.back().step.every_of == step.every_of;
    if (!goes_on) out.emplace_back().step = std::move(step);
    out.back().body.push_back(std::move(one.front()));
  }
  return out;
}

bool StepSearch::take_iterations(State& state, const std::vector<Iterations>& of, const Occasions& occasions,
                                 std::vector<Draft>& drafts) {
  const std::size_t before = state.changes.size(), done = done_;
  State body;
  body.occasions = &occasions;
  Draft draft;
  draft.step.kind = Step::Kind::loop;
  draft.rounds.assign(tokens_.ranks.size(), 0);
  for (const Iterations& part : of) {
    const std::uint32_t rank = state.ranks[part.at];
    draft.rounds[rank] = part.rounds;
    body.ranks.push_back(rank);
    body.rounds.push_back(part.rounds);
    body.rest.push_back(pool_.folded(part.body));
    state.note(part.at);
    state.rest[part.at] = part.surplus.empty() ? part.rest : pool_.folded(part.surplus, part.rest);
  }
  if (auto inner = level(std::move(body)))
    if (auto groups = grouped(*std::move(inner), occasions, draft.rounds)) {
      draft.body = *std::move(groups);
      if (go_on(state, before, std::move(draft), drafts)) return true;
    }
  state.go_back(before);
  done_ = done;
  return false;
}

/// Returns the loop at a rank's position, or a loop shortly after it that contains the rank's next operation.
const TokenLoop* StepSearch::loop_ahead(TokenCursor rest, bool& goes_on) {
  if (rest.at_end()) return nullptr;
  if (rest->is_loop()) {
    const TokenLoop* loop = rest->loop;
    goes_on = goes_on || ahead_.any_of(++rest, {loop->keys.begin(), loop->keys.end()});
    return loop;
  }
  const std::uint32_t key = rest->key;
  for (int ahead = 0; ahead < kMostBefore && !rest.at_end(); ++ahead, ++rest)
    if (rest->is_loop() && std::ranges::binary_search(rest->loop->keys, key)) {
      goes_on = true;
      return rest->loop;
    }
  return nullptr;
}

bool StepSearch::take_iterations(State& state, std::vector<Draft>& drafts) {
  const TokenLoop* largest = nullptr;
  bool goes_on = false;  // some rank executes more of its loop before or after it
  for (std::size_t at = state.ranks.size(); at-- > 0;) {
    const TokenLoop* loop = loop_ahead(state.rest[at], goes_on);
    if (loop && (!largest || loop->keys.size() > largest->keys.size())) largest = loop;
  }
  if (!largest) return false;
  for (int depth = 0; depth < kDeepestLooked && looked_at_ < kMostLookedAt; ++depth) {
    const TokenLoop* loop = loop_inside(largest, depth);
    if (!loop) return false;
    if ((depth == 0 && !goes_on) || in_vain_.contains({largest, depth, done_})) continue;
    std::set<std::uint32_t> places;
    for (const std::uint32_t key : loop->keys) places.insert(tokens_.keys[key].place);
    auto parts = parts_of(state, places);
    if (!parts) continue;
    in_vain_.emplace(largest, depth, done_);
    const auto occasions = find_occasions(*parts, [&](std::size_t run) -> const std::vector<double>& {
      return tokens_.runs[run].run.parameters;
    });
    if (occasions && are_likely(*parts, *occasions) && take_iterations(state, *parts, *occasions, drafts))
      return true;
    if (gave_up()) return false;
  }
  return false;
}

}  // namespace parcast::program
