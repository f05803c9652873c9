// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conditions on a process's place in the process grid: ranks that have a neighbour in a direction, or lie on
// a side, on an edge or in a corner. docs/models/counts.md, "Relative counts".

#include <optional>
#include <string>
#include <vector>

#include "model/place.h"
#include "symbolic/expression.h"

namespace parcast::program {

struct GridCondition {
  symbolic::Expression expression;  // 1 where it holds, 0 elsewhere
  std::size_t parts = 0;            // number of conditions on single coordinates that are combined
};

/// Returns the condition with the fewest parts that holds at exactly those places. The condition considers
/// grids of one, two or three dimensions. A part states that a coordinate is the first, is not, is the last,
/// is not, or is neither. `holds`: one per place.
///
/// Among conditions with equally few parts, one in the dimensions shown by the process counts is preferred:
/// three if all counts are cubes, two if all are squares. At 8 and 27 processes, the last coordinate of a
/// grid of two dimensions is that of a grid of three; at 64 it is not.
std::optional<GridCondition> grid_condition(const std::vector<Place>& places, const std::vector<bool>& holds,
                                            const std::vector<std::string>& parameters);

}  // namespace parcast::program
