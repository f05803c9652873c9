// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_text.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "machine/machine.h"
#include "report/contention_text.h"
#include "report/network_text.h"
#include "report/simulation_parts.h"
#include "report/table.h"
#include "report/words.h"

namespace parcast::report {
namespace {

using simulate::Outcome;
using simulate::RankOutcome;
using simulate::Waiting;
using trace::Kind;
using trace::Operation;

constexpr double kSecond = 1e12;
constexpr std::size_t kMostRanks = 16;

std::string number(std::uint64_t value) { return format_integer(static_cast<long long>(value)); }
double seconds(trace::Time time) { return static_cast<double>(time) / kSecond; }
double idle(const Outcome& outcome, const RankOutcome& rank) { return seconds(outcome.makespan - rank.compute - rank.communication); }

/// " (halo.c:12, in main/solve)"
std::string where_of(const trace::Trace& trace, const Operation& operation) {
  if (operation.place == trace::kNowhere) return "";
  const trace::Place& place = trace.places[operation.place];
  std::string text = place.file.empty() ? "" : place.file + ":" + std::to_string(place.line);
  if (!place.region.empty()) text += (text.empty() ? "in " : ", in ") + place.region;
  return text.empty() ? "" : " (" + text + ")";
}

/// Those shown when not all are: the first, the last to end, the one that idles most, and so on.
std::vector<std::size_t> chosen(const Outcome& outcome, bool all) {
  std::vector<std::size_t> ranks(outcome.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  if (all || ranks.size() <= kMostRanks) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) { return outcome.ranks[a].compute + outcome.ranks[a].communication > outcome.ranks[b].compute + outcome.ranks[b].communication; });
  ranks.erase(ranks.begin() + kMostRanks / 2, ranks.end() - (kMostRanks / 2 - 1));
  return ranks;
}

std::string ranks_table(const Outcome& outcome, const Style& style, bool all) {
  const auto right = Column::Align::right;
  const TimeScale scale(seconds(outcome.makespan));
  const bool shares = outcome.contended.has_value();
  std::vector<Column> columns{{"rank", right}, {"ends, " + scale.unit(), right}, {"compute", right}, {"messages", right}, {"idle", right}};
  if (shares) columns.insert(columns.begin() + 3, {"of it contention", right});
  Table table(columns);
  for (const std::size_t rank : chosen(outcome, all)) {
    const RankOutcome& of = outcome.ranks[rank];
    std::vector<std::string> cells{number(rank), scale.text(seconds(of.end)), scale.text(seconds(of.compute)), scale.text(seconds(of.communication)), scale.text(idle(outcome, of))};
    if (shares) cells.insert(cells.begin() + 3, scale.text(seconds(of.contention)));
    table.add(cells);
  }
  std::string text = table.text(style);
  if (!all && outcome.ranks.size() > kMostRanks) text += dim(style, "  the busiest and the idlest of " + counted(static_cast<std::int64_t>(outcome.ranks.size()), "rank") + "; --all shows each\n");
  return text;
}

std::string division(const Outcome& outcome) {
  double compute = 0, messages = 0;
  for (const RankOutcome& rank : outcome.ranks) compute += seconds(rank.compute), messages += seconds(rank.communication);
  const double whole = seconds(outcome.makespan) * static_cast<double>(outcome.ranks.size());
  if (whole <= 0) return "nothing takes time";
  return "compute " + in_percent(compute / whole) + ", processor busy with messages " + in_percent(messages / whole) + ", idle " + in_percent(std::max(0.0, 1 - (compute + messages) / whole));
}

/// "which rank 2 holds"
std::string holders_text(const Outcome& outcome, const Waiting& waiting) {
  std::string text = "which ";
  for (std::size_t i = 0; i < waiting.for_ranks.size() && i < kMostRanks; ++i) {
    const std::int32_t holder = waiting.for_ranks[i];
    text += (i > 0 ? ", " : "") + std::string("rank ") + std::to_string(holder) + (outcome.ranks[static_cast<std::size_t>(holder)].finished ? ", which has ended," : "");
  }
  if (waiting.for_ranks.size() > kMostRanks) text += " and " + std::to_string(waiting.for_ranks.size() - kMostRanks) + " more";
  return text + (waiting.for_ranks.size() > 1 ? " hold" : " holds");
}

std::string waiting_text(const Simulated& simulated, const Style& style) {
  const Outcome& outcome = simulated.outcome;
  std::string text = alert(style, "the run " + std::string(outcome.by_choice ? "may" : "would") + " hang: " + std::to_string(outcome.waiting.size()) + " of " + counted(static_cast<std::int64_t>(outcome.ranks.size()), "rank") + " can never go on") + "\n";
  std::size_t shown = 0;
  for (const Waiting& waiting : outcome.waiting) {
    if (++shown > kMostRanks) break;
    text += wrapped(style, "  rank " + std::to_string(waiting.rank) + " waits since " + duration(seconds(waiting.since)) + " in " + operation_text(simulated.trace, waiting.rank, waiting.operation), 4) + "\n";
    if (simulated.trace.operations[waiting.operation].kind == Kind::wait)
      for (const std::uint32_t operation : waiting.for_operations) text += wrapped(style, "    for " + operation_text(simulated.trace, waiting.rank, operation), 6) + "\n";
    if (trace::locks(simulated.trace.operations[waiting.operation].kind)) text += wrapped(style, "    " + holders_text(outcome, waiting), 6) + "\n";
  }
  if (outcome.waiting.size() > kMostRanks) text += "  ... and " + counted(static_cast<std::int64_t>(outcome.waiting.size() - kMostRanks), "rank") + " more\n";
  const bool locks = std::any_of(outcome.waiting.begin(), outcome.waiting.end(), [&](const Waiting& each) { return trace::locks(simulated.trace.operations[each.operation].kind); });
  if (outcome.by_choice && locks) text += wrapped(style, "  here, that is: locks are granted as requests for them come, and in another order some of them may go on", 2) + "\n";
  else if (outcome.by_choice) text += wrapped(style, "  here, that is: some of them, or of those they wait for, receive or probe from any source or with any tag, and messages that come in another order may let them go on", 2) + "\n";
  if (outcome.cycle.empty()) return text + "  nobody sends what they wait for: their partners have ended, or wait for others\n";
  text += "  in a circle: ";
  for (const std::int32_t rank : outcome.cycle) text += std::to_string(rank) + " -> ";
  return text + std::to_string(outcome.cycle.front()) + "\n";
}

}  // namespace

