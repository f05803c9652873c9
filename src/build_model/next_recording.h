// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one recording to make next: where most of what counts leave open would show. docs/models/counts.md,
// "The next recording".

#include <optional>
#include <string>
#include <vector>

#include "model/binding.h"
#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

struct NextRecording {
  Point point;
  double share = 0;  // of the recorded time that rests on ambiguous counts
  std::vector<std::string>
      command;  // of the program with these parameters; empty: its arguments do not show them
};

/// A small run at new values of all parameters that varied. Nothing where few counts are ambiguous, or
/// nothing varied.
std::optional<NextRecording> next_recording(const Model& model,
                                            const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
