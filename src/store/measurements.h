// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads measured runs from a CSV file: determines the columns, and numbers runs at the same point.

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
  std::optional<WrittenTime> time;  // empty if the field is empty
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::vector<std::string> parameters;  // columns that are parameters of stored predictions
  std::vector<std::string> ignored;     // columns that are not
};

/// `known` has the parameter names of the stored predictions. Fails if the name of an unknown column
/// resembles a parameter without a column. Values are checked: p is an integer of at least 1, seconds > 0.
Result<MeasuredRuns> measured_runs(const Csv& csv, const std::vector<std::string>& known);

}  // namespace parcast::store
