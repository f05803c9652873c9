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

FactorColumns factor_columns(const Points& points, std::size_t argument, std::vector<Factor> factors) {
  FactorColumns out;
  for (const Factor& factor : factors)
    for (const auto& point : points) out.values.push_back(statistics::shape_value({1, {factor.exponent}, {factor.log_power}}, {&point[argument], 1}));
  out.factors = std::move(factors);
  return out;
}

FactorColumns chosen(const FactorColumns& all, const std::vector<Factor>& factors, std::size_t points) {
  FactorColumns out{factors, {}};
  for (const Factor& factor : factors) {
    const auto at = static_cast<std::size_t>(std::ranges::find(all.factors, factor) - all.factors.begin());
    const auto values = all.of(at, points);
    out.values.insert(out.values.end(), values.begin(), values.end());
  }
  return out;
}

statistics::GrowthTerm Shapes::term(std::size_t index) const {
  statistics::GrowthTerm out{1, {}, {}};
  const auto first = static_cast<std::ptrdiff_t>(index * arguments), last = first + static_cast<std::ptrdiff_t>(arguments);
  out.exponents.assign(exponents.begin() + first, exponents.begin() + last);
  out.log_powers.assign(log_powers.begin() + first, log_powers.begin() + last);
  return out;
}

Shapes products_of(std::size_t points, std::span<const FactorColumns> factors) {
  Shapes shapes;
  shapes.arguments = factors.size();
  shapes.points = points;
  std::vector<std::size_t> choice(factors.size(), 0);
  std::vector<double> column(points);
  while (true) {
    double cost = 0;
    bool constant = true;
    std::fill(column.begin(), column.end(), 1.0);
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Factor& factor = factors[j].factors[choice[j]];
      cost += factor.cost;
      if (factor == Factor{}) continue;
      constant = false;
      const auto part = factors[j].of(choice[j], points);
      for (std::size_t i = 0; i < points; ++i) column[i] *= part[i];
    }
    if (usable(column, constant)) {
      for (std::size_t j = 0; j < factors.size(); ++j) {
        shapes.exponents.push_back(factors[j].factors[choice[j]].exponent);
        shapes.log_powers.push_back(factors[j].factors[choice[j]].log_power);
      }
      shapes.cost.push_back(cost);
      shapes.values.insert(shapes.values.end(), column.begin(), column.end());
    }
    std::size_t j = 0;
    while (j < factors.size() && ++choice[j] == factors[j].factors.size()) choice[j++] = 0;
    if (j == factors.size()) return shapes;
  }
}

Shapes products_of(const Points& points, std::span<const std::vector<Factor>> factors) {
  std::vector<FactorColumns> columns;
  for (std::size_t j = 0; j < factors.size(); ++j) columns.push_back(factor_columns(points, j, factors[j]));
  return products_of(points.size(), columns);
}

Shapes restricted(const Shapes& shapes, std::span<const std::size_t> rows) {
  Shapes out{shapes.arguments, rows.size(), shapes.exponents, shapes.log_powers, shapes.cost, {}};
  out.values.reserve(shapes.size() * rows.size());
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    const auto values = shapes.of(t);
    for (const std::size_t i : rows) out.values.push_back(values[i]);
  }
  return out;
}

}  // namespace parcast::fit
