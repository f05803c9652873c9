// SPDX-License-Identifier: Apache-2.0
#include "observations/slowed_runs.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace parcast::program {
namespace {

constexpr double kOutlying = 4;         // robust standard deviations
constexpr double kWorthLosing = 0.125;  // a smaller slowdown costs less accuracy than the loss of a recording
constexpr double kMadToDeviation = 1.4826;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Returns for each run: measured / predicted - 1 of all its computing.
std::map<std::size_t, double> deviations_of(std::span<const FittedSegment> segments) {
  std::map<std::size_t, double> given, extra, out;
  for (const FittedSegment& segment : segments)
    for (const auto* runs : {&segment.deviations, &segment.crowded})
      for (const SegmentDeviation& each : *runs)
        given[each.run] += each.seconds, extra[each.run] += each.seconds * each.relative;
  for (const auto& [run, seconds] : given)
    if (seconds > 0) out[run] = extra[run] / seconds;
  return out;
}

}  // namespace

std::vector<std::size_t> slowed_runs(std::span<const FittedSegment> segments,
                                     const std::vector<std::vector<double>>& points,
                                     const std::vector<bool>& disturbed) {
  const std::map<std::size_t, double> deviations = deviations_of(segments);
  if (deviations.size() < kFewestToCompare) return {};
  std::vector<double> all, apart;
  for (const auto& [run, deviation] : deviations) all.push_back(deviation);
  const double usual = median(all);
  for (const double each : all) apart.push_back(std::abs(each - usual));
  const double spread = kMadToDeviation * median(apart);
  const auto others_are_not = [&](std::size_t run, double by, double sign) {
    for (std::size_t v = 0; v < points[run].size(); ++v) {
      std::vector<double> beside;
      for (const auto& [other, deviation] : deviations)
        if (other != run && points[other][v] == points[run][v]) beside.push_back(sign * (deviation - usual));
      if (beside.empty() || median(beside) > by / 2) return false;
    }
    return true;
  };
  std::vector<std::pair<double, std::size_t>> found;
  for (const auto& [run, deviation] : deviations) {
    const bool either = run < disturbed.size() && disturbed[run];
    const double sign = either && deviation < usual ? -1 : 1, by = sign * (deviation - usual);
    if (by > std::max(kOutlying * spread, kWorthLosing) && others_are_not(run, by, sign))
      found.emplace_back(by, run);
  }
  std::ranges::sort(found, std::greater());
  found.resize(std::min(found.size(), deviations.size() / kFewestToCompare));
  std::vector<std::size_t> out;
  for (const auto& [by, run] : found) out.push_back(run);
  std::ranges::sort(out);
  return out;
}

}  // namespace parcast::program
