// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much a measured time scatters: variance(t) = s0^2 + (s1 t)^2, a constant part (clock, interrupts) and a
// part in proportion (frequency, memory, neighbours), estimated from repeats and residuals. Its inverse is a
// regression's weight. docs/models/noise.md.

#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::statistics {

struct NoiseModel {
  double constant = 0;  // s0, in the unit of the values
  double relative = 0;  // s1

  double variance(double value) const { return constant * constant + relative * relative * value * value; }
};

/// One estimate of the variance at one value, with the degrees of freedom that it rests on.
struct Spread {
  double value = 0;
  double variance = 0;
  double degrees_of_freedom = 0;
};

/// Of repeats of the same measurement, at least two: their mean and their variance.
Spread spread_of_repeats(std::span<const double> repeats);

/// Of one residual of a fit: a single degree of freedom, freed of the part that the fit followed (leverage <
/// 1).
Spread spread_of_residual(double fitted, double residual, double leverage);

/// Both parts >= 0, fitted to the spreads by iterated weights; a spread far above the model's (the 99.9 %
/// point) counts only up to there, so a single disturbed group does not speak for all. Fails without a spread
/// of positive degrees of freedom. With fewer than three spreads all of the noise is taken as relative: two
/// parts could not be told apart.
Result<NoiseModel> estimate_noise(std::span<const Spread> spreads);

/// 1 / variance at each value; where the model has no noise at all, 1.
std::vector<double> noise_weights(const NoiseModel& noise, std::span<const double> values);

}  // namespace parcast::statistics
