// SPDX-License-Identifier: Apache-2.0
#pragma once
// Published measurements, read from a folder that is not part of this repository. Names the files, and the
// columns of each that form curves to extrapolate.

#include <string>
#include <vector>

#include "base/result.h"
#include "fit/measurements.h"

namespace parcast::bench {

struct DataSet {
  std::string name;
  fit::Measurements measurements;
  std::vector<std::string> targets;       // metrics to predict; the others are counts
  std::vector<std::string> applications;  // per kernel, of whole applications' curves over p; else empty
  std::vector<std::string> groups;  // per kernel: the machine, application or region whose curves are alike
};

/// Returns those of the known files that exist in the folder. Fails if none exists, and if one cannot be
/// read.
Result<std::vector<DataSet>> read_data_sets(const std::string& folder);

}  // namespace parcast::bench
