// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the message sizes at which a cost changes its law. In each piece the cost is a straight line with
// coefficients >= 0, one line per group (process count). A further break is accepted if the best one improves
// the fit more than the best one does on data without this break. The statistic is sup-F; its distribution
// comes from simulations of the fit without the break. docs/models/communication.md.

#include <cstdint>
#include <span>
#include <vector>

namespace parcast::calibrate {

struct Observation {
  double bytes = 0;
  double seconds = 0;         // > 0
  double relative_error = 0;  // standard error / seconds
  std::int32_t group = 0;
  double drift = 0;  // relative standard error that all observations of a line share
};

struct BreakOptions {
  double significance = 0.01;
  int fewest_sizes = 3;  // per piece
  int most_breaks = 6;
  int draws = 199;
  double noise_floor = 0.005;  // relative: resolution of a median, added to the error of each observation
  double close_enough = 0.01;  // stop when the root mean square of the residuals is below this
  std::uint64_t seed = 1;
};

/// Returns the first size of each piece except the first piece, ascending. Sizes may repeat over groups.
std::vector<double> find_breaks(std::span<const Observation> observations, const BreakOptions& options = {});

/// The line startup + per_byte x bytes, fitted by least squares of relative errors with both coefficients >=
/// 0.
struct Line {
  double startup = 0, per_byte = 0;
  double startup_error = 0, per_byte_error = 0;  // standard errors
  double at(double bytes) const { return startup + per_byte * bytes; }
};
Line fit_line(std::span<const Observation> observations, double noise_floor = 0.005);

}  // namespace parcast::calibrate
