// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares a predicted run with a measured one, class by class (recording/event_classes.h), as text and as
// JSON.

#include <string>
#include <vector>

#include "recording/event_classes.h"
#include "report/style.h"

namespace parcast::report {

struct ComparedRun {
  std::string path, program;
  std::int32_t processes = 0;
  double seconds = 0;  // of the longest rank
};

struct Comparison {
  ComparedRun predicted, measured;
  std::vector<recording::ClassPair> classes;  // a: predicted, b: measured
};

std::string comparison_text(const Comparison& comparison, const Style& style, bool all);
/// Returns the comparison as parcast.comparison/1.
std::string comparison_to_json(const Comparison& comparison);

}  // namespace parcast::report
