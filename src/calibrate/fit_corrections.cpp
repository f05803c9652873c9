// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_corrections.h"

#include <algorithm>
#include <cmath>

#include "calibrate/fit_pattern.h"
#include "machine/pattern_cost.h"

namespace parcast::calibrate {
namespace {

using machine::CostPoint;
using machine::PatternCost;

constexpr double kTolerance = 0.01;

struct Knot {
  PatternCost::Correction correction;
  double whole = 0;  // seconds of the pieces and the correction
  bool negligible() const { return std::fabs(correction.seconds) <= kTolerance * whole; }
};

/// measured - pieces, drawn to 0 as far as the point's own error explains it (positive part of James and Stein 1961).
double shrunk(double distance, double error) {
  return distance == 0 ? 0 : distance * std::max(0.0, 1 - std::pow(error / distance, 2));
}

/// A knot for each measured point, by processes, then bytes.
std::vector<Knot> all_knots(const PatternCost& pattern) {
  std::vector<Knot> out;
  for (const CostPoint& point : pattern.points) {
    if (point.processes < 2 || !(point.seconds > 0)) continue;
    const double pieces = machine::piece_seconds(pattern, point.processes, point.bytes);
    const double more = shrunk(point.seconds - pieces, relative_error(point) * point.seconds);
    out.push_back({{point.processes, point.bytes, more}, pieces + more});
  }
  const auto place = [](const Knot& knot) { return std::pair(knot.correction.processes, knot.correction.bytes); };
  std::stable_sort(out.begin(), out.end(), [&](const Knot& a, const Knot& b) { return place(a) < place(b); });
  out.erase(std::unique(out.begin(), out.end(), [&](const Knot& a, const Knot& b) { return place(a) == place(b); }), out.end());
  return out;
}

/// Keeps the ends of one process count, and between them what the line through kept neighbours misses (Douglas and Peucker 1973).
void keep_needed(const std::vector<Knot>& knots, std::size_t first, std::size_t last, std::vector<char>& kept) {
  kept[first] = kept[last] = 1;
  PatternCost line;
  line.corrections = {knots[first].correction, knots[last].correction};
  std::size_t worst = first;
  double most = kTolerance;
  for (std::size_t i = first + 1; i < last; ++i) {
    const auto& knot = knots[i].correction;
    const double off = std::fabs(machine::correction_at(line, knot.processes, knot.bytes) - knot.seconds) / knots[i].whole;
    if (off > most) most = off, worst = i;
  }
  if (worst == first) return;
  keep_needed(knots, first, worst, kept);
  keep_needed(knots, worst, last, kept);
}

}  // namespace

void fit_corrections(PatternCost& pattern) {
  pattern.corrections.clear();
  const std::vector<Knot> knots = all_knots(pattern);
  if (std::all_of(knots.begin(), knots.end(), [](const Knot& knot) { return knot.negligible(); })) return;
  std::vector<char> kept(knots.size(), 0);
  for (std::size_t begin = 0; begin < knots.size();) {
    std::size_t last = begin;
    while (last + 1 < knots.size() && knots[last + 1].correction.processes == knots[begin].correction.processes) ++last;
    keep_needed(knots, begin, last, kept);
    begin = last + 1;
  }
  for (std::size_t i = 0; i < knots.size(); ++i)
    if (kept[i]) pattern.corrections.push_back(knots[i].correction);
}

std::vector<LeftOut> left_out(const PatternCost& pattern) {
  const std::vector<Knot> knots = all_knots(pattern);
  std::vector<LeftOut> out;
  PatternCost others = pattern;
  for (const CostPoint& point : pattern.points) {
    if (point.processes < 2 || !(point.seconds > 0)) continue;
    others.corrections.clear();
    for (const Knot& knot : knots)
      if (knot.correction.processes != point.processes || knot.correction.bytes != point.bytes) others.corrections.push_back(knot.correction);
    out.push_back({point.bytes, machine::piece_seconds(pattern, point.processes, point.bytes) / point.seconds - 1,
                   machine::pattern_seconds(others, point.processes, point.bytes) / point.seconds - 1});
  }
  return out;
}

}  // namespace parcast::calibrate
