// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which runs may be proposed: values of each parameter, crossed.

#include <string>
#include <vector>

#include "plan/belief.h"

namespace parcast::plan {

struct Allowed {
  std::vector<double> values;  // ascending, each once
  bool derived = false;        // from the data; not given by a person
};

/// How many values beyond the data are taken where nobody says which are allowed: what the machine admits is not known.
inline constexpr int kStepsBeyond = 2;

/// The measured values, and where `asked` lies beyond them up to kStepsBeyond more on the way there, each by the ratio of the two
/// nearest; whole where all measured ones are. `measured` is not empty.
Allowed derived_values(const std::vector<double>& measured, double asked);

/// All combinations, the last parameter fastest.
std::vector<Point> crossed(const std::vector<Allowed>& allowed);

}  // namespace parcast::plan
