// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sentences about what is missing or damaged in a recording, the same in text and in JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::report {

struct Problem {
  std::optional<std::int32_t> rank;  // nothing: concerns the entire recording
  std::string text;                  // one line
};

std::vector<Problem> problems_of(const recording::Recording& recording);

}  // namespace parcast::report
