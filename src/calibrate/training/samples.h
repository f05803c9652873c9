// SPDX-License-Identifier: Apache-2.0
#pragma once
// Repeats of one measurement, and the criterion for enough repeats.

#include <algorithm>
#include <string>
#include <vector>

#include "calibrate/measurements.h"
#include "statistics/summary.h"

namespace parcast::training {

struct Estimate {
  double median = 0, standard_error = 0;
};

/// Returns the median, and the standard error that corresponds to its distribution-free 95 % interval. With
/// too few repeats for an interval the error is half the range. It is at least `clock`, the uncertainty of a
/// single sample.
inline Estimate estimate(const std::vector<double>& samples, double clock = 0) {
  if (samples.empty()) return {};
  Estimate out{statistics::median(samples), 0};
  if (const auto interval = statistics::median_interval(samples, 0.95)) {
    out.standard_error = (interval->interval.high - interval->interval.low) / (2 * 1.96);
  } else {
    out.standard_error = (statistics::quantile(samples, 1) - statistics::quantile(samples, 0)) / 2;
  }
  out.standard_error = std::max(out.standard_error, clock);
  return out;
}

/// Returns whether the median is precise enough: its 95 % interval is narrower than 3 % of it.
inline bool resolved(const std::vector<double>& samples) {
  if (samples.size() < 20) return false;
  const auto interval = statistics::median_interval(samples, 0.95);
  return interval && interval->interval.high - interval->interval.low < 0.03 * interval->interval.value;
}

constexpr double kFarOut = 3;  // interquartile ranges beyond a quartile (Tukey 1977)

inline calibrate::TablePoint point_of(std::string table, int processes, double bytes,
                                      const std::vector<double>& samples, double clock = 0) {
  const Estimate known = estimate(samples, clock);
  calibrate::TablePoint out{std::move(table),
                            processes,
                            bytes,
                            known.median,
                            known.standard_error,
                            static_cast<std::int64_t>(samples.size())};
  if (samples.empty()) return out;
  out.repeats = samples;
  out.low = statistics::quantile(samples, 0.25), out.high = statistics::quantile(samples, 0.75);
  const double fence = kFarOut * (out.high - out.low);
  out.outliers = std::count_if(samples.begin(), samples.end(),
                               [&](double s) { return s < out.low - fence || s > out.high + fence; });
  return out;
}

inline calibrate::Value value_of(std::string name, const std::vector<double>& samples) {
  const Estimate known = estimate(samples);
  return {std::move(name), known.median, known.standard_error, static_cast<std::int64_t>(samples.size()),
          samples};
}

}  // namespace parcast::training
