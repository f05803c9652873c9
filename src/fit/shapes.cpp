// SPDX-License-Identifier: Apache-2.0
#include "fit/shapes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewValues = 6;
const std::vector<double> kExponents{0,   -1,      -2.0 / 3, -0.5, -1.0 / 3, 0.25, 1.0 / 3,  0.5, 2.0 / 3,
                                         0.75, 1, 1.25, 4.0 / 3,  1.5,  5.0 / 3,  2,    2.5,      3};

double lowest(const Points& points, std::size_t argument) {
  double low = points[0][argument];
  for (const auto& point : points) low = std::min(low, point[argument]);
  return low;
}

// A column for the constant, or one that varies and can be weighed.
bool usable(std::span<const double> column, bool constant) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  const bool weighable = *low >= 0 && *high < 1e150 && *high > 1e-150;
  return weighable && (constant || *high > *low * (1 + 1e-9));
}

}  // namespace

std::size_t distinct_values(const Points& points, std::size_t argument) {
  std::set<double> values;
  for (const auto& point : points) values.insert(point[argument]);
  return values.size();
}

std::vector<Factor> factors_of(const Points& points, std::size_t argument) {
  const std::size_t distinct = distinct_values(points, argument);
  if (distinct < 2) return {Factor{}};
  const double low = lowest(points, argument);
  const bool few = distinct <= kFewValues;
  const int logs = distinct < 3 || low < 1 ? 0 : few ? 1 : 2;
  std::vector<Factor> factors;
  for (const double exponent : kExponents) {
    if (exponent < 0 && low <= 0) continue;
    for (int log = 0; log <= logs; ++log)
      factors.push_back({exponent, log, statistics::growth::exponent_cost(exponent) + statistics::growth::log_power_cost(log)});
  }
  return factors;
}

Shapes products_of(const Points& points, std::span<const std::vector<Factor>> factors) {
  Shapes shapes;
  shapes.points = points.size();
  // One argument's values of each of its factors, so that powers are taken once.
  std::vector<std::vector<std::vector<double>>> parts(factors.size());
  for (std::size_t j = 0; j < factors.size(); ++j)
    for (const Factor& factor : factors[j]) {
      parts[j].emplace_back();
      for (const auto& point : points)
        parts[j].back().push_back(statistics::shape_value({1, {factor.exponent}, {factor.log_power}}, {&point[j], 1}));
    }
  std::vector<std::size_t> choice(factors.size(), 0);
  std::vector<double> column(points.size());
  while (true) {
    statistics::GrowthTerm term{1, {}, {}};
    double cost = 0;
    bool constant = true;
    std::fill(column.begin(), column.end(), 1.0);
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Factor& factor = factors[j][choice[j]];
      term.exponents.push_back(factor.exponent);
      term.log_powers.push_back(factor.log_power);
      cost += factor.cost;
      constant = constant && factor == Factor{};
      for (std::size_t i = 0; i < column.size(); ++i) column[i] *= parts[j][choice[j]][i];
    }
    if (usable(column, constant)) {
      shapes.terms.push_back(std::move(term));
      shapes.cost.push_back(cost);
      shapes.values.insert(shapes.values.end(), column.begin(), column.end());
    }
    std::size_t j = 0;
    while (j < factors.size() && ++choice[j] == factors[j].size()) choice[j++] = 0;
    if (j == factors.size()) return shapes;
  }
}

}  // namespace parcast::fit
