// SPDX-License-Identifier: Apache-2.0
#include "structure/step_search.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace parcast::program {
namespace {

constexpr std::size_t kMostCandidates = 8;
// Limit on the rounds of a loop whose operations other ranks do one by one.
constexpr std::uint32_t kMostUnrolled = 32;

bool meet(const std::vector<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::ranges::any_of(a, [&](std::uint32_t key) { return b.contains(key); });
}

}  // namespace

StepSearch::StepSearch(const Tokens& tokens, const std::vector<ProcessGrid>& grids, int most_attempts)
    : tokens_(tokens), guards_{Guard{}}, partners_(known_partners(grids)), most_attempts_(most_attempts) {
  for (const ProcessGrid& grid : grids)
    if (grid.is_certain()) known_grids_.insert(grid.dimensions);
  for (const Guard& guard : known_guards()) guards_.push_back(guard);
  for (const Guard& guard : guards_) {
    guarded_.emplace_back();
    for (const RankOfRun& rank : tokens_.ranks) guarded_.back().push_back(holds(guard, rank.place));
  }
  for (const Partner& partner : partners_) {
    partner_.emplace_back();
    for (const RankOfRun& rank : tokens_.ranks)
      partner_.back().push_back(partner_of(partner, rank.place).value_or(kNobody));
  }
  for (const Members& members : known_members()) {
    std::vector<bool> alone;
    for (const RankOfRun& rank : tokens_.ranks)
      alone.push_back(is_alone(members, tokens_.places_of[rank.run], rank.place));
    if (std::ranges::find(alone, true) != alone.end() && std::ranges::find(alone, false) != alone.end())
      of_some_.push_back({members, std::move(alone)});
  }
}

std::optional<std::vector<Draft>> StepSearch::run() {
  State state;
  for (std::uint32_t rank = 0; rank < tokens_.ranks.size(); ++rank) {
    state.ranks.push_back(rank);
    state.rest.emplace_back(*tokens_.ranks[rank].tokens);
  }
  return level(std::move(state));
}

void StepSearch::State::go_back(std::size_t count_of_changes) {
  for (; changes.size() > count_of_changes; changes.pop_back()) {
    const Before& before = changes.back();
    rest[before.at] = before.rest;
    open[before.at] = before.open;
  }
}

std::optional<std::vector<Draft>> StepSearch::level(State state) {
  state.open.assign(state.ranks.size(), 0);
  std::vector<Draft> drafts;
  if (!go(state, drafts)) return std::nullopt;
  return drafts;
}

bool StepSearch::go(State& state, std::vector<Draft>& drafts) {
  if (std::ranges::all_of(state.rest, &TokenCursor::at_end)) return true;
  if (++attempts_ > most_attempts_) return false;
  remember_stuck(state);
  if (take_iterations(state, drafts)) return true;
  if (gave_up()) return false;
  if (is_mixed(state)) return unroll_a_round(state, drafts);
  if (take_rounds(state, false, drafts) || take_loop(state, drafts)) return true;
  if (gave_up()) return false;
  std::vector<Candidate> for_all = candidates(state, Tried::all), of_some = of_some_ranks(state, for_all);
  if (take_any(state, for_all, drafts) || take_any(state, candidates(state, Tried::not_alone), drafts))
    return true;
  if (gave_up()) return false;
  if (take_guarded(state, std::move(of_some), drafts)) return true;
  return !gave_up() && unroll_a_round(state, drafts);
}

bool StepSearch::take_any(State& state, const std::vector<Candidate>& all, std::vector<Draft>& drafts) {
  for (const Candidate& candidate : all) {
    if (gave_up()) return false;
    if (take(state, candidate, drafts)) return true;
  }
  return false;
}

