// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast explain --data`: lists the arrays of a compiled program, from its recordings.

#include "cli/verb.h"

namespace parcast::cli {

int run_data(const Invocation& invocation);

}  // namespace parcast::cli
