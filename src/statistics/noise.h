// SPDX-License-Identifier: Apache-2.0
#pragma once
// Model of the noise of a measured time: variance(t) = s0^2 + (s1 t)^2. It has a constant part (clock,
// interrupts) and a proportional part (frequency, memory, neighbours), estimated from repeats and residuals.
// Its inverse is the weight in a regression. docs/models/noise.md.

#include <span>
#include <vector>

#include "base/result.h"

namespace parcast::statistics {

struct NoiseModel {
  double constant = 0;  // s0, in the unit of the values
  double relative = 0;  // s1

  double variance(double value) const { return constant * constant + relative * relative * value * value; }
};

/// One estimate of the variance at one value, with its degrees of freedom.
struct Spread {
  double value = 0;
  double variance = 0;
  double degrees_of_freedom = 0;
};

/// Returns mean and variance of at least two repeats of one measurement.
Spread spread_of_repeats(std::span<const double> repeats);

/// Returns the spread of one residual of a fit: one degree of freedom, corrected for the leverage (< 1).
Spread spread_of_residual(double fitted, double residual, double leverage);

/// Fits both parts, >= 0, to the spreads by iterated weights. A spread far above the model's is clipped at
/// the 99.9 % point, so that one disturbed group does not dominate. Fails without a spread of positive
/// degrees of freedom. With fewer than three spreads all noise is taken as relative, since the two parts
/// could not be separated.
Result<NoiseModel> estimate_noise(std::span<const Spread> spreads);

/// Returns 1 / variance at each value; 1 if the model has no noise at all.
std::vector<double> noise_weights(const NoiseModel& noise, std::span<const double> values);

}  // namespace parcast::statistics
