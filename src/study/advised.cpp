// SPDX-License-Identifier: Apache-2.0
#include "study/advised.h"

#include <algorithm>
#include <set>

#include "plan/advise.h"

namespace parcast::study {
namespace {

using Point = std::vector<double>;

Point point_of(const Values& values, const std::vector<std::string>& names) {
  Point point;
  for (const std::string& name : names) point.push_back(values.at(name));
  return point;
}

/// Returns the times of the runs, a point each with its repetitions.
fit::Measurements measurements_of(const std::vector<Run>& runs, const std::vector<std::string>& names) {
  fit::Kernel kernel{"", "seconds", "s", {}, {}};
  for (const Run& run : runs) {
    if (run.is_crowded || run.is_damaged || !(run.seconds > 0)) continue;
    const Point point = point_of(run.values, names);
    const auto at = std::ranges::find(kernel.points, point);
    const auto index = static_cast<std::size_t>(at - kernel.points.begin());
    if (at == kernel.points.end()) kernel.points.push_back(point), kernel.values.emplace_back();
    kernel.values[index].push_back(run.seconds);
  }
  return {names, {std::move(kernel)}, {}};
}

/// Returns the allowed numbers of processes: powers of two up to the limit, and measured ones. Nothing if
/// only one was measured: then no other can be proposed.
std::optional<std::vector<double>> allowed_processes(const fit::Measurements& data, int most) {
  std::set<double> measured, allowed;
  for (const Point& point : data.kernels.front().points) measured.insert(point.front());
  if (measured.size() < 2) return std::nullopt;
  allowed = measured;
  for (double p = 1; p <= most; p *= 2) allowed.insert(p);
  return std::vector<double>(allowed.begin(), allowed.end());
}

int repetitions_at(const std::vector<Run>& runs, const Values& values) {
  int most = 0;
  for (const Run& run : runs)
    if (run.values == values) most = std::max(most, run.repeat);
  return most;
}

}  // namespace

Result<std::optional<NextRun>> next_run(const std::vector<Run>& runs, const NextAsked& asked) {
  const fit::Measurements data = measurements_of(runs, asked.names);
  if (data.kernels.front().points.empty())
    return Error{"no run had a core for each process", "",
                 "times of processes that share cores are no times of processes that do not"};
  const bool has_p = !asked.names.empty() && asked.names.front() == "p";
  plan::Request request;
  request.asked = point_of(asked.ask, asked.names);
  request.timed = 0;
  if (has_p) request.cores = 0;
  request.repetitions = 1;
  request.allowed.resize(asked.names.size());
  if (has_p) request.allowed.front() = allowed_processes(data, asked.most_processes);
  if (asked.seconds_left) request.budget = *asked.seconds_left * (has_p ? asked.most_processes : 1);
  request.level = asked.level;
  PARCAST_ASSIGN(const plan::Advice advice, plan::advise(data, request));
  for (const plan::Proposal& proposal : advice.proposals) {
    NextRun next{.seconds = proposal.run.seconds.value, .narrower = proposal.run.narrower};
    for (std::size_t i = 0; i < asked.names.size(); ++i) next.values[asked.names[i]] = proposal.run.point[i];
    if (std::ranges::find(asked.failed, next.values) != asked.failed.end()) continue;
    if (asked.seconds_left && next.seconds > *asked.seconds_left) continue;
    next.repeat = 1 + repetitions_at(runs, next.values);
    return std::optional(next);
  }
  return std::optional<NextRun>();
}

}  // namespace parcast::study
