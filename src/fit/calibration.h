// SPDX-License-Identifier: Apache-2.0
#pragma once
// Learns from many kernels: a metric's usual noise, and the errors of intervals when the largest points are
// predicted from the others. Uses at most kSample kernels, evenly spaced, so that the cost does not grow with
// the file.

#include <vector>

#include "fit/model.h"

namespace parcast::fit {

inline constexpr std::size_t kSample = 96;

/// Calibrates the kernels of one metric.
Calibration calibrate(const std::vector<const Kernel*>& kernels, const Layouts& layouts, Statistic statistic,
                      unsigned threads);

/// Returns the weight of the last points' growth, one of 0, 1/4 .. 1, with the smallest median error. With
/// few checks it is shrunk towards `otherwise`.
double continued_weight(const std::vector<Check>& checks, double otherwise);

/// Returns the factor by which intervals reach their nominal coverage. With few scores it is shrunk towards
/// `otherwise`.
double width_of(std::vector<double> scores, double otherwise);

}  // namespace parcast::fit
