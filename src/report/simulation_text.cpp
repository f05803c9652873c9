// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_text.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "machine/machine.h"
#include "report/contention_text.h"
#include "report/hang_text.h"
#include "report/network_text.h"
#include "report/simulated_numbers.h"
#include "report/simulation_parts.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using simulate::RankOutcome;

constexpr std::size_t kMostRanks = 16;

/// Returns the idle time of all cpus of a rank.
double idle(const simulate::Outcome& outcome, const RankOutcome& rank) {
  return rank.cpus * seconds(outcome.makespan) - seconds(rank.compute) - seconds(rank.communication);
}

/// Returns the ranks to show if not all are: the first, the last to end, the one that idles most, and so on.
std::vector<std::size_t> chosen(const simulate::Outcome& outcome, bool all) {
  std::vector<std::size_t> ranks(outcome.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  if (all || ranks.size() <= kMostRanks) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) {
    return outcome.ranks[a].compute + outcome.ranks[a].communication >
           outcome.ranks[b].compute + outcome.ranks[b].communication;
  });
  ranks.erase(ranks.begin() + kMostRanks / 2, ranks.end() - (kMostRanks / 2 - 1));
  return ranks;
}

std::string ranks_table(const simulate::Outcome& outcome, const Style& style, bool all) {
  const auto right = Column::Align::right;
  const TimeScale scale(seconds(outcome.makespan));
  const bool shares = outcome.contended.has_value();
  const bool several =
      std::ranges::any_of(outcome.ranks, [](const RankOutcome& rank) { return rank.cpus > 1; });
  std::vector<Column> columns{{"rank", right},
                              {"ends, " + scale.unit(), right},
                              {"compute", right},
                              {"messages", right},
                              {"idle", right}};
  if (shares) columns.insert(columns.begin() + 3, {"of it contention", right});
  if (several) columns.insert(columns.begin() + 1, {"cpus", right});
  Table table(columns);
  for (const std::size_t rank : chosen(outcome, all)) {
    const RankOutcome& of = outcome.ranks[rank];
    std::vector<std::string> cells{number(rank), scale.text(seconds(of.end)), scale.text(seconds(of.compute)),
                                   scale.text(seconds(of.communication)), scale.text(idle(outcome, of))};
    if (shares) cells.insert(cells.begin() + 3, scale.text(seconds(of.contention)));
    if (several) cells.insert(cells.begin() + 1, std::to_string(of.cpus));
    table.add(cells);
  }
  std::string text = table.text(style);
  if (!all && outcome.ranks.size() > kMostRanks)
    text += dim(style, "  the busiest and the idlest of " +
                           counted(static_cast<std::int64_t>(outcome.ranks.size()), "rank") +
                           "; --all shows each\n");
  return text;
}

std::string division(const simulate::Outcome& outcome) {
  double compute = 0, messages = 0, cpus = 0;
  for (const RankOutcome& rank : outcome.ranks)
    compute += seconds(rank.compute), messages += seconds(rank.communication), cpus += rank.cpus;
  const double whole = seconds(outcome.makespan) * cpus;
  if (whole <= 0) return "nothing takes time";
  return "compute " + in_percent(compute / whole) + ", processor busy with messages " +
         in_percent(messages / whole) + ", idle " +
         in_percent(std::max(0.0, 1 - (compute + messages) / whole));
}

}  // namespace

std::string simulation_text(const Simulated& simulated, const Style& style, bool all_ranks) {
  const simulate::Outcome& outcome = simulated.outcome;
  if (!outcome.waiting.empty()) {
    const auto finished = [&](std::int32_t rank) {
      return outcome.ranks[static_cast<std::size_t>(rank)].finished;
    };
    return hang_text(
        {simulated.trace, outcome.waiting, outcome.cycle, outcome.by_choice, finished, simulated.has_ended},
        style);
  }
  const std::string program = simulated.trace.program.empty() ? "" : visible(simulated.trace.program) + ", ";
  std::string text =
      program + counted(simulated.trace.ranks, "rank") + ", on " + visible(simulated.machine) + "\n\n";
  text += headline(style, duration(seconds(outcome.makespan)), division(outcome)) + "\n\n";
  text += ranks_table(outcome, style, all_ranks) + "\n";
  text += "  " + counted(static_cast<std::int64_t>(outcome.messages), "message") + " with " +
          number(outcome.bytes) + " bytes";
  if (outcome.collective_messages > 0)
    text += "; collectives: " + counted(static_cast<std::int64_t>(outcome.collective_messages), "message") +
            " with " + number(outcome.collective_bytes) + " bytes";
  if (outcome.accesses > 0)
    text += "; " + counted(static_cast<std::int64_t>(outcome.accesses), "access") + " to the memory of ranks";
  text += "\n" + contention_text(outcome, style) + network_text(outcome, style);
  if (simulated.profile) text += longest_region_text(simulated, *simulated.profile);
  const std::string skipped =
      outcome.skipped > 0
          ? "; " +
                in_percent(static_cast<double>(outcome.skipped) / static_cast<double>(outcome.operations)) +
                " of them in periodic iterations, which were skipped"
          : "";
  return text +
         dim(style, "  simulated: " + counted(static_cast<std::int64_t>(outcome.operations), "operation") +
                        skipped + "\n");
}

}  // namespace parcast::report
