// SPDX-License-Identifier: Apache-2.0
#pragma once
// The next run of a study: what narrows the asked answer most for its cost, by the times of the runs so far.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/journal.h"

namespace parcast::study {

struct NextAsked {
  std::vector<std::string> names;  // of the parameters, p first if it is one
  Values ask;
  double level = 0.9;
  int most_processes = 1;              // of a run
  std::optional<double> seconds_left;  // that a run may take; nothing: any
  std::vector<Values> failed;          // are not proposed again
};

struct NextRun {
  Values values;
  int repeat = 1;
  double seconds = 0;   // predicted
  double narrower = 0;  // by this fraction, as expected
};

/// Returns the next run; nothing if no allowed run narrows the answer enough. Fails if the growth of
/// the time does not follow from the runs. `runs` are those that the model is made of; times of crowded ones
/// are not used.
Result<std::optional<NextRun>> next_run(const std::vector<Run>& runs, const NextAsked& asked);

}  // namespace parcast::study