/// Tries guarded rules. If rules for all ranks were set aside, tries these first, together with guarded rules
/// that need neither an unrecorded grid nor a far rank. Those that move most ranks come first.
bool StepSearch::take_guarded(State& state, std::vector<Candidate> set_aside, std::vector<Draft>& drafts) {
  if (!set_aside.empty()) {
    std::vector<Candidate> plain = candidates(state, Tried::guarded);
    std::erase_if(plain, [&](const Candidate& candidate) { return !is_plain(candidate); });
    set_aside.insert(set_aside.end(), plain.begin(), plain.end());
    put_likely_first(state, set_aside);
    if (take_any(state, set_aside, drafts)) return true;
    if (gave_up()) return false;
  }
  return take_rounds(state, true, drafts) ||
         (!gave_up() && take_any(state, candidates(state, Tried::guarded), drafts));
}

/// Returns whether the candidate has messages with a near partner, without a grid or of a grid that is
/// certain.
bool StepSearch::is_plain(const Candidate& candidate) const {
  return is_message(candidate.key) && std::ranges::any_of(candidate.rules, [&](const Choice& rule) {
           if (is_far(rule)) return false;
           const int guard = guards_[rule.guard].dimensions;
           return (guard == 0 || known_grids_.contains(guard)) &&
                  (partners_[rule.partner].kind != Partner::Kind::grid || !is_of_unknown_grid(rule));
         });
}

bool StepSearch::is_of_unknown_grid(const Choice& rule) const {
  const Partner& partner = partners_[rule.partner];
  return partner.kind == Partner::Kind::grid && !known_grids_.contains(partner.dimensions);
}

/// Returns whether the rule's partner is two or more ranks away: small runs have no room for it.
bool StepSearch::is_far(const Choice& rule) const {
  const Partner& partner = partners_[rule.partner];
  return (partner.kind == Partner::Kind::offset || partner.kind == Partner::Kind::exclusive_or) &&
         std::abs(partner.amount) > 1;
}

/// Removes and returns messages that only an unrecorded grid or a far rank explains, unless the rule covers
/// all ranks that have them next. Another rule, for some ranks, may hold for more of these.
std::vector<StepSearch::Candidate> StepSearch::of_some_ranks(const State& state,
                                                             std::vector<Candidate>& all) const {
  std::vector<Candidate> out;
  const auto is_part = [&](const Candidate& candidate) {
    if (!is_message(candidate.key) || !std::ranges::all_of(candidate.rules, [&](const Choice& rule) {
          return is_of_unknown_grid(rule) || is_far(rule);
        }))
      return false;
    std::size_t next = 0;
    for (std::size_t at = 0; at < state.ranks.size(); ++at) {
      const Token* token = state.head(at);
      next += token && !token->is_loop() && token->key == candidate.key;
    }
    return candidate.taken < next;
  };
  std::ranges::copy_if(all, std::back_inserter(out), is_part);
  std::erase_if(all, is_part);
  return out;
}

/// Continues after a step; `before` is the number of changes before it.
bool StepSearch::go_on(State& state, std::size_t before, Draft draft, std::vector<Draft>& drafts) {
  const std::size_t done = done_;
  done_ += draft.seen.size() + 1;
  drafts.push_back(std::move(draft));
  if (go(state, drafts)) return true;
  drafts.pop_back();
  done_ = done;
  state.go_back(before);
  return false;
}

void StepSearch::remember_stuck(const State& state) {
  if (stuck_.token && done_ < stuck_.done) return;
  for (std::size_t at = state.ranks.size(); at-- > 0;) {
    const Token* token = state.head(at);
    if (!token) continue;
    while (token->is_loop()) token = &token->loop->body.front();
    stuck_ = {done_, done_ > stuck_.done ? attempts_ : stuck_.attempt, state.ranks[at], token};
    return;
  }
}

bool StepSearch::is_message(std::uint32_t key) const {
  const trace::Kind kind = tokens_.keys[key].kind;
  return kind != trace::Kind::collective && kind != trace::Kind::wait;
}

std::int32_t StepSearch::partner_in(std::uint32_t rank, const Token& token) const {
  const std::int32_t peer = tokens_.operation(tokens_.ranks[rank], token).peer;
  return peer == trace::kAny ? peer : static_cast<std::int32_t>(tokens_.ranks[rank].place.r) + peer;
}

