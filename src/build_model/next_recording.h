// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the one recording to make next: the one that would resolve most of the ambiguous counts.
// docs/models/counts.md, "The next recording".

#include <optional>
#include <string>
#include <vector>

#include "model/binding.h"
#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

struct NextRecording {
  Point point;
  double share = 0;  // share of the recorded time that depends on ambiguous counts
  std::vector<std::string>
      command;  // of the program with these parameters; empty: they were not found among its arguments
};

/// Returns a small run at new values of all parameters that varied. Empty if few counts are ambiguous, or if
/// nothing varied.
std::optional<NextRecording> next_recording(const Model& model,
                                            const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
