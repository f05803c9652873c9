// SPDX-License-Identifier: Apache-2.0
#pragma once
// An experiment that runs, or has run.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/experiment.h"

namespace parcast::web {

struct Run {
  std::int64_t id = 0;
  std::string begun;  // "2026-11-28T16:01:11Z"
  Experiment experiment;
  std::vector<Point> points;
  Status status = Status::waiting;  // failed: no point has an answer
  std::string line;                 // of an ended one: its JSON
};

/// One line. The same function writes the history and what pages receive.
std::string to_json(const Run& run);
/// Returns nothing for a line that is no run. The run has no id.
std::optional<Run> run_from_json(std::string_view line);

}  // namespace parcast::web
