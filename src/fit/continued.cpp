// SPDX-License-Identifier: Apache-2.0
#include "fit/continued.h"

#include <algorithm>
#include <cmath>

namespace parcast::fit {
namespace {

constexpr double kHalfDoubling = 1.4142135623730951;
constexpr double kSteepestGrowth = -1.1;  // superlinear growth ends: it is not continued
constexpr double kUsualBend = 0.3;        // of exponents: larger ones are mostly noise

bool on_line(const std::vector<double>& known, std::span<const double> point, std::size_t argument) {
  for (std::size_t j = 0; j < point.size(); ++j)
    if (j != argument && known[j] != point[j]) return false;
  return true;
}

double of_law(double exponent) {
  return std::clamp(exponent, kSteepestGrowth, kFastestLaw);
}

}  // namespace

double Continuation::slope(std::span<const double> values) const {
  return std::log(values[last] / values[before]) / between;
}

double Continuation::growth(std::span<const double> values) const {
  if (!few) return slope(values);
  const double exponent = of_law(slope(values));
  if (!earlier) return exponent;
  const double bend = of_law(std::log(values[before] / values[*earlier]) / earlier_step) - exponent;
  return exponent + 0.5 * bend * bend * bend / (bend * bend + kUsualBend * kUsualBend);
}

double Continuation::of(std::span<const double> values) const {
  return std::log(values[last]) + growth(values) * beyond;
}

std::optional<std::size_t> argument_beyond(std::span<const double> largest, std::span<const double> point) {
  std::optional<std::size_t> beyond;
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (!(largest[j] < point[j])) continue;
    if (beyond) return std::nullopt;
    beyond = j;
  }
  return beyond;
}

std::optional<Continuation> continuation(const Points& points, std::span<const std::size_t> rows,
                                         std::size_t argument, std::span<const double> point) {
  const std::size_t none = points.size();
  const auto largest_below = [&](double limit) {
    std::size_t best = none;
    for (const std::size_t i : rows) {
      const double x = points[i][argument];
      if (x > 0 && x <= limit && (best == none || x > points[best][argument])) best = i;
    }
    return best;
  };
  const std::size_t last = largest_below(INFINITY);
  if (last == none) return std::nullopt;
  const double x = points[last][argument];
  const std::size_t before = largest_below(x / kHalfDoubling);
  if (before == none) return std::nullopt;
  Continuation out;
  out.last = last;
  out.before = before;
  out.between = std::log(x / points[before][argument]);
  out.beyond = std::log(point[argument] / x);
  if (const std::size_t earlier = largest_below(points[before][argument] / kHalfDoubling); earlier != none) {
    out.earlier = earlier;
    out.earlier_step = std::log(points[before][argument] / points[earlier][argument]);
  }
  return out;
}

std::optional<Continuation> continuation(const Points& points, std::span<const double> point) {
  std::vector<double> largest(point.size(), -INFINITY);
  for (const auto& each : points)
    for (std::size_t j = 0; j < point.size(); ++j) largest[j] = std::max(largest[j], each[j]);
  const auto argument = argument_beyond(largest, point);
  if (!argument) return std::nullopt;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (on_line(points[i], point, *argument)) rows.push_back(i);
  return continuation(points, rows, *argument, point);
}

}  // namespace parcast::fit
