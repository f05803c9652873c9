// SPDX-License-Identifier: Apache-2.0
#include "report/contours.h"

#include <algorithm>
#include <cmath>

namespace parcast::report::contours {
namespace {

constexpr std::size_t kFewest = 4, kMost = 12;
constexpr double kLeastSpread = 1e-6;  // relative; below it all heights count as equal

/// Returns where an edge crosses the height; one end is below it and one above.
Spot crossing(const Spot& a, const Spot& b, double height) {
  const double part = (height - a.height) / (b.height - a.height);
  return {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y), height};
}

std::array<Polygon, 4> triangles(const Cell& cell) {
  Spot middle;
  for (const Spot& corner : cell)
    middle.x += corner.x / 4, middle.y += corner.y / 4, middle.height += corner.height / 4;
  std::array<Polygon, 4> out;
  for (std::size_t i = 0; i < cell.size(); ++i) out[i] = {cell[i], cell[(i + 1) % cell.size()], middle};
  return out;
}

enum class Keep { above, below };

/// Returns the part of a polygon on one side of the height.
Polygon clipped(const Polygon& polygon, double height, Keep keep) {
  Polygon out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Spot &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    if (keep == Keep::above ? a.height >= height : a.height <= height) out.push_back(a);
    if ((a.height < height && b.height > height) || (a.height > height && b.height < height))
      out.push_back(crossing(a, b, height));
  }
  return out;
}

/// Returns the double nearest to step 10^decade.
double decimal(double step, int decade) {
  return decade < 0 ? step / std::pow(10.0, -decade) : step * std::pow(10.0, decade);
}

std::vector<double> in_decades(double low, double high, const std::vector<double>& steps, int every) {
  std::vector<double> out;
  const int last = static_cast<int>(std::floor(std::log10(high)));
  for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= last; ++decade)
    for (const double step : steps)
      if (const double level = decimal(step, decade); decade % every == 0 && level > low && level < high)
        out.push_back(level);
  return out;
}

/// Uses the largest step that gives enough levels.
std::vector<double> in_equal_steps(double low, double high) {
  for (int decade = static_cast<int>(std::ceil(std::log10(high - low)));; --decade)
    for (const double step : {5.0, 2.0, 1.0}) {
      std::vector<double> out;
      for (double k = std::floor(low / decimal(step, decade)); decimal(k * step, decade) < high; ++k)
        if (const double level = decimal(k * step, decade); level > low) out.push_back(level);
      if (out.size() >= kFewest) return out;
    }
}

}  // namespace

std::vector<Segment> line_in(const Cell& cell, double height) {
  const auto above = [&](const Spot& spot) { return spot.height >= height; };
  std::vector<Segment> out;
  if (std::all_of(cell.begin(), cell.end(), above) || std::none_of(cell.begin(), cell.end(), above))
    return out;
  for (const Polygon& triangle : triangles(cell)) {
    std::vector<Spot> ends;
    for (std::size_t i = 0; i < triangle.size(); ++i)
      if (const Spot& a = triangle[i], &b = triangle[(i + 1) % triangle.size()]; above(a) != above(b))
        ends.push_back(crossing(a, b, height));
    if (ends.size() == 2 && (ends[0].x != ends[1].x || ends[0].y != ends[1].y))
      out.emplace_back(ends[0], ends[1]);
  }
  return out;
}

std::vector<Polygon> band_in(const Cell& cell, double from, double to) {
  const auto [lowest, highest] = std::minmax_element(
      cell.begin(), cell.end(), [](const Spot& a, const Spot& b) { return a.height < b.height; });
  if (highest->height < from || lowest->height > to) return {};
  if (lowest->height >= from && highest->height <= to) return {Polygon(cell.begin(), cell.end())};
  std::vector<Polygon> out;
  for (const Polygon& triangle : triangles(cell))
    if (Polygon part = clipped(clipped(triangle, from, Keep::above), to, Keep::below); part.size() > 2)
      out.push_back(std::move(part));
  return out;
}

std::vector<double> round_levels(double low, double high) {
  if (!(low > 0) || !std::isfinite(high) || !(high > low * (1 + kLeastSpread))) return {};
  const std::vector<double> out = in_decades(low, high, {1, 2, 5}, 1);
  if (out.size() < kFewest) return in_equal_steps(low, high);
  if (out.size() <= kMost) return out;
  const std::size_t powers = in_decades(low, high, {1}, 1).size();
  return in_decades(low, high, {1}, static_cast<int>((powers + kMost - 1) / kMost));
}

}  // namespace parcast::report::contours
