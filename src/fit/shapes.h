// SPDX-License-Identifier: Apache-2.0
#pragma once
// The terms of hypotheses, with their values at the points of a design: products over the arguments of powers
// and logarithms. Many kernels share one design, so the values are computed once.

#include <cstddef>
#include <span>
#include <vector>

#include "statistics/growth.h"

namespace parcast::fit {

/// One argument's part of a term, and the cost of its complexity in nats (docs/models/growth.md).
struct Factor {
  double exponent = 0;
  int log_power = 0;
  double cost = 0;
  bool operator==(const Factor& other) const {
    return exponent == other.exponent && log_power == other.log_power;
  }
};

/// The points of a design. Coordinates are >= 0; a row per point, a column per argument.
using Points = std::vector<std::vector<double>>;

/// Returns the factors that the number of values can identify. The first is the empty factor. Negative
/// exponents need positive values; logarithms need three values >= 1. Of an argument that counts `processes`
/// three values identify no more than exponents of -1, -1/2, 1/2, 1 and log2, and five none above 2.
std::vector<Factor> factors_of(const Points& points, std::size_t argument, bool processes = false);

/// One argument's factors with their values: entry (f, i) of factor f at point i.
struct FactorColumns {
  std::vector<Factor> factors;
  std::vector<double> values;

  std::span<const double> of(std::size_t factor, std::size_t points) const {
    return std::span(values).subspan(factor * points, points);
  }
};

FactorColumns factor_columns(const Points& points, std::size_t argument, std::vector<Factor> factors);
/// Returns the columns of these factors only, in their order; each must be in `all`.
FactorColumns chosen(const FactorColumns& all, const std::vector<Factor>& factors, std::size_t points);

/// Terms, the constant first, and their values. Entry (t, j) belongs to term t and argument j. The values'
/// entry (i, t) belongs to point i and term t, so that loops over all terms access memory in order.
struct Shapes {
  std::size_t arguments = 0, points = 0;
  std::vector<double> exponents;
  std::vector<int> log_powers;
  std::vector<double> cost;
  std::vector<double> values;
  /// The terms of simple models, ascending: the constant, each argument in proportion, a + b / x, a + b / x +
  /// c log2 x.
  std::vector<std::vector<std::size_t>> plain;
  /// Whether each argument counts processes, where few of them are crossed with sizes (crossed.h); else
  /// empty.
  std::vector<bool> processes;

  std::size_t size() const { return cost.size(); }
  std::span<const double> on(std::size_t point) const {
    return std::span(values).subspan(point * size(), size());
  }
  double at(std::size_t term, std::size_t point) const { return values[point * size() + term]; }
  statistics::GrowthTerm term(std::size_t index) const;  // coefficient 1
};

/// The same at some of the points; without rows, at all of them.
struct ShapesOn {
  const Shapes& shapes;
  std::span<const std::size_t> rows;
  /// The rows' points within a set, if its other points have no row; empty: all.
  std::span<const std::size_t> searched;

  ShapesOn(const Shapes& all) : shapes(all) {}
  ShapesOn(const Shapes& all, std::span<const std::size_t> some) : shapes(all), rows(some) {}
  ShapesOn(const Shapes& all, std::span<const std::size_t> some, std::span<const std::size_t> of)
      : shapes(all), rows(some), searched(of) {}
  std::span<const double> on(std::size_t point) const {
    return shapes.on(rows.empty() ? point : rows[point]);
  }
};

/// Returns the values of some terms at points, one term after the other.
std::vector<double> values_of(const Shapes& shapes, std::span<const std::size_t> terms, const Points& points);

/// Returns all products of one factor per argument, from a list for each. Except for the constant, terms that
/// overflow or vanish somewhere, and those that do not vary, are left out.
Shapes products_of(std::size_t points, std::span<const FactorColumns> factors);
Shapes products_of(const Points& points, std::span<const std::vector<Factor>> factors);

std::size_t distinct_values(const Points& points, std::size_t argument);

}  // namespace parcast::fit
