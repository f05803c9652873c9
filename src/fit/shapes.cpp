// SPDX-License-Identifier: Apache-2.0
#include "fit/shapes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "fit/wide.h"
#include "statistics/growth_search.h"

namespace parcast::fit {
namespace {

constexpr std::size_t kFewValues = 6;
const std::vector<double> kExponents{0,    -1, -2.0 / 3, -0.5,    -1.0 / 3, 0.25,    1.0 / 3, 0.5, 2.0 / 3,
                                     0.75, 1,  1.25,     4.0 / 3, 1.5,      5.0 / 3, 2,       2.5, 3};

// Few values of an argument that counts processes.
constexpr std::size_t kFewestOfShape = 3, kSomeValues = 5;

// Returns whether so few numbers of processes can show the exponent.
bool few_allow(double exponent, std::size_t values) {
  if (values <= kFewestOfShape) return std::fabs(exponent) <= 1 && 2 * exponent == std::round(2 * exponent);
  return values > kSomeValues || exponent <= 2;
}

double lowest(const Points& points, std::size_t argument) {
  double low = points[0][argument];
  for (const auto& point : points) low = std::min(low, point[argument]);
  return low;
}

// Returns whether a term with values in this range is the constant, or varies and can be weighed.
bool usable(double low, double high, bool constant) {
  const bool weighable = low >= 0 && high < 1e150 && high > 1e-150;
  return weighable && (constant || high > low * (1 + 1e-9));
}

// Returns entry (i, t) for point i and product t; the first argument's factor changes fastest.
PARCAST_WIDE std::vector<double> all_products(std::size_t points, std::span<const FactorColumns> factors,
                                              std::size_t count) {
  std::vector<double> values(points * count);
  for (std::size_t i = 0; i < points; ++i) {
    double* row = values.data() + i * count;
    row[0] = 1;
    std::size_t done = 1;
    for (const FactorColumns& each : factors) {
      // The first factor comes last, because it replaces the products that the others start from.
      for (std::size_t f = each.factors.size(); f-- > 0;) {
        const double factor = each.of(f, points)[i];
        for (std::size_t t = 0; t < done; ++t) row[f * done + t] = row[t] * factor;
      }
      done *= each.factors.size();
    }
  }
  return values;
}

PARCAST_WIDE std::vector<std::size_t> usable_of(const std::vector<double>& values, std::size_t points,
                                                std::size_t count) {
  std::vector<double> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)), high = low;
  for (std::size_t i = 1; i < points; ++i) {
    const double* row = values.data() + i * count;
    for (std::size_t t = 0; t < count; ++t) low[t] = row[t] < low[t] ? row[t] : low[t];
    for (std::size_t t = 0; t < count; ++t) high[t] = row[t] > high[t] ? row[t] : high[t];
  }
  std::vector<std::size_t> out;
  out.reserve(count);
  for (std::size_t t = 0; t < count; ++t)
    if (usable(low[t], high[t], t == 0)) out.push_back(t);
  return out;
}

// Returns the term of one argument alone; the size of the list if there is none.
std::size_t find_term(const Shapes& shapes, std::size_t argument, double exponent, int log_power) {
  for (std::size_t t = 0; t < shapes.size(); ++t) {
    bool same = true;
    for (std::size_t j = 0; j < shapes.arguments && same; ++j) {
      const std::size_t at = t * shapes.arguments + j;
      same = shapes.exponents[at] == (j == argument ? exponent : 0) &&
             shapes.log_powers[at] == (j == argument ? log_power : 0);
    }
    if (same) return t;
  }
  return shapes.size();
}

std::vector<std::vector<std::size_t>> plain_sums(const Shapes& shapes) {
  std::vector<std::vector<std::size_t>> sums{{0}};
  for (std::size_t j = 0; j < shapes.arguments; ++j) {
    const std::size_t proportional = find_term(shapes, j, 1, 0), inverse = find_term(shapes, j, -1, 0);
    const std::size_t log = find_term(shapes, j, 0, 1), none = shapes.size();
    if (proportional != none) sums.push_back({proportional});
    if (inverse != none) sums.push_back({0, inverse});
    if (inverse != none && log != none) sums.push_back({0, std::min(inverse, log), std::max(inverse, log)});
  }
  return sums;
}

}  // namespace

std::size_t distinct_values(const Points& points, std::size_t argument) {
  std::set<double> values;
  for (const auto& point : points) values.insert(point[argument]);
  return values.size();
}

