// SPDX-License-Identifier: Apache-2.0
#include "program/run_options.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"

namespace parcast::program {

std::vector<Point> runs_by_price(const std::vector<std::string>& parameters, const std::vector<std::vector<double>>& known, const std::vector<bool>& whole) {
  Point base;
  for (std::size_t v = 0; v < parameters.size(); ++v) base.parameters[parameters[v]] = known[v].front();
  std::vector<Point> starts{base};
  for (std::size_t v = 0; v < parameters.size(); ++v) {
    if (!whole[v]) continue;
    for (const double value : {known[v].front() + 1, known[v].back() + 1, 2 * known[v].back()}) {
      starts.push_back(base);
      starts.back().parameters[parameters[v]] = value;
    }
  }
  std::vector<Point> options;
  for (const Point& start : starts)
    for (const std::int32_t p : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16}) {
      options.push_back(start);
      options.back().processes = p;
    }
  const auto price = [](const Point& point) {
    double cost = point.processes;
    for (const auto& [name, value] : point.parameters) cost *= std::max(1.0, std::abs(value));
    return cost;
  };
  std::stable_sort(options.begin(), options.end(), [&](const Point& a, const Point& b) { return price(a) < price(b); });
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
  for (const std::string& name : parameters) text += ", " + name + " = " + format_exact(point.parameters.at(name));
  return text;
}

}  // namespace parcast::program
