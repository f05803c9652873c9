// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines and bands of equal height over a grid. A cell between four places is split into four triangles around its middle, whose height is the mean
// of the four; in a triangle the height is linear, so that it is linear along the edges of the cell too. Who wants that in logarithms gives them.

#include <array>
#include <utility>
#include <vector>

namespace parcast::report::contours {

struct Spot {
  double x = 0, y = 0, height = 0;
};
using Cell = std::array<Spot, 4>;  // around the cell
using Segment = std::pair<Spot, Spot>;
using Polygon = std::vector<Spot>;

/// Where the cell is as high as that: a piece for each triangle in which some is higher and some lower.
std::vector<Segment> line_in(const Cell& cell, double height);
/// What of the cell is as high as from .. to: all of it, a piece for each triangle, or nothing.
std::vector<Polygon> band_in(const Cell& cell, double from, double to);

/// Round numbers between two that are above 0, ascending, without these: 1, 2 and 5 times powers of ten; where those are more than twelve, powers of
/// ten, or every so many-th; where they are fewer than four, equal steps of 1, 2 or 5 times a power of ten. None between numbers that differ by less
/// than a millionth.
std::vector<double> round_levels(double low, double high);

}  // namespace parcast::report::contours
