// SPDX-License-Identifier: Apache-2.0
#pragma once
// The runs that may be proposed: values of each parameter, crossed.

#include <string>
#include <vector>

#include "plan/belief.h"

namespace parcast::plan {

struct Allowed {
  std::vector<double> values;  // ascending, each once
  bool derived = false;        // from the data; else given by the user
};

/// Number of values beyond the data to allow if the user names none: the limits of the machine are unknown.
inline constexpr int kStepsBeyond = 2;

/// Returns the measured values. If `asked` lies beyond them, adds up to kStepsBeyond values towards it, each
/// by the ratio of the two nearest ones; integers if all measured ones are. `measured` must not be empty.
Allowed derived_values(const std::vector<double>& measured, double asked);

/// Returns all combinations; the last parameter changes fastest.
std::vector<Point> crossed(const std::vector<Allowed>& allowed);

}  // namespace parcast::plan