/// Returns the change in the number of open requests.
std::int64_t StepSearch::opens(std::uint32_t rank, const Token& token) const {
  const trace::Operation& operation = tokens_.operation(tokens_.ranks[rank], token);
  if (operation.kind == trace::Kind::wait)
    return -static_cast<std::int64_t>(
        tokens_.runs[tokens_.ranks[rank].run].trace.request_sets[operation.requests].size());
  return trace::begins_request(operation.kind) ? 1 : 0;
}

Step StepSearch::step_of(std::uint32_t key) const {
  const StepKey& of = tokens_.keys[key];
  return {
      .place = of.place, .operation = of.kind, .mode = of.mode, .pattern = of.pattern, .uneven = of.uneven};
}

std::vector<std::uint32_t> StepSearch::head_keys(const State& state) const {
  std::vector<std::uint32_t> keys;
  for (std::size_t at = state.ranks.size(); at-- > 0;) {  // those of the largest run first
    const Token* token = state.head(at);
    if (token && !token->is_loop() && std::ranges::find(keys, token->key) == keys.end())
      keys.push_back(token->key);
  }
  return keys;
}

/// Returns whether it is an operation of the rank's communicator by that rule.
bool StepSearch::is_of(std::uint32_t rank, const Token& token, const Members& members) const {
  const RankOfRun& of = tokens_.ranks[rank];
  const std::uint32_t communicator = tokens_.operation(of, token).communicator;
  const auto expected = members_of(members, tokens_.places_of[of.run], of.place);
  if (communicator == 0) return std::cmp_equal(expected.size(), tokens_.runs[of.run].run.processes);
  return tokens_.runs[of.run].trace.communicators[communicator].members == expected;
}

bool StepSearch::ends_before(const State& state, std::size_t at, std::uint32_t key) const {
  if (!state.occasions) return false;
  const auto occasion = state.occasions->find(key);
  return occasion != state.occasions->end() &&
         state.rounds[at] <= occasion->second.in(parameters_of(state.ranks[at])).offset;
}

/// Returns whether the rule holds: the ranks that it selects have the operation next, with that partner.
bool StepSearch::applies(const State& state, std::uint32_t key, Choice rule, Candidate& candidate) const {
  const bool message = is_message(key), wait = tokens_.keys[key].kind == trace::Kind::wait;
  candidate.takes.assign(state.ranks.size(), false);
  candidate.taken = 0;
  candidate.alone.clear();
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    const std::uint32_t rank = state.ranks[at];
    if (!guarded_[rule.guard][rank]) continue;
    if (rule.of && rule.of->alone[rank]) {
      candidate.alone.push_back(rank);
      continue;
    }
    const std::int32_t partner = message ? partner_[rule.partner][rank] : 0;
    if (message && partner == kNobody) continue;
    const Token* token = state.head(at);
    const bool next = token && !token->is_loop() && token->key == key;
    if (wait && !next && state.open[at] == 0) continue;  // it has no requests to wait for
    if (!next && ends_before(state, at, key)) continue;
    if (!next || (message && partner_in(rank, *token) != partner) ||
        (rule.of && !is_of(rank, *token, rule.of->members)))
      return false;
    candidate.takes[at] = true;
    ++candidate.taken;
  }
  return candidate.taken > 0;
}

const std::vector<StepSearch::Choice>& StepSearch::rules_of(std::uint32_t key, Tried tried) const {
  const bool message = is_message(key), collective = tokens_.keys[key].kind == trace::Kind::collective;
  const auto [at, is_new] = rules_.try_emplace({tried, message, collective});
  std::vector<Choice>& rules = at->second;
  if (!is_new) return rules;
  if (tried == Tried::not_alone) {
    if (collective)
      for (const OfSome& of : of_some_) rules.push_back({.of = &of});
    return rules;
  }
  const std::size_t partners = message ? partners_.size() : 1;
  for (std::size_t guard = tried == Tried::guarded ? 1 : 0;
       guard < (tried == Tried::guarded ? guards_.size() : 1); ++guard) {
    // The last ones in the list; their partner is a neighbour.
    if (guards_[guard].kind == Guard::Kind::neighboured && message) break;
    for (std::size_t partner = 0; partner < partners; ++partner) rules.push_back({guard, partner});
  }
  return rules;
}

