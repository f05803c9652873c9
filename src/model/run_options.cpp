// SPDX-License-Identifier: Apache-2.0
#include "model/run_options.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/plain_number.h"
#include "base/text.h"

namespace parcast::program {

namespace {

constexpr std::size_t kMostSides = 12;  // number of parameters searched for sides of a grid

std::int64_t side(const Point& point, const std::string& parameter) {
  const auto at = point.parameters.find(parameter);
  return at != point.parameters.end() && at->second >= 1 && at->second == std::floor(at->second) &&
                 at->second < 1e9
             ? static_cast<std::int64_t>(at->second)
             : 0;
}

// Adds all combinations of sides whose product is the process count.
void add_grids(Point point, const std::vector<std::string>& sides, std::size_t at, std::int32_t left,
               std::vector<Point>& into) {
  if (at + 1 == sides.size()) {
    point.parameters[sides[at]] = left;
    into.push_back(std::move(point));
    return;
  }
  for (std::int32_t size = 1; size <= left; ++size) {
    if (left % size != 0) continue;
    point.parameters[sides[at]] = size;
    add_grids(point, sides, at + 1, left / size, into);
  }
}

std::vector<std::string> sides_of(const std::vector<std::string>& parameters, const std::vector<bool>& grid) {
  std::vector<std::string> sides;
  for (std::size_t v = 0; v < parameters.size(); ++v)
    if (grid[v]) sides.push_back(parameters[v]);
  return sides;
}

}  // namespace

ProcessRule::ProcessRule(const std::vector<Point>& runs) {
  constexpr std::size_t kPowersOfTwo = 4;  // fewer are usual for programs that run with any count
  std::set<std::int32_t> counts;
  for (const Point& run : runs) counts.insert(run.processes);
  const auto all_are = [&](Kind kind) {
    return std::ranges::all_of(counts, [&](std::int32_t count) { return is_of(kind, count); });
  };
  if (counts.size() < 2) return;
  if (all_are(Kind::cube))
    kind_ = Kind::cube;
  else if (all_are(Kind::square))
    kind_ = Kind::square;
  else if (counts.size() >= kPowersOfTwo && all_are(Kind::power_of_two))
    kind_ = Kind::power_of_two;
}

bool ProcessRule::is_of(Kind kind, std::int32_t processes) {
  const auto is_power = [&](double root, int degree) {
    const auto whole = std::llround(root);
    return processes > 0 && (degree == 2 ? whole * whole : whole * whole * whole) == processes;
  };
  switch (kind) {
    case Kind::cube:
      return is_power(std::cbrt(processes), 3);
    case Kind::square:
      return is_power(std::sqrt(processes), 2);
    case Kind::power_of_two:
      return processes > 0 && std::has_single_bit(static_cast<std::uint32_t>(processes));
    case Kind::any:
      break;
  }
  return true;
}

bool ProcessRule::allows(std::int32_t processes) const {
  return is_of(kind_, processes);
}

std::vector<bool> process_grid(const std::vector<std::string>& parameters, const std::vector<Point>& runs) {
  std::vector<bool> grid(parameters.size(), false);
  const bool varied =
      std::ranges::any_of(runs, [&](const Point& run) { return run.processes != runs.front().processes; });
  if (!varied || parameters.size() > kMostSides) return grid;
  std::uint32_t best = 0;
  for (std::uint32_t chosen = 1; chosen < 1u << parameters.size(); ++chosen) {
    if (best != 0 && std::popcount(chosen) >= std::popcount(best)) continue;
    const bool multiplies = std::ranges::all_of(runs, [&](const Point& run) {
      std::int64_t product = 1;
      for (std::size_t v = 0; v < parameters.size(); ++v)
        if (chosen >> v & 1 && product <= run.processes) product *= side(run, parameters[v]);
      return product == run.processes;
    });
    if (multiplies) best = chosen;
  }
  for (std::size_t v = 0; v < parameters.size(); ++v) grid[v] = best >> v & 1;
  return grid;
}

void fit_to_grid(Point& point, const std::vector<std::string>& parameters, const std::vector<bool>& grid,
                 const std::string& changed) {
  const std::vector<std::string> sides = sides_of(parameters, grid);
  if (sides.empty()) return;
  std::int64_t product = 1;
  for (const std::string& each : sides) product *= side(point, each);
  if (product == point.processes) return;
  if (std::ranges::find(sides, changed) != sides.end()) {
    point.processes = static_cast<std::int32_t>(
        std::clamp<std::int64_t>(product, 1, std::numeric_limits<std::int32_t>::max()));
    return;
  }
  for (const std::string& each : sides) point.parameters[each] = 1;
  point.parameters[sides.front()] = point.processes;
}

std::vector<Point> runs_by_price(const std::vector<std::string>& parameters,
                                 const std::vector<std::vector<double>>& known,
                                 const std::vector<bool>& whole, const std::vector<bool>& grid) {
  const std::vector<std::string> sides = sides_of(parameters, grid);
  Point base;
  for (std::size_t v = 0; v < parameters.size(); ++v) base.parameters[parameters[v]] = known[v].front();
  std::vector<Point> starts{base};
  for (std::size_t v = 0; v < parameters.size(); ++v) {
    if (!whole[v] || grid[v] || (!sides.empty() && known[v] == std::vector<double>{1})) continue;
    for (const double value : {known[v].front() + 1, known[v].back() + 1, 2 * known[v].back()}) {
      starts.push_back(base);
      starts.back().parameters[parameters[v]] = value;
    }
  }
  std::vector<Point> options;
  for (Point& start : starts)
    for (const std::int32_t p : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16}) {
      start.processes = p;
      if (sides.empty())
        options.push_back(start);
      else
        add_grids(start, sides, 0, p, options);
    }
  const auto price = [](const Point& point) {
    double cost = point.processes;
    for (const auto& [name, value] : point.parameters) cost *= std::max(1.0, std::abs(value));
    return cost;
  };
  std::stable_sort(options.begin(), options.end(),
                   [&](const Point& a, const Point& b) { return price(a) < price(b); });
  return options;
}

std::vector<std::int32_t> sampled_ranks(std::int32_t processes) {
  std::set<std::int32_t> ranks;
  for (const std::int32_t r : {0, 1, processes / 3, processes / 2, processes - 2, processes - 1})
    if (r >= 0 && r < processes) ranks.insert(r);
  return {ranks.begin(), ranks.end()};
}

std::string point_text(const Point& point, const std::vector<std::string>& parameters) {
  std::string text = "p = " + std::to_string(point.processes);
  for (const std::string& name : parameters)
    text += ", " + name + " = " + format_plain(point.parameters.at(name));
  return text;
}

}  // namespace parcast::program
