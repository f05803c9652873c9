// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conditions on a process's place in the process grid: ranks that have a neighbour in a direction, those on a
// side, an edge or in a corner. docs/models/counts.md, "Relative counts".

#include <optional>
#include <string>
#include <vector>

#include "model/place.h"
#include "symbolic/expression.h"

namespace parcast::program {

struct GridCondition {
  symbolic::Expression expression;  // 1 where it holds, 0 elsewhere
  std::size_t parts = 0;            // conditions on single coordinates that are joined
};

/// Of conditions with as few parts, one in the dimensions that the process counts show: three where all are
/// cubes, two where all are squares. At 8 and 27 processes the last coordinate of a grid of two is that of a
/// grid of three; at 64 it is not. The condition with the fewest parts that holds at those places and no
/// others: for each dimension of a grid of one, two or three that the coordinate is the first, is not, is the
/// last, is not, or is neither. `holds`: one per place.
std::optional<GridCondition> grid_condition(const std::vector<Place>& places, const std::vector<bool>& holds,
                                            const std::vector<std::string>& parameters);

}  // namespace parcast::program
