// SPDX-License-Identifier: Apache-2.0
#pragma once
// All steps from recordings to a model: parameters from the command line, the order of operations, counts and
// costs.

#include <functional>
#include <string_view>

#include "build_model/recorded_runs.h"

namespace parcast::program {

/// Receives the completed fraction of the work and its current step.
using StepProgress = std::function<void(double done, std::string_view step)>;

/// Returns the model with its structure and all notices. `take_words`: numbers of the command line in which
/// runs differ become parameters.
Result<Model> whole_model(RecordedRuns& runs, bool take_words, const StepProgress& show);

}  // namespace parcast::program
