// SPDX-License-Identifier: Apache-2.0
#include "fit/layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "fit/crossed.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewestValues = 4;                   // of an argument whose largest value is left out
constexpr std::size_t kFewestCrossed = 3;                  // the same, of few processes crossed with sizes
constexpr std::size_t kFewestToCheck = 4;                  // points that remain then
constexpr std::size_t kFewestOfStrand = 6;                 // points
constexpr std::size_t kMostKept = 1 << 20;                 // number of values
constexpr std::size_t kMostPredicted = 256;                // points that a fold leaves out
constexpr std::size_t kFewStrands = 8, kMostStrands = 32;  // along an argument: long ones, short ones
constexpr std::size_t kMostOfStrand = 256;    // points: a test for a break takes the square of this time
constexpr std::size_t kMostOfStrands = 2048;  // approximate number of points of all strands

void add_whitenings(PointSet& set) {
  const std::vector<double> noise(set.size(), 1.0);
  for (std::size_t k = 0; k < (set.size() > 1 ? kRelations.size() : 1); ++k)
    set.whitenings[k] =
        std::make_shared<const Whitening>(set.cells, set.correlations_of(k), noise, kRelations[k].share);
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
  if (!set.cells->single()) {
    set.neighbours = two_nearest(set.points, set.correlation);
    return;
  }
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

// Computes what follows from points and correlations.
void complete(PointSet& set) {
  add_whitenings(set);
  add_logarithms(set);
  add_neighbours(set);
  for (std::size_t j = 0; j < set.arguments(); ++j)
    if (distinct_values(set.points, j) > 1) set.varied.push_back(j);
}

void add_cells(PointSet& set) {
  set.cells = std::make_shared<const Cells>(cells_of(set.points, set.correlation));
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    if (form_of(k) == k)
      set.correlations[k] = correlations(set.cells->places, set.correlation, kRelations[k]);
}

PointSet point_set(Points points, bool processes) {
  PointSet set;
  set.laws = laws_for(points, processes);
  set.correlation = Correlation(points);
  set.points = std::move(points);
  add_cells(set);
  complete(set);
  return set;
}

using RowsByOthers = std::map<std::vector<double>, std::vector<std::size_t>>;

std::vector<double> others_of(std::vector<double> point, std::size_t argument) {
  point[argument] = 0;
  return point;
}

// Groups the rows on which only the argument changes by the values of the other arguments.
RowsByOthers rows_along(const Points& points, std::size_t argument) {
  RowsByOthers lines;
  for (std::size_t i = 0; i < points.size(); ++i) lines[others_of(points[i], argument)].push_back(i);
  return lines;
}

std::shared_ptr<const Shapes> shapes_along(const Points& points, std::span<const std::size_t> rows,
                                           std::size_t argument) {
  Points own;
  for (const std::size_t i : rows) own.push_back({points[i][argument]});
  const std::vector<std::vector<Factor>> factors{factors_of(own, 0)};
  return std::make_shared<const Shapes>(products_of(own, factors));
}

std::vector<std::size_t> chosen(std::span<const std::size_t> rows, std::span<const std::size_t> numbers) {
  std::vector<std::size_t> out;
  for (const std::size_t k : numbers) out.push_back(rows[k]);
  return out;
}

std::vector<Line> first_and_last_line(const Points& points, const RowsByOthers& lines, std::size_t argument) {
  const auto is_long_enough = [](const auto& line) { return line.second.size() >= 3; };
  const auto first = std::find_if(lines.begin(), lines.end(), is_long_enough);
  if (first == lines.end()) return {};
  const auto last = std::find_if(lines.rbegin(), lines.rend(), is_long_enough);
  std::vector<Line> out;
  for (const auto* rows : {&first->second, &last->second})
    if (out.empty() || rows != &first->second)
      out.push_back({chosen(*rows, evenly_drawn(rows->size(), kMostSearched)), nullptr});
  for (Line& line : out) line.shapes = shapes_along(points, line.rows, argument);
  return out;
}

std::vector<Strand> strands_along(const PointSet& set, const RowsByOthers& lines, std::size_t argument) {
  std::vector<Strand> out;
  if (set.logarithms[argument].empty()) return out;
  std::vector<const std::vector<std::size_t>*> long_enough;
  for (const auto& [others, rows] : lines)
    if (rows.size() >= kFewestOfStrand) long_enough.push_back(&rows);
  std::size_t longest = 1;
  for (const auto* rows : long_enough) longest = std::max(longest, rows->size());
  const std::vector<std::size_t> taken =
      evenly_spaced(long_enough.size(), std::clamp(kMostOfStrands / longest, kFewStrands, kMostStrands));
  for (const std::size_t k : taken) {
    Strand strand{*long_enough[k], {}, {}, nullptr};
    std::ranges::sort(strand.rows, {}, [&](std::size_t i) { return set.points[i][argument]; });
    strand.rows = chosen(strand.rows, evenly_spaced(strand.rows.size(), kMostOfStrand));
    for (const std::size_t i : strand.rows)
      strand.x.push_back(set.points[i][argument]), strand.logs.push_back(set.logarithms[argument][i]);
    strand.shapes = shapes_along(set.points, strand.rows, argument);
    out.push_back(std::move(strand));
  }
  return out;
}

std::vector<double> part_of(const std::vector<double>& matrix, std::size_t n,
                            std::span<const std::size_t> rows, std::span<const std::size_t> columns) {
  std::vector<double> out;
  out.reserve(rows.size() * columns.size());
  for (const std::size_t i : rows)
    for (const std::size_t j : columns) out.push_back(matrix[i * n + j]);
  return out;
}

// Sets the correlations of discrepancies, of the rest and with left-out points. If each point is its own
// cell, they are part of the correlations of all points.
void add_correlations(Fold& fold, const PointSet& all) {
  const bool known = all.cells->single();
  if (known) {
    fold.rest.cells = std::make_shared<const Cells>(cells_of(fold.rest.points, all.correlation));
  } else {
    add_cells(fold.rest);
  }
  for (std::size_t k = 0; k < kRelations.size(); ++k) {
    if (known && form_of(k) == k)
      fold.rest.correlations[k] = part_of(all.correlations[k], all.size(), fold.kept, fold.kept);
    if (k == 0) continue;
    for (const std::size_t i : fold.left_out) {
      std::vector<double>& related = fold.related[k].emplace_back();
      if (known) {
        related = part_of(all.correlations_of(k), all.size(), std::span(&i, 1), fold.kept);
      } else {
        for (const auto& place : fold.rest.cells->places)
          related.push_back(all.correlation(kRelations[k], all.points[i], place));
      }
      for (double& entry : related) entry *= kRelations[k].share;
    }
  }
}

void add_continuations(Fold& fold, const PointSet& all) {
  const Extent extent(fold.rest.points);
  RowsByOthers lines;
  for (const std::size_t i : fold.left_out) lines[others_of(all.points[i], fold.argument)];
  for (std::size_t i = 0; i < fold.rest.size(); ++i)
    if (const auto line = lines.find(others_of(fold.rest.points[i], fold.argument)); line != lines.end())
      line->second.push_back(i);
  for (const std::size_t i : fold.left_out) {
    const auto& point = all.points[i];
    fold.beyond.push_back(doublings_beyond(extent, point));
    const bool alone = argument_beyond(extent.high, point) == fold.argument;
    fold.continuations.push_back(
        alone
            ? continuation(fold.rest.points, lines.at(others_of(point, fold.argument)), fold.argument, point)
            : std::nullopt);
    if (fold.continuations.back()) fold.continuations.back()->few = fold.rest.laws && fold.of_processes;
  }
}

// Sets the rows of the rest that are used to choose terms.
void add_searched(Fold& fold, std::span<const std::size_t> searched) {
  if (searched.empty()) {
    fold.shapes = fold.kept;
    return;
  }
  for (std::size_t shape = 0, k = 0; shape < searched.size(); ++shape) {
    while (k < fold.kept.size() && fold.kept[k] < searched[shape]) ++k;
    if (k < fold.kept.size() && fold.kept[k] == searched[shape])
      fold.searched.push_back(k), fold.shapes.push_back(shape);
  }
}

// Returns the fold of the points at the largest value, to be predicted from those below `limit`.
Fold fold_of(const PointSet& all, std::span<const std::size_t> searched, std::size_t argument, double largest,
             double limit, bool processes) {
  Fold fold;
  fold.argument = argument;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = all.points[i][argument];
    if (x == largest) fold.left_out.push_back(i);
    if (x < limit) fold.kept.push_back(i);
  }
  fold.left_out = chosen(fold.left_out, evenly_spaced(fold.left_out.size(), kMostPredicted));
  for (const std::size_t i : fold.kept) fold.rest.points.push_back(all.points[i]);
  fold.rest.correlation = all.correlation;
  fold.of_processes = processes;
  fold.rest.laws = laws_for(fold.rest.points, processes);
  add_correlations(fold, all);
  complete(fold.rest);
  add_continuations(fold, all);
  add_searched(fold, searched);
  return fold;
}

