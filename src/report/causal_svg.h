// SPDX-License-Identifier: Apache-2.0
#pragma once
// Draws the causal graph: a column for each layer, boxes, and arrows from causes to effects.

#include <string>

#include "causes/graph.h"

namespace parcast::report {

std::string causal_svg(const causes::Graph& graph);

}  // namespace parcast::report
