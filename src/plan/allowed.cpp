// SPDX-License-Identifier: Apache-2.0
#include "plan/allowed.h"

#include <algorithm>
#include <cmath>

namespace parcast::plan {
namespace {

constexpr double kSmallestRatio = 1.25;  // closer values carry the same information

// Values between `last` and `asked`, in steps of last / before.
std::vector<double> beyond(double before, double last, double asked, bool whole) {
  std::vector<double> out;
  if (before <= 0 || last <= 0) return out;
  const double step = last / before;
  const double ratio = step > 1 ? std::max(step, kSmallestRatio) : std::min(step, 1 / kSmallestRatio);
  for (double value = last * ratio; static_cast<int>(out.size()) < kStepsBeyond; value *= ratio) {
    const double rounded = whole ? std::round(value) : value;
    if (ratio > 1 ? rounded >= asked : rounded <= asked) break;
    out.push_back(rounded);
  }
  return out;
}

}  // namespace

Allowed derived_values(const std::vector<double>& measured, double asked) {
  Allowed out{measured, true};
  std::vector<double>& values = out.values;
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  if (values.size() < 2) return out;
  const bool whole = std::ranges::all_of(values, [](double x) { return x == std::round(x); });
  const std::size_t n = values.size();
  std::vector<double> more;
  if (asked > values.back()) more = beyond(values[n - 2], values[n - 1], asked, whole);
  if (asked < values.front()) more = beyond(values[1], values[0], asked, whole);
  values.insert(values.end(), more.begin(), more.end());
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return out;
}

std::vector<Point> crossed(const std::vector<Allowed>& allowed) {
  std::vector<Point> points{{}};
  for (const Allowed& parameter : allowed) {
    std::vector<Point> longer;
    for (const Point& point : points)
      for (const double value : parameter.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace parcast::plan
