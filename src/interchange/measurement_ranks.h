// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that were measured on each rank become two metrics, run by run: the mean over ranks, and the largest of any rank, which is
// what a run takes.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fit/measurements.h"
#include "interchange/measurement_collector.h"

namespace parcast::interchange {

/// "time" -> "time_max".
std::string name_of_largest(const std::string& metric);

/// Gathers values of ranks of CSV rows.
class RankValues {
 public:
  /// Kernels and point as the collector numbers them. An empty `run` is the rank's next one at this point.
  void add(std::size_t mean, std::size_t largest, std::size_t point, const std::string& run, const std::string& rank, double value);
  /// Hands means and largest values to the collector, and says where runs of one point have different numbers of ranks.
  void finish(MeasurementCollector& collector, const std::string& where) const;

 private:
  struct Run {
    double sum = 0, largest = 0;
    std::size_t ranks = 0;
  };
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::size_t> order_;  // kernels and point -> place in runs_
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> places_;
  std::vector<std::map<std::string, std::size_t>> numbers_;        // of told runs, by place
  std::vector<std::map<std::string, std::size_t>> times_;          // a rank was seen, by place
  std::vector<std::vector<Run>> runs_;                             // by place
};

/// The values of every point are those of one run's ranks: kernels of their means, each followed by one of their largest. Fails
/// where a metric has the name of a largest one, and where ranks were told apart before.
Result<fit::Measurements> over_ranks(fit::Measurements measured, const std::string& where);

}  // namespace parcast::interchange
