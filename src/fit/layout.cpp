// SPDX-License-Identifier: Apache-2.0
#include "fit/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace parcast::fit {
namespace {

constexpr std::size_t kFewestValues = 4;     // of an argument whose largest is left out
constexpr std::size_t kFewestOfStrand = 6;   // points
constexpr std::size_t kMostKept = 1 << 20;   // entries of correlations

void add_whitenings(PointSet& set) {
  const std::vector<double> noise(set.size(), 1.0);
  for (std::size_t k = 0; k < (set.size() > 1 ? kRelations.size() : 1); ++k)
    set.whitenings[k] = std::make_shared<const Whitening>(set.correlations_of(k), noise, kRelations[k].share);
}

void add_logarithms(PointSet& set) {
  set.logarithms.resize(set.arguments());
  for (std::size_t j = 0; j < set.arguments(); ++j) {
    if (!std::ranges::all_of(set.points, [j](const auto& point) { return point[j] > 0; })) continue;
    for (const auto& point : set.points) set.logarithms[j].push_back(std::log(point[j]));
  }
}

void add_neighbours(PointSet& set) {
  const std::size_t n = set.size();
  if (n < 4) return;
  const auto& near = set.correlations_of(0);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t first = n, second = n;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      if (first == n || near[i * n + j] > near[i * n + first]) {
        second = first, first = j;
      } else if (second == n || near[i * n + j] > near[i * n + second]) {
        second = j;
      }
    }
    set.neighbours.push_back({first, second});
  }
}

// What follows from points and correlations.
void complete(PointSet& set) {
  add_whitenings(set);
  add_logarithms(set);
  add_neighbours(set);
  for (std::size_t j = 0; j < set.arguments(); ++j)
    if (distinct_values(set.points, j) > 1) set.varied.push_back(j);
}

PointSet point_set(Points points) {
  PointSet set;
  set.correlation = Correlation(points);
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    if (form_of(k) == k) set.correlations[k] = correlations(points, set.correlation, kRelations[k]);
  set.points = std::move(points);
  complete(set);
  return set;
}

// Rows on which the argument alone changes, by what the others are.
std::map<std::vector<double>, std::vector<std::size_t>> rows_along(const Points& points, std::size_t argument) {
  std::map<std::vector<double>, std::vector<std::size_t>> lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> others = points[i];
    others[argument] = 0;
    lines[others].push_back(i);
  }
  return lines;
}

std::shared_ptr<const Shapes> shapes_along(const Points& points, std::span<const std::size_t> rows, std::size_t argument) {
  Points own;
  for (const std::size_t i : rows) own.push_back({points[i][argument]});
  const std::vector<std::vector<Factor>> factors{factors_of(own, 0)};
  return std::make_shared<const Shapes>(products_of(own, factors));
}

std::vector<Line> first_and_last_line(const Points& points, std::size_t argument) {
  auto lines = rows_along(points, argument);
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 3; });
  std::vector<Line> out;
  if (!lines.empty()) out.push_back({lines.begin()->second, nullptr});
  if (lines.size() > 1) out.push_back({lines.rbegin()->second, nullptr});
  for (Line& line : out) line.shapes = shapes_along(points, line.rows, argument);
  return out;
}

std::vector<Strand> strands_along(const PointSet& set, std::size_t argument) {
  std::vector<Strand> out;
  if (set.logarithms[argument].empty()) return out;
  for (auto& [others, rows] : rows_along(set.points, argument)) {
    if (rows.size() < kFewestOfStrand) continue;
    Strand strand{std::move(rows), {}, {}, nullptr};
    std::ranges::sort(strand.rows, {}, [&](std::size_t i) { return set.points[i][argument]; });
    for (const std::size_t i : strand.rows) strand.x.push_back(set.points[i][argument]), strand.logs.push_back(set.logarithms[argument][i]);
    strand.shapes = shapes_along(set.points, strand.rows, argument);
    out.push_back(std::move(strand));
  }
  return out;
}

