// SPDX-License-Identifier: Apache-2.0
#pragma once
// Summarizes a sample of measurements in a few numbers, robust ones first. A median and its distribution-free
// interval are preferred to the mean, which follows a single disturbed repeat.

#include <cstddef>
#include <span>

#include "base/result.h"

namespace parcast::statistics {

/// A value with bounds that enclose it at some level.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double standard_deviation = 0;  // of the sample, divisor count - 1; 0 for one value
  double minimum = 0;
  double maximum = 0;
  double median = 0;
  // unscaled; times kNormalConsistency it estimates the sigma of a normal distribution
  double median_absolute_deviation = 0;
};

/// 1 / (the 3/4 quantile of the standard normal): converts a median absolute deviation to a standard
/// deviation.
inline constexpr double kNormalConsistency = 1.482602218505602;

/// The sample must not be empty, and its values must be finite.
struct Moments {
  double mean = 0;
  double standard_deviation = 0;  // as in Summary
};
Moments moments(std::span<const double> sample);

/// Fails on an empty sample and on values that are not finite.
Result<Summary> summarize(std::span<const double> sample);

/// Returns the q-quantile, 0 <= q <= 1, by linear interpolation between order statistics at (count - 1) q + 1
/// (Hyndman and Fan 1996, type 7). The sample must not be empty and need not be sorted.
double quantile(std::span<const double> sample, double q);
double median(std::span<const double> sample);

/// Returns the mean after removing floor(fraction x count) values from each end, 0 <= fraction < 1/2.
double trimmed_mean(std::span<const double> sample, double fraction);

/// The median between the two order statistics that enclose the population's median with at least `level`.
/// The level follows from the binomial distribution of the number of values below it and is exact for any
/// continuous population. `achieved` is the actual level. Fails if the sample is too small for the level: the
/// widest pair encloses with 1 - 2^(1-n).
struct MedianInterval {
  Interval interval;
  double achieved = 0;
};
Result<MedianInterval> median_interval(std::span<const double> sample, double level);

}  // namespace parcast::statistics
