// SPDX-License-Identifier: Apache-2.0
#include "calibrate/remarks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace parcast::calibrate {
namespace {

constexpr double kNoisyPoint = 0.1;     // relative standard error
constexpr double kNoisyShare = 0.25;    // share of points
constexpr double kChangedSpeed = 0.02;  // relative; the change must also exceed what the errors explain
constexpr double kQuantile = 1.959963984540054;

std::string percent(double part) {
  return format_significant(100 * part, 2) + " %";
}

std::optional<Error> shared_cores(const std::vector<Measurements>& launches) {
  const Bound* worst = nullptr;
  for (const Measurements& launch : launches)
    if (const Bound& bound = launch.bound; bound.processors > 0 && bound.processors < bound.processes &&
                                           (!worst || bound.processes > worst->processes))
      worst = &bound;
  if (!worst) return std::nullopt;
  const std::string cores =
      worst->processors == 1 ? "one core" : std::to_string(worst->processors) + " cores";
  return Error{
      std::to_string(worst->processes) + " processes of a node shared " + cores +
          ", so messages and collectives include the time that a process waits for its turn",
      "",
      "give each process a core of its own, e.g. --launcher 'mpirun --bind-to core -n {p}' or 'srun "
      "--cpu-bind=cores -n {p}'; where the node has fewer cores, ask for fewer processes with --processes"};
}

/// Compares the first and last value of the core speed in each launch that has two.
std::optional<Error> changed_speed(const std::vector<Measurements>& launches) {
  double largest = 0;
  std::string text;
  for (const Measurements& launch : launches)
    for (const char* name : {"core_speed", "shared_core_speed"}) {
      const Value *first = nullptr, *last = nullptr;
      for (const Value& value : launch.values)
        if (value.name == name) (first ? last : first) = &value;
      if (!first || !last || !(first->value > 0)) continue;
      const double change = std::fabs(last->value / first->value - 1);
      const bool beyond = std::fabs(last->value - first->value) >
                          kQuantile * std::hypot(first->standard_error, last->standard_error);
      if (!beyond || change < kChangedSpeed || change <= largest) continue;
      largest = change;
      text = format_significant(first->value / 1e9, 3) + " G operations/s at the beginning of a launch and " +
             format_significant(last->value / 1e9, 3) + " G operations/s at its end";
    }
  if (text.empty()) return std::nullopt;
  return Error{"the core's speed changed while it was measured: " + text +
                   "; the standard errors of all speeds include the change",
               "", "measure again with a longer --budget, while the machine is quiet"};
}

std::optional<Error> too_noisy(const std::vector<Measurements>& launches) {
  std::int64_t noisy = 0, all = 0;
  for (const Measurements& launch : launches)
    for (const TablePoint& point : launch.points)
      ++all, noisy += point.standard_error > kNoisyPoint * point.seconds;
  if (all == 0 || static_cast<double>(noisy) < kNoisyShare * static_cast<double>(all)) return std::nullopt;
  return Error{"too noisy for the budget: " + percent(static_cast<double>(noisy) / static_cast<double>(all)) +
                   " of the measured points have a standard error above " + percent(kNoisyPoint) +
                   ", which widens the intervals",
               "", "use a longer --budget, or measure while the machine is quiet"};
}

std::optional<Error> not_measured(const std::vector<Measurements>& launches) {
  const bool messages = std::any_of(launches.begin(), launches.end(), [](const Measurements& launch) {
    return std::any_of(launch.points.begin(), launch.points.end(),
                       [](const TablePoint& point) { return point.table.starts_with("message-"); });
  });
  if (!messages)
    return Error{"messages were not measured, so they count as free", "",
                 "measure two processes or more, e.g. --processes 1,2"};
  if (std::none_of(launches.begin(), launches.end(),
                   [](const Measurements& launch) { return launch.processes == 1; }))
    return Error{"one process alone was not measured, so the speed of one core and its memory are unknown",
                 "", "add 1 to --processes"};
  return std::nullopt;
}

}  // namespace

std::vector<Error> remarks(const std::vector<Measurements>& launches) {
  std::vector<Error> out;
  for (auto& remark :
       {shared_cores(launches), changed_speed(launches), too_noisy(launches), not_measured(launches)})
    if (remark) out.push_back(*remark);
  return out;
}

}  // namespace parcast::calibrate
