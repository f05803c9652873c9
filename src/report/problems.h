// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is missing or damaged in a recording, a sentence each: the same for people and in JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::report {

struct Problem {
  std::optional<std::int32_t> rank;  // nothing: of the recording as a whole
  std::string text;                  // one line
};

std::vector<Problem> problems_of(const recording::Recording& recording);

}  // namespace parcast::report