std::vector<double> part_of(const std::vector<double>& matrix, std::size_t n, std::span<const std::size_t> rows, std::span<const std::size_t> columns) {
  std::vector<double> out;
  out.reserve(rows.size() * columns.size());
  for (const std::size_t i : rows)
    for (const std::size_t j : columns) out.push_back(matrix[i * n + j]);
  return out;
}

// The points at the largest value, to be predicted from those below `limit`.
Fold fold_of(const PointSet& all, std::size_t argument, double largest, double limit) {
  Fold fold;
  fold.argument = argument;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = all.points[i][argument];
    if (x == largest) fold.left_out.push_back(i);
    if (x < limit) fold.kept.push_back(i);
  }
  for (const std::size_t i : fold.kept) fold.rest.points.push_back(all.points[i]);
  fold.rest.correlation = all.correlation;
  for (std::size_t k = 0; k < kRelations.size(); ++k) {
    if (form_of(k) == k) fold.rest.correlations[k] = part_of(all.correlations[k], all.size(), fold.kept, fold.kept);
    if (k == 0) continue;
    for (const std::size_t i : fold.left_out) {
      fold.related[k].push_back(part_of(all.correlations_of(k), all.size(), std::span(&i, 1), fold.kept));
      for (double& entry : fold.related[k].back()) entry *= kRelations[k].share;
    }
  }
  complete(fold.rest);
  for (const std::size_t i : fold.left_out) {
    fold.beyond.push_back(doublings_beyond(fold.rest.points, all.points[i]));
    fold.continuations.push_back(continuation(fold.rest.points, all.points[i]));
  }
  return fold;
}

}  // namespace

Layout::Layout(Points points) : all_(point_set(std::move(points))) {
  const std::size_t arguments = all_.arguments();
  for (std::size_t j = 0; j < arguments; ++j) {
    factors_.push_back(factor_columns(all_.points, j, factors_of(all_.points, j)));
    lines_.push_back(arguments > 1 ? first_and_last_line(all_.points, j) : std::vector<Line>{});
    strands_.push_back(strands_along(all_, j));
    std::set<double> values;
    for (const auto& point : all_.points) values.insert(point[j]);
    if (values.size() >= kFewestValues) folds_.push_back(fold_of(all_, j, *values.rbegin(), *values.rbegin()));
    if (values.size() > kFewestValues) far_folds_.push_back(fold_of(all_, j, *values.rbegin(), *std::next(values.rbegin())));
  }
  if (arguments == 1) shapes_ = std::make_shared<const Shapes>(products_of(all_.size(), factors_));
}

std::shared_ptr<const Layout> Layouts::of(const Points& points) const {
  {
    const std::lock_guard lock(guard_);
    if (const auto at = layouts_.find(points); at != layouts_.end()) return at->second;
  }
  auto made = std::make_shared<const Layout>(points);
  const std::lock_guard lock(guard_);
  const std::size_t entries = points.size() * points.size();
  if (kept_ + entries <= kMostKept && layouts_.try_emplace(points, made).second) kept_ += entries;
  return made;
}

std::shared_ptr<const Arguments> Layouts::arguments(const Points& points) const {
  {
    const std::lock_guard lock(guard_);
    if (const auto at = arguments_.find(points); at != arguments_.end()) return at->second;
  }
  auto made = std::make_shared<const Arguments>(usable_arguments(points, parameters_));
  const std::lock_guard lock(guard_);
  constexpr std::size_t kMost = 1024;
  if (arguments_.size() < kMost) arguments_.try_emplace(points, made);
  return made;
}

double doublings_beyond(const Points& observed, std::span<const double> point) {
  double squares = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    double low = INFINITY, high = 0;
    for (const auto& each : observed) low = std::min(low, each[j]), high = std::max(high, each[j]);
    double beyond = 0;
    if (point[j] > high) beyond = high > 0 ? std::log2(point[j] / high) : 1;
    if (point[j] < low) beyond = point[j] > 0 ? std::log2(low / point[j]) : 1;
    squares += beyond * beyond;
  }
  return std::sqrt(squares);
}

}  // namespace parcast::fit
