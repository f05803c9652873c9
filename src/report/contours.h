// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines and bands of equal height over a grid. A cell between four points is split into four triangles around
// its centre, whose height is the mean of the four. In a triangle the height is linear, so it is linear along
// the edges of the cell too. For interpolation in logarithms, the caller passes logarithms.

#include <array>
#include <utility>
#include <vector>

namespace parcast::report::contours {

struct Spot {
  double x = 0, y = 0, height = 0;
};
using Cell = std::array<Spot, 4>;  // the corners, in order around the cell
using Segment = std::pair<Spot, Spot>;
using Polygon = std::vector<Spot>;

/// Returns the contour line of that height in the cell: a segment for each triangle that it crosses.
std::vector<Segment> line_in(const Cell& cell, double height);
/// Returns the part of the cell with heights from .. to: all of it, a polygon for each triangle, or nothing.
std::vector<Polygon> band_in(const Cell& cell, double from, double to);

/// Returns round numbers strictly between two positive ones, ascending: 1, 2 and 5 times powers of ten. If
/// there are more than twelve, only powers of ten, or every n-th of them. If there are fewer than four, equal
/// steps of 1, 2 or 5 times a power of ten. Returns none if the bounds differ by less than a millionth.
std::vector<double> round_levels(double low, double high);

}  // namespace parcast::report::contours
