// SPDX-License-Identifier: Apache-2.0
#include "structure/align.h"

#include <cstdlib>
#include <set>
#include <tuple>

#include "base/text.h"
#include "structure/step_search.h"

namespace parcast::program {
namespace {

std::string with_whom(const Tokens& tokens, const RankOfRun& rank, const Token& token) {
  const trace::Operation& operation = tokens.operation(rank, token);
  if (operation.kind == trace::Kind::collective || operation.kind == trace::Kind::wait) return "";
  if (operation.peer == trace::kAny) return " from anybody";
  const bool sends = operation.kind == trace::Kind::send || operation.kind == trace::Kind::start_send;
  return (sends ? " to rank " : " from rank ") + std::to_string(rank.place.r + operation.peer);
}

/// Returns whether the partner is at a distance for which a run on `least` processes has no room.
bool is_out_of_room(const Partner& partner, std::int32_t least) {
  const bool reaches = partner.kind == Partner::Kind::offset || partner.kind == Partner::Kind::exclusive_or;
  const std::int64_t far = partner.amount < 0 ? -partner.amount : partner.amount;
  return reaches && partner.change == Change::none && far >= 2 && far >= least;
}

/// Replaces rules with a distance that only the larger runs have room for: it may be the first of a series,
/// whose continuation at larger process counts is unknown. On assumed grids, a neighbour in a grid may
/// explain the same messages. Otherwise returns an error.
Result<void> replace_distances(const Tokens& tokens, bool on_grids, std::vector<Draft>& drafts) {
  const std::int32_t least = tokens.runs.front().run.processes;
  for (Draft& draft : drafts) {
    PARCAST_TRY(replace_distances(tokens, on_grids, draft.body));
    Step& step = draft.step;
    if (!is_out_of_room(step.partner, least)) continue;
    std::erase_if(step.alternatives, [&](const Rule& rule) { return is_out_of_room(rule.second, least); });
    if (on_grids && !step.alternatives.empty()) {
      std::tie(step.guard, step.partner) = step.alternatives.front();
      step.alternatives.erase(step.alternatives.begin());
      continue;
    }
    const std::string distance = std::to_string(std::abs(step.partner.amount));
    return Error{
        tokens.describe(draft.key) + " reaches a rank " + distance +
            " away, for which the run at p = " + std::to_string(least) +
            " has no room: whether there are still larger distances with more processes is not known",
        "p = " + std::to_string(tokens.ranks[draft.seen.front().rank].place.p),
        "leave out runs at p of up to " + distance + ", and record at larger ones"};
  }
  return {};
}

}  // namespace

Result<Alignment> align(const Tokens& tokens, const std::vector<ProcessGrid>& grids, int most_attempts) {
  StepSearch search(tokens, grids, most_attempts);
  if (auto found = search.run()) {
    PARCAST_TRY(replace_distances(tokens, !grids.empty(), *found));
    return Alignment{std::move(*found), std::nullopt};
  }
  const auto& stuck = search.stuck();
  const RankOfRun& rank = tokens.ranks[stuck.rank];
  std::set<std::int32_t> processes;
  for (const TracedRun& run : tokens.runs) processes.insert(run.run.processes);
  const std::string at = tokens.describe_run(rank.run);
  if (search.came_farther())
    return Alignment{{},
                     Error{"no rule for the order of operations was found in " +
                               format_integer(most_attempts) + " attempts, which came to " +
                               tokens.describe(stuck.token->key) + " of rank " + std::to_string(rank.place.r),
                           at, kOrderHint}};
  Error none{"no rule was found for the order of operations: rank " + std::to_string(rank.place.r) +
                 " does " + tokens.describe(stuck.token->key) + with_whom(tokens, rank, *stuck.token) +
                 ", and no rule says which ranks do that next, and with whom",
             at,
             processes.size() < 3
                 ? "record at three or more process counts of 4 and more; what depends on data or on chance "
                   "has no rule"
                 : "make the model without the run at " + at +
                       " to see whether it alone differs; what depends on data or on chance has no rule"};
  if (search.gave_up()) return Alignment{{}, std::move(none)};
  return none;
}

}  // namespace parcast::program
