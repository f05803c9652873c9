// SPDX-License-Identifier: Apache-2.0
#include "statistics/noise.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "statistics/distribution.h"
#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

// Limit of a chi-square variable per degree of freedom, and its mean when larger values are clipped to the
// limit.
struct Clip {
  double limit = 0;
  double mean = 0;
};

Clip clip_for(double degrees) {
  const double c = chi_square_quantile(0.999, degrees);
  const double mean = degrees * chi_square_probability(c, degrees + 2) + c * 0.001;
  return {c / degrees, mean / degrees};
}

// Returns clip_for(). The values for usual numbers of repetitions are computed once.
Clip known_clip(double degrees) {
  static const auto known = [] {
    std::array<Clip, 33> out;
    for (std::size_t d = 1; d < out.size(); ++d) out[d] = clip_for(static_cast<double>(d));
    return out;
  }();
  const bool usual =
      degrees >= 1 && degrees < static_cast<double>(known.size()) && degrees == std::floor(degrees);
  return usual ? known[static_cast<std::size_t>(degrees)] : clip_for(degrees);
}

// A spread with the limit for its degrees of freedom.
struct Clipped {
  Spread spread;
  Clip clip;

  // Returns the variance clipped relative to the model's, then corrected to be unbiased for normal errors.
  double variance(double modelled) const {
    return std::min(spread.variance, clip.limit * modelled) / clip.mean;
  }
};

std::vector<Clipped> with_clips(std::span<const Spread> spreads) {
  std::vector<Clipped> out;
  for (const Spread& s : spreads) {
    const bool again = !out.empty() && out.back().spread.degrees_of_freedom == s.degrees_of_freedom;
    out.push_back({s, again ? out.back().clip : known_clip(s.degrees_of_freedom)});
  }
  return out;
}

double relative_only(std::span<const Clipped> spreads, const NoiseModel& now) {
  double sum = 0;
  double degrees = 0;
  for (const auto& [s, clip] : spreads) {
    const double square = s.value * s.value;
    const double variance = now.relative > 0 ? Clipped{s, clip}.variance(now.variance(s.value)) : s.variance;
    sum += s.degrees_of_freedom * variance / square;
    degrees += s.degrees_of_freedom;
  }
  return std::sqrt(sum / degrees);
}

// A spread's variance against both parts of the noise, in units of its expected value. Weights then stay near
// one for any unit of time.
struct Row {
  double constant = 0, relative = 0, response = 0, weight = 0;
};

// Returns coefficients >= 0 of weighted least squares with two columns. If one of them would be negative,
// only the other column is used, since the squares increase from the free optimum on. If the columns cannot
// be distinguished, the first one gets all.
NoiseModel nonnegative(std::span<const Row> rows) {
  constexpr double kDependent = 1e-28;  // of the squared length
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (const auto& [a, b, y, w] : rows)
    aa += w * a * a, ab += w * a * b, bb += w * b * b, ay += w * a * y, by += w * b * y;
  double left = 0, along = 0;  // of the second column, after removing its projection on the first
  for (const auto& [a, b, y, w] : rows) {
    const double rest = b - ab / aa * a;
    left += w * rest * rest;
    along += w * rest * (y - ay / aa * a);
  }
  if (!(left > kDependent * bb) || along < 0) return {std::sqrt(ay / aa), 0};
  const double relative = along / left, constant = (ay - ab * relative) / aa;
  return constant < 0 ? NoiseModel{0, std::sqrt(by / bb)}
                      : NoiseModel{std::sqrt(constant), std::sqrt(relative)};
}

// One step of gamma regression with identity link. The variance of an estimated variance is 2 var^2 /
// degrees.
NoiseModel step(std::span<const Clipped> spreads, const NoiseModel& now, std::vector<Row>& rows) {
  rows.clear();
  for (const Clipped& each : spreads) {
    const Spread& s = each.spread;
    const double modelled = now.variance(s.value);
    rows.push_back({1 / modelled, s.value * s.value / modelled, each.variance(modelled) / modelled,
                    s.degrees_of_freedom});
  }
  return nonnegative(rows);
}

bool resolved(const NoiseModel& a, const NoiseModel& b) {
  constexpr double kTolerance = 1e-10;
  return std::abs(a.constant - b.constant) <= kTolerance * std::max(a.constant, b.constant) &&
         std::abs(a.relative - b.relative) <= kTolerance * std::max(a.relative, b.relative);
}

}  // namespace

Spread spread_of_repeats(std::span<const double> repeats) {
  assert(repeats.size() >= 2);
  const Moments of = moments(repeats);
  return {of.mean, of.standard_deviation * of.standard_deviation, static_cast<double>(repeats.size() - 1)};
}

Spread spread_of_residual(double fitted, double residual, double leverage) {
  assert(leverage < 1);
  return {fitted, residual * residual / (1 - leverage), 1};
}

Result<NoiseModel> estimate_noise(std::span<const Spread> given) {
  std::vector<Spread> spreads;
  for (const Spread& s : given)
    if (s.degrees_of_freedom > 0 && s.value != 0 && std::isfinite(s.variance)) spreads.push_back(s);
  if (spreads.empty())
    return Error{"nothing was measured twice, so the noise is unknown", "",
                 "repeat at least one measurement"};
  if (std::all_of(spreads.begin(), spreads.end(), [](const Spread& s) { return s.variance == 0; }))
    return NoiseModel{};
  // The median ratio is a starting value that a disturbed group cannot distort.
  std::vector<double> ratios;
  for (const Spread& s : spreads) ratios.push_back(s.variance / (s.value * s.value));
  NoiseModel now{0,
                 std::sqrt(std::max(median(ratios), 1e-6 * *std::max_element(ratios.begin(), ratios.end())))};
  const std::vector<Clipped> clipped = with_clips(spreads);
  std::vector<Row> rows;
  for (int round = 0; round < 100; ++round) {
    const NoiseModel next =
        clipped.size() < 3 ? NoiseModel{0, relative_only(clipped, now)} : step(clipped, now, rows);
    const bool done = resolved(now, next);
    now = next;
    if (done) break;
  }
  return now;
}

std::vector<double> noise_weights(const NoiseModel& noise, std::span<const double> values) {
  std::vector<double> weights;
  for (const double value : values) {
    const double variance = noise.variance(value);
    weights.push_back(variance > 0 ? 1 / variance : 1);
  }
  return weights;
}

}  // namespace parcast::statistics
