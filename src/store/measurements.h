// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measured runs from a CSV file: which column means what, and runs at the same point gathered.

#include <string>
#include <vector>

#include "base/csv.h"
#include "store/instant.h"
#include "store/store.h"

namespace parcast::store {

struct MeasuredRun {
  Measurement measurement;
  std::string place;  // runs.csv:7
  int line = 0;
  std::optional<WrittenTime> time;  // nothing when the field is empty
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::vector<std::string> parameters;  // columns that are parameters of a stored prediction
  std::vector<std::string> ignored;     // columns that are not
};

/// `known` are the names of parameters of the stored predictions. A column that is nothing and nearly a
/// parameter that has no column is an error. Values are checked: p a whole number of at least 1, seconds > 0.
Result<MeasuredRuns> measured_runs(const Csv& csv, const std::vector<std::string>& known);

}  // namespace parcast::store
