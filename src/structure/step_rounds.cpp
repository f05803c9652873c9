// SPDX-License-Identifier: Apache-2.0
// Rounds that depend on their number: recursive doubling, a root that moves, a rank that serves all others in
// turn.
#include <algorithm>
#include <map>
#include <set>

#include "structure/step_search.h"

namespace parcast::program {
namespace {

constexpr std::size_t kLongestBlock = 8;
constexpr std::size_t kMostCombinations = 32;
constexpr std::int64_t kManyRounds = 5;

}  // namespace

/// Returns the number of consecutive repetitions of the operations at the front.
std::size_t StepSearch::repeats(TokenCursor rest, const std::vector<std::uint32_t>& keys) const {
  std::size_t matched = 0;
  for (; !rest.at_end() && !rest->is_loop() && rest->key == keys[matched % keys.size()]; ++rest) ++matched;
  return matched / keys.size();
}

/// Returns the shortest sequences of operations that begin with the key and that some rank repeats at least
/// twice: that with most repetitions, then all others, longer ones first. Ranks at an end of a chain leave
/// out a part of what the others repeat.
std::vector<StepSearch::Block> StepSearch::blocks_at(const State& state, std::uint32_t key) const {
  std::vector<Block> all;
  for (std::size_t at = state.ranks.size(); at-- > 0;) {
    std::vector<std::uint32_t> keys;
    for (TokenCursor rest = state.rest[at]; keys.size() < kLongestBlock && !rest.at_end(); ++rest) {
      if (rest->is_loop() || (keys.empty() && rest->key != key)) break;
      keys.push_back(rest->key);
      const std::size_t times = repeats(state.rest[at], keys);
      if (times < 2) continue;
      const auto same = std::ranges::find(all, keys, &Block::keys);
      if (same == all.end())
        all.push_back({keys, at, times});
      else if (times > same->times)
        same->reference = at, same->times = times;
      break;
    }
  }
  if (all.empty()) return all;
  const auto most = std::ranges::max_element(all, {}, &Block::times);
  std::rotate(all.begin(), most, most + 1);
  std::stable_sort(all.begin() + 1, all.end(),
                   [](const Block& a, const Block& b) { return a.keys.size() > b.keys.size(); });
  for (Block& block : all)
    for (const TokenCursor& rest : state.rest) block.times_of.push_back(repeats(rest, block.keys));
  return all;
}

/// Returns how often the rank repeats the part of the block that it has a partner for. A partner that changes
/// from round to round counts as present.
std::int64_t StepSearch::repeats_of_part(const State& state, std::size_t at, const Block& block,
                                         const std::vector<Partner>& partners) const {
  std::vector<std::uint32_t> keys;
  for (std::size_t i = 0; i < block.keys.size(); ++i)
    if (!is_message(block.keys[i]) || partners[i].change != Change::none ||
        partner_of(partners[i], tokens_.ranks[state.ranks[at]].place))
      keys.push_back(block.keys[i]);
  return keys.empty() ? 0 : static_cast<std::int64_t>(repeats(state.rest[at], keys));
}

/// Returns, for each operation of the block, the rules confirmed by the ranks under the guard that repeat the
/// block as often as any rank of their run.
std::vector<std::vector<Partner>> StepSearch::partners_of(const State& state, const Block& block,
                                                          std::size_t guard) const {
  struct Repeating {
    std::uint32_t rank = 0;
    std::vector<const Token*> seen;
  };
  std::vector<Repeating> all;
  const auto add = [&](std::size_t at, std::size_t times) {
    Repeating& of = all.emplace_back(Repeating{state.ranks[at], {}});
    for (TokenCursor rest = state.rest[at]; of.seen.size() < times * block.keys.size(); ++rest)
      of.seen.push_back(&*rest);
  };
  add(block.reference, block.times);
  std::vector<std::size_t> times(state.ranks.size(), 0);
  std::map<std::size_t, std::size_t> most;  // by run
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    if (guarded_[guard][state.ranks[at]]) times[at] = block.times_of[at];
    std::size_t& of_run = most[tokens_.ranks[state.ranks[at]].run];
    of_run = std::max(of_run, times[at]);
  }
  for (std::size_t at = 0; at < state.ranks.size(); ++at)
    if (times[at] > 1 && times[at] == most[tokens_.ranks[state.ranks[at]].run] && at != block.reference)
      add(at, times[at]);
  const std::vector<Partner> changing = changing_partners();
  std::vector<std::vector<Partner>> of(block.keys.size());
  for (std::size_t i = 0; i < block.keys.size(); ++i) {
    if (!is_message(block.keys[i])) {
      of[i].emplace_back();
      continue;
    }
    const auto seen_in = [&](const Repeating& each, std::size_t round) {
      return partner_in(each.rank, *each.seen[round * block.keys.size() + i]);
    };
    for (const Partner& partner : changing) {
      const bool fits = std::ranges::all_of(all, [&](const Repeating& each) {
        const std::size_t rounds = each.seen.size() / block.keys.size();
        for (std::size_t k = 0; k < rounds; ++k)
          if (partner_of(partner, tokens_.ranks[each.rank].place, static_cast<std::int64_t>(k),
                         static_cast<std::int64_t>(rounds)) != seen_in(each, k))
            return false;
        return true;
      });
      if (fits) of[i].push_back(partner);
    }
    const bool changes = std::ranges::any_of(all, [&](const Repeating& each) {
      const std::size_t rounds = each.seen.size() / block.keys.size();
      for (std::size_t k = 1; k < rounds; ++k)
        if (seen_in(each, k) != seen_in(each, 0)) return true;
      return false;
    });
    for (std::size_t p = 0; !changes && p < partners_.size(); ++p)
      if (std::ranges::all_of(all, [&](const Repeating& each) {
            return partner_[p][each.rank] != kNobody && partner_[p][each.rank] == seen_in(each, 0);
          }))
        of[i].push_back(partners_[p]);
  }
  return of;
}

