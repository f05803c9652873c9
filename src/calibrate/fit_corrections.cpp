// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_corrections.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/fit_pattern.h"
#include "machine/pattern_cost.h"

namespace parcast::calibrate {
namespace {

using machine::CostPoint;
using machine::PatternCost;

constexpr double kTolerance = 0.01;

struct Knot {
  PatternCost::Correction correction;
  double whole = 0;  // seconds of the pieces plus the correction
  bool negligible() const { return std::fabs(correction.seconds) <= kTolerance * whole; }
};

/// Returns the distance of the measurement from the pieces, shrunk towards 0 as far as the point's own error
/// explains it (positive part of James and Stein 1961).
double shrunk(double distance, double error) {
  return distance == 0 ? 0 : distance * std::max(0.0, 1 - std::pow(error / distance, 2));
}

using Points = std::vector<const CostPoint*>;  // points of one process count, by bytes

/// Returns the points on several processes, by processes, then bytes; of points at the same place only the
/// first.
std::map<std::int32_t, Points> by_count(const PatternCost& pattern) {
  std::map<std::int32_t, Points> out;
  for (const CostPoint& point : pattern.points)
    if (point.processes >= 2 && point.seconds > 0) out[point.processes].push_back(&point);
  for (auto& [processes, points] : out) {
    std::ranges::stable_sort(points, {}, &CostPoint::bytes);
    points.erase(std::ranges::unique(points, {}, &CostPoint::bytes).begin(), points.end());
  }
  return out;
}

/// Returns a knot for each point. Where pieces meet between two points, two more knots a byte apart let the
/// cost jump. The jump stays between the times of the two points. A call of no bytes is treated separately:
/// from one byte on the correction is that of the smallest message.
std::vector<Knot> knots_at(const PatternCost& pattern, const Points& points) {
  std::vector<Knot> out;
  for (const CostPoint* point : points) {
    const double pieces = machine::piece_seconds(pattern, point->processes, point->bytes);
    const double more = shrunk(point->seconds - pieces, relative_error(*point) * point->seconds);
    const Knot next{{point->processes, point->bytes, more}, pieces + more};
    if (!out.empty() && out.back().correction.bytes == 0 && point->bytes > 1) {
      const double at_one = machine::piece_seconds(pattern, point->processes, 1);
      out.push_back({{point->processes, 1, std::max(more, -at_one)}, std::max(at_one + more, 0.0)});
    }
    if (!out.empty()) {
      const auto [least, most] = std::minmax({out.back().whole, next.whole});
      for (const PatternCost::Piece& piece : pattern.pieces)
        for (const double bytes : {piece.from_bytes - 1, piece.from_bytes}) {
          if (bytes <= out.back().correction.bytes || bytes >= point->bytes) continue;
          const double by_piece = machine::piece_seconds(pattern, point->processes, bytes);
          const double beside = (bytes < piece.from_bytes ? out.back() : next).correction.seconds;
          const double whole = std::clamp(by_piece + beside, least, most);
          out.push_back({{point->processes, bytes, whole - by_piece}, whole});
        }
    }
    out.push_back(next);
  }
  return out;
}

/// Keeps the ends of one process count, and the knots between them that the line through kept neighbours
/// misses (Douglas and Peucker 1973).
void keep_needed(const std::vector<Knot>& knots, std::size_t first, std::size_t last,
                 std::vector<char>& kept) {
  kept[first] = kept[last] = 1;
  PatternCost line;
  line.corrections = {knots[first].correction, knots[last].correction};
  std::size_t worst = first;
  double most = kTolerance;
  for (std::size_t i = first + 1; i < last; ++i) {
    const auto& knot = knots[i].correction;
    const double off =
        std::fabs(machine::correction_at(line, knot.processes, knot.bytes) - knot.seconds) / knots[i].whole;
    if (off > most) most = off, worst = i;
  }
  if (worst == first) return;
  keep_needed(knots, first, worst, kept);
  keep_needed(knots, worst, last, kept);
}

}  // namespace

void fit_corrections(PatternCost& pattern) {
  pattern.corrections.clear();
  std::vector<std::vector<Knot>> all;
  for (const auto& [processes, points] : by_count(pattern)) all.push_back(knots_at(pattern, points));
  if (std::ranges::all_of(all,
                          [](const auto& knots) { return std::ranges::all_of(knots, &Knot::negligible); }))
    return;
  for (const std::vector<Knot>& knots : all) {
    std::vector<char> kept(knots.size(), 0);
    keep_needed(knots, 0, knots.size() - 1, kept);
    for (std::size_t i = 0; i < knots.size(); ++i)
      if (kept[i]) pattern.corrections.push_back(knots[i].correction);
  }
}

std::vector<LeftOut> left_out(const PatternCost& pattern) {
  const auto counts = by_count(pattern);
  std::vector<LeftOut> out;
  PatternCost others = pattern;
  const auto correct_by = [&](const Points& points) {
    for (const Knot& knot : knots_at(pattern, points)) others.corrections.push_back(knot.correction);
  };
  for (const CostPoint& point : pattern.points) {
    if (point.processes < 2 || !(point.seconds > 0)) continue;
    others.corrections.clear();
    Points rest = counts.at(point.processes);
    std::erase_if(rest, [&](const CostPoint* other) { return other->bytes == point.bytes; });
    correct_by(rest);
    if (rest.empty())
      for (const auto& [processes, points] : counts)
        if (processes != point.processes) correct_by(points);
    out.push_back({point.bytes,
                   machine::piece_seconds(pattern, point.processes, point.bytes) / point.seconds - 1,
                   machine::pattern_seconds(others, point.processes, point.bytes) / point.seconds - 1});
  }
  return out;
}

}  // namespace parcast::calibrate
