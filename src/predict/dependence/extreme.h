// SPDX-License-Identifier: Apache-2.0
#pragma once
// Delay of the last of several ranks relative to the average one. The time of each rank has the same mean and
// a normal spread. The closed form can be part of an equation (docs/models/dependence.md).

#include <cmath>

namespace parcast::dependence {

/// Coefficients of the closed form of the expected largest of p standard normal numbers, with L = log2 p:
/// e(p) = L (a + b L) / (1 + c sqrt(L) + d L + f L sqrt(L)), within 0.02 % of the integral for p = 1 .. 1e9.
struct ExtremeCoefficients {
  double a = 0.7081472516464744, b = 0.2702789085971305;
  double c = 0.3852112476046778, d = 0.12703432458370031, f = 0.22176853634091562;
};

inline double expected_largest_normal(double count) {
  constexpr ExtremeCoefficients k;
  const double l = std::log2(count);
  return l * (k.a + k.b * l) / (1 + k.c * std::sqrt(l) + k.d * l + k.f * l * std::sqrt(l));
}

/// Returns the delay per step, in standard deviations, of a chain of neighbours. Each waits for its two
/// neighbours in every one of `dimensions` directions. The value is the limit for many ranks (found by
/// sampling, within 1 %).
constexpr double neighbour_delay_limit(int dimensions) {
  return dimensions <= 1 ? 1.145 : dimensions == 2 ? 1.56 : 1.80;
}

/// Returns the delay for any number of ranks; for few ranks the largest of all is the bound. Within 15 % of
/// sampling on rings and tori of any size.
inline double expected_neighbour_delay(double count, int dimensions) {
  return std::fmin(expected_largest_normal(count), neighbour_delay_limit(dimensions));
}

/// The same delay when the ranks take turns as the root for which all wait: 0.742 - 1.2 / p^2, within 5 % of
/// sampling.
constexpr double kRootInTurnDelay = 0.742, kRootInTurnFewer = 1.2;

}  // namespace parcast::dependence
