// SPDX-License-Identifier: Apache-2.0
#pragma once
// Published measurements, read from a folder that is not part of this repository: which files, and which of their columns make
// curves to extrapolate.

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
  std::vector<std::string> groups;        // per kernel: the machine, application or region whose curves are alike
};

/// Those of the known files that the folder holds. Fails where it holds none, and where one cannot be read.
Result<std::vector<DataSet>> read_data_sets(const std::string& folder);

}  // namespace parcast::bench
