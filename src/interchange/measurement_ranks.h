// SPDX-License-Identifier: Apache-2.0
#pragma once
// Turns values that were measured on each rank into two metrics per run: the mean over ranks, and the maximum
// over ranks, which is the time of the run.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fit/measurements.h"
#include "interchange/measurement_collector.h"

namespace parcast::interchange {

/// Returns the name of the maximum over ranks: "time" -> "time_max".
std::string name_of_largest(const std::string& metric);

/// Collects the values of ranks from CSV rows.
class RankValues {
 public:
  /// Kernels and point have the numbers of the collector. With an empty `run` the value belongs to the rank's
  /// next run at this point.
  void add(std::size_t mean, std::size_t largest, std::size_t point, const std::string& run,
           const std::string& rank, double value);
  /// Adds means and maxima to the collector, and warns where runs of one point have different numbers of
  /// ranks.
  void finish(MeasurementCollector& collector, const std::string& where) const;

 private:
  struct Run {
    double sum = 0, largest = 0;
    std::size_t ranks = 0;
  };
  // kernels and point -> place in runs_
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::size_t> order_;
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> places_;
  std::vector<std::map<std::string, std::size_t>> numbers_;  // numbers of the named runs, by place
  std::vector<std::map<std::string, std::size_t>> times_;    // how often each rank was seen, by place
  std::vector<std::vector<Run>> runs_;                       // by place
};

/// Takes the values of each point as those of the ranks of one run. Returns kernels of means, each followed
/// by a kernel of maxima. Fails if a metric already has the name of a maximum, and if the file already
/// distinguished ranks.
Result<fit::Measurements> over_ranks(fit::Measurements measured, const std::string& where);

}  // namespace parcast::interchange
