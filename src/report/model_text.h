// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about a program model: the tree of regions, loops and calls with the executions of each and how they
// were found, the computing between calls with its cost, and what the recordings do not determine.

#include <string>

#include "model/model.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the text. `all`: every node and segment, not only those that matter.
std::string model_text(const program::Model& model, const Style& style, bool all = false);

}  // namespace parcast::report