/// Returns whether there are enough rounds, since a few that hardly vary may be some neighbours. Requires
/// five, or as many different numbers as process counts, up to three.
bool StepSearch::are_many(const std::map<std::size_t, std::int64_t>& rounds_of_run) const {
  std::set<std::int64_t> rounds;
  std::set<std::int32_t> processes;
  for (const auto& [run, of] : rounds_of_run) {
    rounds.insert(of);
    processes.insert(tokens_.runs[run].run.processes);
  }
  return *rounds.rbegin() >= kManyRounds ||
         (rounds.size() > 1 && rounds.size() >= std::min<std::size_t>(3, processes.size()));
}

/// Returns whether all runs on some number of processes have no rounds, and runs on fewer processes have
/// some. Such rounds are a coincidence: two neighbours that are one rank on few processes.
bool StepSearch::vanish(const std::map<std::size_t, std::int64_t>& rounds_of_run) const {
  std::map<std::int32_t, std::int64_t> most;  // by processes
  for (const auto& [run, rounds] : rounds_of_run) {
    auto& of = most[tokens_.runs[run].run.processes];
    of = std::max(of, rounds);
  }
  bool any = false;
  for (const auto& [processes, rounds] : most) {
    if (any && rounds == 0) return true;
    any = any || rounds > 0;
  }
  return false;
}

/// Follows a rank's rounds; returns false if it does something else.
bool StepSearch::follow_rank(State& state, std::size_t at, const Block& block,
                             const std::vector<Partner>& partners, std::int64_t rounds, Rounds& found) const {
  const std::uint32_t rank = state.ranks[at];
  const Place& place = tokens_.ranks[rank].place;
  std::vector<std::optional<std::int32_t>> lasting;  // partners that do not change
  for (const Partner& partner : partners)
    lasting.push_back(partner.change == Change::none ? partner_of(partner, place) : std::nullopt);
  TokenCursor& rest = state.rest[at];
  state.note(at);
  for (std::int64_t k = 0; k < rounds; ++k)
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      const bool message = is_message(block.keys[i]);
      const std::optional<std::int32_t> partner =
          partners[i].change == Change::none ? lasting[i] : partner_of(partners[i], place, k, rounds);
      if (message && !partner) continue;
      const bool next = !rest.at_end() && !rest->is_loop() && rest->key == block.keys[i];
      if (tokens_.keys[block.keys[i]].kind == trace::Kind::wait && !next && state.open[at] == 0) continue;
      if (!next || (message && partner_in(rank, *rest) != *partner)) return false;
      Seen seen = seen_by(rank, *rest);
      seen.round = static_cast<std::uint32_t>(k);
      seen.rounds = static_cast<std::uint32_t>(rounds);
      found.seen[i].push_back(seen);
      state.open[at] = std::max<std::int64_t>(0, state.open[at] + opens(rank, *rest));
      ++rest;
    }
  return rest.at_end() || rest->is_loop() || rest->key != block.keys.front();
}