std::string operation_text(const trace::Trace& trace, std::int32_t rank, std::uint32_t index) {
  const Operation& operation = trace.operations[index];
  std::string text = call_at(trace, simulate::site_of(operation));
  if (operation.kind == Kind::wait) return text + where_of(trace, operation);
  if (operation.kind == Kind::collective) {
    text += ", " + number(operation.bytes) + " bytes";
  } else if (trace::is_of_lock(operation.kind)) {
    text += " of window " + std::to_string(operation.tag) + " of " + (operation.peer == trace::kAny ? "all its members" : "rank " + std::to_string(rank + operation.peer));
    if (operation.kind != Kind::unlock) text += operation.kind == Kind::lock_shared ? ", shared" : ", exclusive";
  } else if (trace::is_access(operation.kind)) {
    text += " of the memory of rank " + std::to_string(rank + operation.peer) + ", " + number(operation.bytes) + " bytes";
  } else {
    const bool sends = operation.kind == Kind::send || operation.kind == Kind::start_send;
    text += sends ? " to " : " from ";
    text += operation.peer == trace::kAny ? "any rank" : "rank " + std::to_string(rank + operation.peer);
    text += operation.tag == trace::kAny ? ", any tag" : ", tag " + std::to_string(operation.tag);
    if (operation.kind != Kind::probe) text += ", " + number(operation.bytes) + " bytes";
  }
  if (operation.communicator > 0) text += ", communicator " + std::to_string(operation.communicator);
  return text + where_of(trace, operation);
}

std::string simulation_text(const Simulated& simulated, const Style& style, bool all_ranks) {
  const Outcome& outcome = simulated.outcome;
  if (!outcome.waiting.empty()) return waiting_text(simulated, style);
  const std::string program = simulated.trace.program.empty() ? "" : simulated.trace.program + ", ";
  std::string text = program + counted(simulated.trace.ranks, "rank") + ", on " + simulated.machine + "\n\n";
  text += "  " + bold(style, duration(seconds(outcome.makespan))) + "      " + division(outcome) + "\n\n";
  text += ranks_table(outcome, style, all_ranks) + "\n";
  text += "  " + counted(static_cast<std::int64_t>(outcome.messages), "message") + " with " + number(outcome.bytes) + " bytes";
  if (outcome.collective_messages > 0) text += "; collectives: " + counted(static_cast<std::int64_t>(outcome.collective_messages), "message") + " with " + number(outcome.collective_bytes) + " bytes";
  if (outcome.accesses > 0) text += "; " + counted(static_cast<std::int64_t>(outcome.accesses), "access") + " to the memory of ranks";
  text += "\n" + contention_text(outcome, style) + network_text(outcome, style);
  const double rate = simulated.seconds_taken > 0 ? static_cast<double>(outcome.operations) / simulated.seconds_taken : 0;
  const std::string skipped = outcome.skipped > 0 ? "; " + in_percent(static_cast<double>(outcome.skipped) / static_cast<double>(outcome.operations)) + " of them in periodic iterations, which were skipped" : "";
  return text + dim(style, "  simulated in " + duration(simulated.seconds_taken) + ", loading included: " + number(outcome.operations) + " operations, " + format_significant(rate / 1e6, 3) + " million a second" + skipped + "\n");
}

}  // namespace parcast::report
