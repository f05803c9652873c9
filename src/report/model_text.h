// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program model for people: the tree of regions, loops and calls with how often each is executed and how
// that was found, the computing between calls with its cost, and what the recordings could not tell.

#include <string>

#include "model/model.h"
#include "report/style.h"

namespace parcast::report {

/// `all`: every node and segment, not only those that matter.
std::string model_text(const program::Model& model, const Style& style, bool all = false);

}  // namespace parcast::report
