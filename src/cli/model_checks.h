// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares a new model with its recordings before the model is written.

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "build_model/recorded_runs.h"
#include "cli/verb.h"
#include "model/model.h"

namespace parcast::cli {

/// Returns the flags --machine and --quick.
const std::vector<Flag>& check_flags_of_model();

/// Sets model.checks. Recordings that cannot be compared become warnings. Fails if -m cannot be read. The
/// machine is the one that -m names, else here.machine.toml if it exists. `show` is called with the completed
/// fraction and a description of the current step.
using ShowProgress = std::function<void(double, std::string_view)>;
Result<void> check_model(const Invocation& invocation, program::RecordedRuns& recordings,
                         program::Model& model, const ShowProgress& show);

}  // namespace parcast::cli
