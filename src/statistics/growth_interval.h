// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interval of a growth model's prediction without its median, which would cost half as much again.

#include <span>

#include "statistics/growth.h"
#include "statistics/student_mixture.h"

namespace parcast::statistics {

struct GrowthInterval {
  bool exists = false;  // some hypothesis is positive here
  double low = 0;
  double high = 0;
  double distance = 0;  // see GrowthPrediction
  bool unidentified = false;
};

/// Returns the interval of model.predict(point, level). `quantiles` may be shared by many points.
GrowthInterval interval_of(const GrowthModel& model, std::span<const double> point, double level,
                           const StudentQuantiles& quantiles = {});

}  // namespace parcast::statistics