std::vector<Factor> factors_of(const Points& points, std::size_t argument, bool processes) {
  const std::size_t distinct = distinct_values(points, argument);
  if (distinct < 2) return {Factor{}};
  const double low = lowest(points, argument);
  const bool few = distinct <= kFewValues;
  const int logs = distinct < 3 || low < 1 ? 0 : few ? 1 : 2;
  std::vector<Factor> factors;
  for (const double exponent : kExponents) {
    if ((exponent < 0 && low <= 0) || (processes && !few_allow(exponent, distinct))) continue;
    for (int log = 0; log <= (processes && distinct <= kFewestOfShape && exponent != 0 ? 0 : logs); ++log)
      factors.push_back(
          {exponent, log,
           statistics::growth::exponent_cost(exponent) + statistics::growth::log_power_cost(log)});
  }
  return factors;
}

FactorColumns factor_columns(const Points& points, std::size_t argument, std::vector<Factor> factors) {
  FactorColumns out;
  for (const Factor& factor : factors)
    for (const auto& point : points)
      out.values.push_back(
          statistics::shape_value({1, {factor.exponent}, {factor.log_power}}, {&point[argument], 1}));
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

std::vector<double> values_of(const Shapes& shapes, std::span<const std::size_t> terms,
                              const Points& points) {
  std::map<std::tuple<std::size_t, double, int>, std::vector<double>> known;  // for an argument's factors
  const auto factor = [&](std::size_t argument, double exponent,
                          int log_power) -> const std::vector<double>& {
    auto& values = known[{argument, exponent, log_power}];
    if (values.empty()) values = factor_columns(points, argument, {{exponent, log_power, 0}}).values;
    return values;
  };
  std::vector<double> out(terms.size() * points.size(), 1.0);
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (std::size_t j = 0; j < shapes.arguments; ++j) {
      const std::size_t at = terms[k] * shapes.arguments + j;
      if (shapes.exponents[at] == 0 && shapes.log_powers[at] == 0) continue;
      const std::vector<double>& values = factor(j, shapes.exponents[at], shapes.log_powers[at]);
      for (std::size_t i = 0; i < points.size(); ++i) out[k * points.size() + i] *= values[i];
    }
  return out;
}

statistics::GrowthTerm Shapes::term(std::size_t index) const {
  statistics::GrowthTerm out{1, {}, {}};
  const auto first = static_cast<std::ptrdiff_t>(index * arguments),
             last = first + static_cast<std::ptrdiff_t>(arguments);
  out.exponents.assign(exponents.begin() + first, exponents.begin() + last);
  out.log_powers.assign(log_powers.begin() + first, log_powers.begin() + last);
  return out;
}

Shapes products_of(std::size_t points, std::span<const FactorColumns> factors) {
  Shapes shapes;
  shapes.arguments = factors.size();
  shapes.points = points;
  std::size_t count = 1;
  for (const FactorColumns& each : factors) count *= each.factors.size();
  shapes.values = all_products(points, factors, count);
  const std::vector<std::size_t> kept = usable_of(shapes.values, points, count);
  if (kept.size() < count) {
    for (std::size_t i = 0; i < points; ++i)
      for (std::size_t t = 0; t < kept.size(); ++t)
        shapes.values[i * kept.size() + t] = shapes.values[i * count + kept[t]];
    shapes.values.resize(points * kept.size());
  }
  shapes.exponents.reserve(kept.size() * factors.size());
  shapes.log_powers.reserve(kept.size() * factors.size());
  shapes.cost.reserve(kept.size());
  for (std::size_t rest : kept) {
    double cost = 0;
    for (const FactorColumns& each : factors) {
      const Factor& factor = each.factors[rest % each.factors.size()];
      rest /= each.factors.size();
      cost += factor.cost;
      shapes.exponents.push_back(factor.exponent);
      shapes.log_powers.push_back(factor.log_power);
    }
    shapes.cost.push_back(cost);
  }
  shapes.plain = plain_sums(shapes);
  return shapes;
}

Shapes products_of(const Points& points, std::span<const std::vector<Factor>> factors) {
  std::vector<FactorColumns> columns;
  for (std::size_t j = 0; j < factors.size(); ++j) columns.push_back(factor_columns(points, j, factors[j]));
  return products_of(points.size(), columns);
}

}  // namespace parcast::fit
