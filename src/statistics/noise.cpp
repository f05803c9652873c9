// SPDX-License-Identifier: Apache-2.0
#include "statistics/noise.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "statistics/distribution.h"
#include "statistics/least_squares.h"
#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

// The limit of a chi-square variable per degree of freedom, and what the mean becomes when larger ones count
// as it.
struct Clip {
  double limit = 0;
  double mean = 0;
};

Clip clip_for(double degrees) {
  const double c = chi_square_quantile(0.999, degrees);
  const double mean = degrees * chi_square_probability(c, degrees + 2) + c * 0.001;
  return {c / degrees, mean / degrees};
}

// A spread's variance with the model's as yardstick: clipped, and made unbiased for normal errors again.
double clipped(const Spread& s, double modelled) {
  const Clip clip = clip_for(s.degrees_of_freedom);
  return std::min(s.variance, clip.limit * modelled) / clip.mean;
}

double relative_only(std::span<const Spread> spreads, const NoiseModel& now) {
  double sum = 0;
  double degrees = 0;
  for (const Spread& s : spreads) {
    const double square = s.value * s.value;
    sum +=
        s.degrees_of_freedom * (now.relative > 0 ? clipped(s, now.variance(s.value)) : s.variance) / square;
    degrees += s.degrees_of_freedom;
  }
  return std::sqrt(sum / degrees);
}

// One step of the gamma regression with identity link: the variance of an estimated variance is 2 var^2 /
// degrees.
NoiseModel step(std::span<const Spread> spreads, const NoiseModel& now) {
  Matrix design(spreads.size(), 2);
  std::vector<double> response;
  LeastSquaresOptions options;
  for (std::size_t i = 0; i < spreads.size(); ++i) {
    const double modelled = now.variance(spreads[i].value);
    // Rows in units of what is expected of them: weights then stay near one whatever the unit of time.
    design(i, 0) = 1 / modelled;
    design(i, 1) = spreads[i].value * spreads[i].value / modelled;
    response.push_back(clipped(spreads[i], modelled) / modelled);
    options.weights.push_back(spreads[i].degrees_of_freedom);
  }
  const auto fit = fit_nonnegative(design, response, options);
  if (!fit) return now;
  return {std::sqrt(fit->coefficients[0]), std::sqrt(fit->coefficients[1])};
}

bool settled(const NoiseModel& a, const NoiseModel& b) {
  constexpr double kTolerance = 1e-10;
  return std::abs(a.constant - b.constant) <= kTolerance * std::max(a.constant, b.constant) &&
         std::abs(a.relative - b.relative) <= kTolerance * std::max(a.relative, b.relative);
}

}  // namespace

Spread spread_of_repeats(std::span<const double> repeats) {
  assert(repeats.size() >= 2);
  const auto summary = summarize(repeats);
  assert(summary);
  return {summary->mean, summary->standard_deviation * summary->standard_deviation,
          static_cast<double>(repeats.size() - 1)};
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
  // The median ratio is a start that a disturbed group cannot spoil.
  std::vector<double> ratios;
  for (const Spread& s : spreads) ratios.push_back(s.variance / (s.value * s.value));
  NoiseModel now{0,
                 std::sqrt(std::max(median(ratios), 1e-6 * *std::max_element(ratios.begin(), ratios.end())))};
  for (int round = 0; round < 100; ++round) {
    const NoiseModel next =
        spreads.size() < 3 ? NoiseModel{0, relative_only(spreads, now)} : step(spreads, now);
    const bool done = settled(now, next);
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
