// SPDX-License-Identifier: Apache-2.0
#pragma once
// What many kernels tell of each other: a metric's usual noise, and how far intervals miss when the largest points are predicted
// from the others. Both rest on at most kSample kernels, taken evenly, so that their cost does not grow with a file.

#include <vector>

#include "fit/model.h"

namespace parcast::fit {

inline constexpr std::size_t kSample = 96;

/// Of the kernels of one metric.
Calibration calibrate(const std::vector<const Kernel*>& kernels, const Layouts& layouts, Statistic statistic, unsigned threads);

/// The weight of the last points' growth, of 0, 1/4 .. 1, with the smallest median error, drawn towards `otherwise` as long as
/// checks are few.
double continued_weight(const std::vector<Check>& checks, double otherwise);

/// The factor for intervals that would have held as often as they should, drawn towards `otherwise` as long as scores are few.
double width_of(std::vector<double> scores, double otherwise);

}  // namespace parcast::fit
