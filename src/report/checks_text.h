// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about how well a model reproduces its recordings.

#include <string>
#include <vector>

#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// Returns up to three lines; empty for an unchecked model. `all`: adds a row for each recording.
std::string checks_text(const program::Model& model, const Style& style, bool all);
/// Returns a warning if the model misses the recording with the largest error.
std::vector<predict::Warning> missed_warnings(const program::Model& model);
/// Returns one sentence, indented.
std::string checks_line(const predict::CheckSummary& checks, const Style& style);

}  // namespace parcast::report