/// Follows the rounds, in each run as many as all its ranks confirm. The caller restores the state if nothing
/// is returned.
std::optional<StepSearch::Rounds> StepSearch::follow(State& state, const Block& block, std::size_t guard,
                                                     const std::vector<Partner>& partners) const {
  Rounds found{std::vector<std::int64_t>(state.ranks.size(), 0),
               std::vector<std::vector<Seen>>(block.keys.size())};
  std::map<std::size_t, std::int64_t> most;  // rounds, by run
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    auto& rounds = most[tokens_.ranks[state.ranks[at]].run];
    if (guarded_[guard][state.ranks[at]])
      rounds = std::max(rounds, static_cast<std::int64_t>(block.times_of[at]));
  }
  // In runs without a rank that repeats the whole block, the parts count.
  std::map<std::size_t, std::int64_t> of_parts;
  for (std::size_t at = 0; at < state.ranks.size(); ++at)
    if (const std::size_t run = tokens_.ranks[state.ranks[at]].run;
        most.at(run) == 0 && guarded_[guard][state.ranks[at]])
      of_parts[run] = std::max(of_parts[run], repeats_of_part(state, at, block, partners));
  for (const auto& [run, rounds] : of_parts) most[run] = rounds;
  if (!are_many(most) || vanish(most)) return std::nullopt;
  for (std::size_t at = 0; at < state.ranks.size(); ++at) {
    if (!guarded_[guard][state.ranks[at]]) continue;
    const std::int64_t rounds = most.at(tokens_.ranks[state.ranks[at]].run);
    if (!follow_rank(state, at, block, partners, rounds, found)) return std::nullopt;
    found.of[at] = rounds;
  }
  return found;
}

bool StepSearch::take_block(State& state, const Block& block, bool guarded, std::vector<Draft>& drafts) {
  for (std::size_t guard = guarded ? 1 : 0; guard < (guarded ? guards_.size() : 1); ++guard) {
    if (guards_[guard].kind == Guard::Kind::neighboured) break;  // the last ones in the list
    if (!guarded_[guard][state.ranks[block.reference]]) continue;
    const auto choices = partners_of(state, block, guard);
    std::size_t combinations = 1;
    for (const auto& of : choices) combinations = std::min(combinations * of.size(), kMostCombinations);
    for (std::size_t number = 0; number < combinations; ++number) {
      std::vector<Partner> partners;
      std::size_t rest = number;
      for (const auto& of : choices) {
        partners.push_back(of[rest % of.size()]);
        rest /= of.size();
      }
      const std::size_t before = state.changes.size();
      auto found = follow(state, block, guard, partners);
      if (!found) {
        state.go_back(before);
        continue;
      }
      Draft draft;
      draft.step.kind = Step::Kind::rounds;
      draft.step.guard = guards_[guard];
      draft.rounds.assign(tokens_.ranks.size(), 0);
      for (std::size_t at = 0; at < state.ranks.size(); ++at) draft.rounds[state.ranks[at]] = found->of[at];
      for (std::size_t i = 0; i < block.keys.size(); ++i) {
        draft.body.push_back(
            {.step = step_of(block.keys[i]), .key = block.keys[i], .seen = std::move(found->seen[i])});
        draft.body.back().step.partner = partners[i];
      }
      if (go_on(state, before, std::move(draft), drafts)) return true;
      if (gave_up()) return false;
    }
  }
  return false;
}

bool StepSearch::take_rounds(State& state, bool guarded, std::vector<Draft>& drafts) {
  for (const std::uint32_t key : head_keys(state))
    for (const Block& block : blocks_at(state, key))
      if (!gave_up() && take_block(state, block, guarded, drafts)) return true;
  return false;
}

}  // namespace parcast::program
