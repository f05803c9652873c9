// SPDX-License-Identifier: Apache-2.0
#pragma once
// The older shape of Extra-P's JSON: parameters, call paths, metrics and points have numbers, and a
// measurement refers to these numbers. A measurement may come before the definitions that it refers to.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "interchange/measurement_collector.h"

namespace parcast::interchange {

class ExtrapIds {
 public:
  struct Measurement {
    std::int64_t callpath = 0, metric = 0, coordinate = 0;
    double value = 0;
  };
  using Names = std::map<std::int64_t, std::string>;
  using Coordinates = std::map<std::int64_t, std::map<std::int64_t, double>>;  // by parameter

  Names parameters, callpaths, metrics;
  Coordinates coordinates;
  std::vector<Measurement> measurements;

  bool empty() const {
    return parameters.empty() && callpaths.empty() && metrics.empty() && coordinates.empty() &&
           measurements.empty();
  }
  /// Adds the measurements to the collector and returns the names of the parameters in the order of their
  /// numbers. Errors name the number that is missing.
  Result<std::vector<std::string>> resolve(MeasurementCollector& collector, const std::string& where) const;
};

}  // namespace parcast::interchange
