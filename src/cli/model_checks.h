// SPDX-License-Identifier: Apache-2.0
#pragma once
// A new model is compared with its recordings before it is written.

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "build_model/recorded_runs.h"
#include "cli/verb.h"
#include "model/model.h"

namespace parcast::cli {

/// --machine and --quick.
const std::vector<Flag>& check_flags_of_model();

/// Sets model.checks; what cannot be compared is a warning. An error where -m cannot be read. The machine is the one that -m names, else here.machine.toml where there is one.
/// `show` is called with the part that is done and what is being done.
using ShowProgress = std::function<void(double, std::string_view)>;
Result<void> check_model(const Invocation& invocation, program::RecordedRuns& recordings, program::Model& model, const ShowProgress& show);

}  // namespace parcast::cli
