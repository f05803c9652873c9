// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast explain --why`: from measured runs to the chain of reasons behind one of them.

#include <vector>

#include "cli/verb.h"

namespace parcast::cli {

/// --why, --candidate, --view, -o
const std::vector<Flag>& why_flags();

int run_why(const Invocation& invocation);

}  // namespace parcast::cli