// Returns some of many points, including those at the ends of each argument. Empty: all.
std::vector<std::size_t> rows_to_search(const Points& points) {
  if (points.size() <= kMostSearched) return {};
  std::vector<std::size_t> rows = evenly_drawn(points.size(), kMostSearched);
  for (std::size_t j = 0; j < points[0].size(); ++j) {
    const auto [low, high] =
        std::ranges::minmax_element(points, {}, [j](const auto& point) { return point[j]; });
    rows.push_back(static_cast<std::size_t>(low - points.begin()));
    rows.push_back(static_cast<std::size_t>(high - points.begin()));
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace

Layout::Layout(Points points, std::vector<bool> processes)
    : processes_(std::move(processes)),
      all_(point_set(std::move(points), of_processes(0))),
      searched_(rows_to_search(all_.points)) {
  const std::size_t arguments = all_.arguments();
  crossed_ = is_crossed(all_.points, processes_);
  Points some;
  for (const std::size_t i : searched_) some.push_back(all_.points[i]);
  const Points& searched = some.empty() ? all_.points : some;
  for (std::size_t j = 0; j < arguments; ++j) {
    factors_.push_back(factor_columns(searched, j, factors_of(all_.points, j, of_processes(j))));
    const RowsByOthers lines = rows_along(all_.points, j);
    lines_.push_back(arguments > 1 ? first_and_last_line(all_.points, lines, j) : std::vector<Line>{});
    strands_.push_back(strands_along(all_, lines, j));
    std::set<double> values;
    for (const auto& point : all_.points) values.insert(point[j]);
    if (values.size() >= kFewestValues)
      folds_.push_back(fold_of(all_, searched_, j, *values.rbegin(), *values.rbegin(), of_processes(j)));
    if (crossed_ && values.size() >= kFewestCrossed) {
      Fold fold = fold_of(all_, searched_, j, *values.rbegin(), *values.rbegin(), of_processes(j));
      if (fold.kept.size() >= kFewestToCheck) crossed_folds_.push_back(std::move(fold));
    }
    if (values.size() > kFewestValues)
      far_folds_.push_back(
          fold_of(all_, searched_, j, *values.rbegin(), *std::next(values.rbegin()), of_processes(j)));
  }
  if (arguments == 1) shapes_ = std::make_shared<const Shapes>(products_of(searched.size(), factors_));
}

std::shared_ptr<const Layout> Layouts::of(const Points& points, const std::vector<bool>& processes) const {
  {
    const std::lock_guard lock(guard_);
    if (const auto at = layouts_.find({points, processes}); at != layouts_.end()) return at->second;
  }
  auto made = std::make_shared<const Layout>(points, processes);
  const std::lock_guard lock(guard_);
  const std::size_t cells = std::min(points.size(), kMostCells), entries = cells * cells + points.size();
  // One layout is kept whatever its size: a kernel's fit uses it several times.
  if ((kept_ == 0 || kept_ + entries <= kMostKept) && layouts_.try_emplace({points, processes}, made).second)
    kept_ += entries;
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

Extent::Extent(const Points& points) {
  if (points.empty()) return;
  low.assign(points[0].size(), INFINITY);
  high.assign(points[0].size(), 0);
  for (const auto& point : points)
    for (std::size_t j = 0; j < point.size(); ++j)
      low[j] = std::min(low[j], point[j]), high[j] = std::max(high[j], point[j]);
}

double doublings_beyond(const Extent& observed, std::span<const double> point) {
  double squares = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const double low = observed.low[j], high = observed.high[j];
    double beyond = 0;
    if (point[j] > high) beyond = high > 0 ? std::log2(point[j] / high) : 1;
    if (point[j] < low) beyond = point[j] > 0 ? std::log2(low / point[j]) : 1;
    squares += beyond * beyond;
  }
  return std::sqrt(squares);
}

}  // namespace parcast::fit
