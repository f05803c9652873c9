// SPDX-License-Identifier: Apache-2.0
#include "fit/continued.h"

#include <algorithm>
#include <cmath>

namespace parcast::fit {
namespace {

constexpr double kHalfDoubling = 1.4142135623730951;

// The argument in which the point lies above all others; nothing where there is none, or more than one.
std::optional<std::size_t> argument_beyond(const Points& points, std::span<const double> point) {
  std::optional<std::size_t> beyond;
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (!std::ranges::all_of(points, [&](const auto& each) { return each[j] < point[j]; })) continue;
    if (beyond) return std::nullopt;
    beyond = j;
  }
  return beyond;
}

bool on_line(const std::vector<double>& known, std::span<const double> point, std::size_t argument) {
  for (std::size_t j = 0; j < point.size(); ++j)
    if (j != argument && known[j] != point[j]) return false;
  return known[argument] > 0;
}

}  // namespace

double Continuation::of(std::span<const double> values) const {
  const double slope = std::log(values[last] / values[before]) / between;
  return std::log(values[last]) + slope * beyond;
}

std::optional<Continuation> continuation(const Points& points, std::span<const double> point) {
  const auto argument = argument_beyond(points, point);
  if (!argument) return std::nullopt;
  const std::size_t none = points.size();
  const auto largest_below = [&](double limit) {
    std::size_t best = none;
    for (std::size_t i = 0; i < none; ++i) {
      const double x = points[i][*argument];
      if (x <= limit && on_line(points[i], point, *argument) && (best == none || x > points[best][*argument])) best = i;
    }
    return best;
  };
  const std::size_t last = largest_below(INFINITY);
  if (last == none) return std::nullopt;
  const double x = points[last][*argument];
  const std::size_t before = largest_below(x / kHalfDoubling);
  if (before == none) return std::nullopt;
  return Continuation{last, before, std::log(x / points[before][*argument]), std::log(point[*argument] / x)};
}

std::optional<double> continued(const Observed& observed, std::span<const double> point) {
  const auto how = continuation(observed.points, point);
  return how ? std::optional(how->of(observed.values)) : std::nullopt;
}

}  // namespace parcast::fit