void StepSearch::add_candidates(const State& state, std::uint32_t key, Tried tried,
                                std::vector<Candidate>& all) const {
  const std::size_t first = all.size();
  Candidate candidate{.key = key};
  for (const Choice& rule : rules_of(key, tried)) {
    if (!applies(state, key, rule, candidate)) continue;
    const auto same = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                                   [&](const Candidate& other) { return other.takes == candidate.takes; });
    if (same != all.end()) {
      // The recorded members give the communicator.
      if (tried != Tried::not_alone) same->rules.push_back(rule);
      continue;
    }
    all.push_back(candidate);
    all.back().rules.push_back(rule);
  }
}

/// Puts first the candidates that leave the operation to no other rank for later; among these, those that
/// move most ranks.
void StepSearch::put_likely_first(const State& state, std::vector<Candidate>& all) const {
  for (Candidate& candidate : all) {
    candidate.leaves_some = false;
    for (std::size_t at = 0; at < state.ranks.size() && !candidate.leaves_some; ++at)
      candidate.leaves_some = !candidate.takes[at] && ahead_.any_of(state.rest[at], {candidate.key});
  }
  std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) {
    return std::pair(!a.leaves_some, a.taken) > std::pair(!b.leaves_some, b.taken);
  });
}

std::vector<StepSearch::Candidate> StepSearch::candidates(const State& state, Tried tried) const {
  std::vector<Candidate> all;
  for (const std::uint32_t key : head_keys(state)) add_candidates(state, key, tried, all);
  put_likely_first(state, all);
  if (all.size() > kMostCandidates) all.resize(kMostCandidates);
  return all;
}

bool StepSearch::take(State& state, const Candidate& candidate, std::vector<Draft>& drafts) {
  const std::size_t before = state.changes.size();
  Draft draft{.step = step_of(candidate.key), .key = candidate.key, .alone = candidate.alone};
  draft.step.guard = guards_[candidate.rules.front().guard];
  if (is_message(candidate.key)) draft.step.partner = partners_[candidate.rules.front().partner];
  for (std::size_t i = 1; i < candidate.rules.size(); ++i)
    draft.step.alternatives.emplace_back(
        guards_[candidate.rules[i].guard],
        is_message(candidate.key) ? partners_[candidate.rules[i].partner] : Partner{});
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    if (!candidate.takes[at]) continue;
    const Token& token = *state.rest[at];
    draft.seen.push_back(seen_by(state.ranks[at], token));
    state.note(at);
    state.open[at] = std::max<std::int64_t>(0, state.open[at] + opens(state.ranks[at], token));
    ++state.rest[at];
  }
  return go_on(state, before, std::move(draft), drafts);
}

/// Returns the ranks that are at loops of common operations.
std::vector<bool> StepSearch::at_common_loops(const State& state, std::set<std::uint32_t>& keys) const {
  std::vector<bool> there(state.ranks.size(), false);
  for (bool grown = true; grown;) {
    grown = false;
    for (std::size_t at = state.ranks.size(); at-- > 0;) {
      const Token* token = state.head(at);
      if (there[at] || !token || !token->is_loop() || (!keys.empty() && !meet(token->loop->keys, keys)))
        continue;
      keys.insert(token->loop->keys.begin(), token->loop->keys.end());
      there[at] = grown = true;
    }
  }
  return there;
}

/// Returns the length of the rank's next tokens if they are one round of a loop that others repeat: the
/// number of tokens in its body, or 0.
std::size_t StepSearch::as_one_round(TokenCursor rest, const Token& loop) const {
  for (const Token& b : loop.loop->body) {
    if (rest.at_end()) return 0;
    const Token& a = *rest;
    if (a.is_loop() != b.is_loop() ||
        (a.is_loop() ? !meet(a.loop->keys, {b.loop->keys.begin(), b.loop->keys.end()}) : a.key != b.key))
      return 0;
    ++rest;
  }
  return loop.loop->body.size();
}

