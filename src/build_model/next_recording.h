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
  double share = 0;  // of the recorded time that rests on ambiguous counts
  // The program's command line with these parameters; empty if its arguments do not show them.
  std::vector<std::string> command;
};

/// Shares of the recorded time, by segment and by node of the model. A call's share is the time in it.
struct RecordedShares {
  std::vector<double> segments, nodes;
};

/// Returns the shares that a model keeps: those of its segments in the computing. Nodes have none.
RecordedShares shares_of(const Model& model);

/// Returns a small run at new values of all parameters that varied; nothing if few counts are ambiguous, or
/// if nothing varied.
std::optional<NextRecording> next_recording(const Model& model, const RecordedShares& shares,
                                            const std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
