// SPDX-License-Identifier: Apache-2.0
#include "store/paired_runs.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "statistics/summary.h"
#include "store/same_value.h"

namespace parcast::store {
namespace {

/// A number of nodes, ranks or threads that one of the two does not know fits any.
bool fits(std::int64_t a, std::int64_t b) {
  return a == 0 || b == 0 || a == b;
}

bool answers(const Entry& prediction, const Entry& run, const IsMachineOf& is_machine_of) {
  if (prediction.program != run.program || prediction.processes != run.processes) return false;
  const bool on_it = run.kind == Kind::recording ? is_machine_of(run, prediction)
                                                 : run.machine.empty() || run.machine == prediction.machine;
  return on_it && fits(prediction.nodes, run.nodes) && fits(prediction.ranks_per_node, run.ranks_per_node) &&
         fits(prediction.threads, run.threads) &&
         std::ranges::all_of(prediction.parameters, [&](const auto& wanted) {
           const auto at = run.parameters.find(wanted.first);
           return at != run.parameters.end() && same(at->second, wanted.second);
         });
}

auto point_of(const Entry& run) {
  return std::tie(run.program, run.machine, run.processes, run.parameters, run.kind, run.nodes, run.threads);
}

/// Returns the last prediction stored before that time, else the last one; null if there is none.
const Entry* choose(const std::vector<const Entry*>& candidates, const std::string& began_at) {
  const Entry* before = nullptr;
  for (const Entry* each : candidates)
    if (!began_at.empty() && each->stored_at <= began_at && (!before || each->stored_at > before->stored_at))
      before = each;
  if (before || candidates.empty()) return before;
  return *std::ranges::max_element(candidates, {}, [](const Entry* each) { return each->stored_at; });
}

PairedPoint compared(const Entry& prediction, const std::vector<const Entry*>& runs, const Entry& earliest) {
  PairedPoint out;
  ValidatedPoint& point = out.point;
  point.program = prediction.program, point.machine = prediction.machine;
  point.parameters = prediction.parameters;
  point.processes = static_cast<std::int32_t>(prediction.processes);
  point.prediction = prediction.digest, point.engine = prediction.engine;
  point.predicted_at = prediction.stored_at, point.measured_at = earliest.began;
  point.predicted = prediction.seconds;
  point.low = prediction.low, point.high = prediction.high, point.level = prediction.level;
  std::vector<double> seconds;
  for (const Entry* run : runs) seconds.push_back(run->seconds);
  point.runs = static_cast<int>(seconds.size());
  point.measured = statistics::median(seconds);
  point.fastest = *std::ranges::min_element(seconds), point.slowest = *std::ranges::max_element(seconds);
  point.error = (point.predicted - point.measured) / point.measured;
  point.hit = point.low <= point.measured && point.measured <= point.high;
  out.was_before = !earliest.began_at.empty() && prediction.stored_at <= earliest.began_at;
  out.is_recorded = earliest.kind == Kind::recording;
  return out;
}

}  // namespace

PairedRuns paired_runs(const std::vector<Entry>& predictions, const std::vector<Entry>& runs,
                       const IsMachineOf& is_machine_of) {
  std::vector<const Entry*> sorted;
  for (const Entry& run : runs)
    if (run.seconds > 0) sorted.push_back(&run);
  std::ranges::stable_sort(sorted, {}, [](const Entry* run) { return point_of(*run); });
  PairedRuns out;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first;
    while (end < sorted.size() && point_of(*sorted[end]) == point_of(*sorted[first])) ++end;
    const std::vector<const Entry*> group(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                                          sorted.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
    const Entry* earliest = group.front();
    for (const Entry* run : group)
      if (!run->began_at.empty() && (earliest->began_at.empty() || run->began_at < earliest->began_at))
        earliest = run;
    std::vector<const Entry*> candidates;
    for (const Entry& prediction : predictions)
      if (answers(prediction, *earliest, is_machine_of)) candidates.push_back(&prediction);
    if (const Entry* prediction = choose(candidates, earliest->began_at))
      out.points.push_back(compared(*prediction, group, *earliest));
    else
      for (const Entry* run : group) out.unanswered.push_back(*run);
  }
  return out;
}

}  // namespace parcast::store
