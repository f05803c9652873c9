// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast explain --why`: derives the chain of causes of one run from measured runs.

#include <vector>

#include "cli/inputs.h"
#include "cli/verb.h"
#include "report/causes_text.h"

namespace parcast::cli {

/// Returns the flags --why, --candidate, --view and -o.
const std::vector<Flag>& why_flags();

/// Returns the chain of causes of the run that -p and -s choose; of several the longest on the most
/// processes.
Result<report::Reasons> reasons_of(causes::Runs runs, const Asked& asked);

int run_why(const Invocation& invocation);

}  // namespace parcast::cli