/// Returns runs without a rank at a loop like the largest, whose ranks are at loops like one inside it.
std::set<std::size_t> StepSearch::at_inner_loops(const State& state, const std::vector<bool>& there,
                                                 const Token& largest) const {
  std::map<std::size_t, std::set<std::uint32_t>> keys_of;
  for (std::size_t at = 0; at < state.ranks.size(); ++at)
    if (there[at])
      keys_of[tokens_.ranks[state.ranks[at]].run].insert(state.head(at)->loop->keys.begin(),
                                                         state.head(at)->loop->keys.end());
  std::set<std::size_t> runs;
  for (const auto& [run, keys] : keys_of)
    for (const Token& inner : largest.loop->body)
      if (inner.is_loop() && keys.size() < largest.loop->keys.size() &&
          std::ranges::includes(inner.loop->keys, keys))
        runs.insert(run);
  return runs;
}

/// Takes one loop for ranks at loops of common operations, if no other rank has these operations later. If a
/// run is at what is an inner loop for others (every 20th step has one operation more), it executes the outer
/// loop once or not at all, and continues.
bool StepSearch::take_loop(State& state, std::vector<Draft>& drafts) {
  std::set<std::uint32_t> keys;
  const std::vector<bool> there = at_common_loops(state, keys);
  const Token* largest = nullptr;
  for (std::size_t at = state.ranks.size(); at-- > 0;)
    if (there[at] && (!largest || state.head(at)->loop->keys.size() > largest->loop->keys.size()))
      largest = state.head(at);
  if (!largest) return false;
  for (std::size_t at = 0; at < state.ranks.size(); ++at)
    if (!there[at] && ahead_.any_of(state.rest[at], keys)) return false;
  const auto inner_runs = at_inner_loops(state, there, *largest);
  const std::size_t before = state.changes.size(), done = done_;
  State body;
  Draft draft;
  draft.step.kind = Step::Kind::loop;
  draft.rounds.assign(tokens_.ranks.size(), 0);
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    if (!there[at]) continue;
    TokenCursor& rest = state.rest[at];
    const bool fewer = inner_runs.contains(tokens_.ranks[state.ranks[at]].run);
    std::size_t count = fewer ? as_one_round(rest, *largest) : 1;
    if (count == 0) continue;
    draft.rounds[state.ranks[at]] = fewer ? 1 : rest->rounds();
    body.ranks.push_back(state.ranks[at]);
    body.rest.push_back(fewer ? pool_.copied(rest, count) : TokenCursor(rest->loop->body));
    state.note(at);
    for (; count > 0; --count) ++rest;
  }
  if (auto inner = level(std::move(body))) {
    draft.body = std::move(*inner);
    if (go_on(state, before, std::move(draft), drafts)) return true;
  }
  state.go_back(before);
  done_ = done;
  return false;
}

/// Returns whether a rank is at a loop that begins with an operation that another rank has next outside a
/// loop.
bool StepSearch::is_mixed(const State& state) const {
  const auto keys = head_keys(state);
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    const Token* token = state.head(at);
    if (!token || !token->is_loop() || token->rounds() > kMostUnrolled) continue;
    while (token->is_loop()) token = &token->loop->body.front();
    if (std::ranges::find(keys, token->key) != keys.end()) return true;
  }
  return false;
}

/// Unrolls loops that exist for some ranks by accident (two neighbours that are one rank).
bool StepSearch::unroll_a_round(State& state, std::vector<Draft>& drafts) {
  const std::size_t before = state.changes.size();
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    const Token* token = state.head(at);
    if (!token || !token->is_loop() || token->rounds() > kMostUnrolled) continue;
    state.note(at);
    state.rest[at] = pool_.unrolled(state.rest[at]);
  }
  if (state.changes.size() == before) return false;
  if (go(state, drafts)) return true;
  state.go_back(before);
  return false;
}

}  // namespace parcast::program
