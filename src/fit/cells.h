// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups of points near each other. A fit relates the discrepancies of groups instead of points, so that its
// memory and time grow in proportion to the number of points (docs/models/fit.md, "Many points"). Up to
// kMostCells points each is a group of its own, and nothing is approximated.

#include <cstddef>
#include <span>
#include <vector>

#include "fit/correlation.h"

namespace parcast::fit {

inline constexpr std::size_t kMostCells = 512;      // the time of a fit grows with the cube of this number
inline constexpr std::size_t kMostSearched = 4096;  // points on which terms are chosen

/// At most kMostCells groups. The box around all points is halved across its widest argument, in doublings,
/// and then the widest box of all, until there are enough. Cells are numbered in the order of their first
/// points.
Cells cells_of(const Points& points, const Correlation& correlation);

/// Per point the two nearest by the sum of doublings over all arguments; of equally near ones those that come
/// first. Points are three at least.
std::vector<std::array<std::size_t, 2>> two_nearest(const Points& points, const Correlation& correlation);

/// At most `most` of `count` numbers from 0 on, ascending: one of each of `most` equal parts, by seeded
/// draws, so that no regular pattern of the points is hit.
std::vector<std::size_t> evenly_drawn(std::size_t count, std::size_t most);

/// The same at equal distances, with the first and the last; `most` is two at least.
std::vector<std::size_t> evenly_spaced(std::size_t count, std::size_t most);

}  // namespace parcast::fit
