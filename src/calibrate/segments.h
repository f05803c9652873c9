// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a cost changes its law with the size of the message. In each piece the cost is a straight line with
// coefficients
// >= 0, one line per group (the process counts); a further break is accepted when the best one improves the
// fit more than the best one does on data without it (sup-F, its distribution drawn by simulating the fit
// without the break). docs/models/communication.md.

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
  double noise_floor =
      0.005;  // relative: what a median does not resolve, added to each observation's own error
  double close_enough = 0.01;  // no further break once the residuals' root mean square is below
  std::uint64_t seed = 1;
};

/// First size of each piece but the first, ascending. Sizes may repeat over groups.
std::vector<double> find_breaks(std::span<const Observation> observations, const BreakOptions& options = {});

/// startup + per_byte x bytes by least squares of relative errors, both >= 0.
struct Line {
  double startup = 0, per_byte = 0;
  double startup_error = 0, per_byte_error = 0;  // standard errors
  double at(double bytes) const { return startup + per_byte * bytes; }
};
Line fit_line(std::span<const Observation> observations, double noise_floor = 0.005);

}  // namespace parcast::calibrate
