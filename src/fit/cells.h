// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups of neighbouring points. A fit relates the discrepancies of groups instead of points, so that its
// memory and time grow in proportion to the number of points (docs/models/fit.md, "Many points"). Up to
// kMostCells points, each point is its own group, and nothing is approximated.

#include <cstddef>
#include <span>
#include <vector>

#include "fit/correlation.h"

namespace parcast::fit {

inline constexpr std::size_t kMostCells = 512;      // the time of a fit grows with the cube of this number
inline constexpr std::size_t kMostSearched = 4096;  // points used to choose terms

/// Returns at most kMostCells groups. The box around all points is halved across its widest argument, in
/// doublings, and then the widest of all boxes, until there are enough. Cells are numbered in the order of
/// their first points.
Cells cells_of(const Points& points, const Correlation& correlation);

/// Returns the two nearest points of each point, by the sum of doublings over all arguments; in a tie the
/// first ones. There must be at least three points.
std::vector<std::array<std::size_t, 2>> two_nearest(const Points& points, const Correlation& correlation);

/// Returns at most `most` of `count` numbers from 0 on, ascending: one of each of `most` equal parts, by
/// seeded draws. So no regular pattern of the points can coincide with them.
std::vector<std::size_t> evenly_drawn(std::size_t count, std::size_t most);

/// Returns the same at equal distances, with the first and the last; `most` is at least two.
std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most);

}  // namespace parcast::fit
