// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast explain --why`: derives the chain of causes of one run from measured runs.

#include <vector>

#include "cli/verb.h"

namespace parcast::cli {

/// Returns the flags --why, --candidate, --view and -o.
const std::vector<Flag>& why_flags();

int run_why(const Invocation& invocation);

}  // namespace parcast::cli
