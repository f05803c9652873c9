// SPDX-License-Identifier: Apache-2.0
// Features as expressions, and the part of a feature that depends on a variable.
#include "fit_counts/features.h"

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using Kind = Factor::Kind;

Expression axis_extent(const Axis& axis) {
  return axis.dimensions == 0 ? processes_symbol() : extent_symbol(axis.dimensions, axis.dimension);
}

// Returns r mod P for the first dimension, and r divided by the preceding extents for the last one.
Expression first_fastest_coordinate(const Axis& axis, const Expression& P) {
  Expression before = 1;
  for (int k = 0; k < axis.dimension; ++k) before = before * extent_symbol(axis.dimensions, k);
  const Expression rest = axis.dimension == 0 ? rank_symbol() : symbolic::floor(rank_symbol() / before);
  return axis.dimension + 1 == axis.dimensions ? rest : symbolic::modulo(rest, P);
}

Expression axis_coordinate(const Factor& factor, const Expression& P) {
  const Axis& axis = factor.axis;
  const Expression c = axis.dimensions == 0 ? rank_symbol()
                       : axis.first_fastest ? first_fastest_coordinate(axis, P)
                                            : coordinate_symbol(axis.dimensions, axis.dimension);
  return factor.shift == 0 ? c : symbolic::modulo(c + factor.shift, P);
}

Expression when(const Expression& not_negative, const Expression& then, const Expression& otherwise) {
  return symbolic::conditional(not_negative, then, otherwise);
}

// Returns the number of children of c: one for each j with c a multiple of 2^(j+1) and c + 2^j < P.
Expression tree_children_expression(const Expression& P, const Expression& c) {
  constexpr int kLevels = 20;
  Expression sum;
  for (int j = 0; j < kLevels; ++j) {
    const std::int64_t step = std::int64_t{1} << j;
    sum = sum + when(-symbolic::modulo(c, 2 * step), when(P - 1 - c - step, 1, 0), 0);
  }
  return sum;
}

// Returns the number of dimensions of the grid with at least `divisor` ranks.
Expression divided_dimensions(const Factor& f) {
  Expression sum;
  for (int k = 0; k < f.axis.dimensions; ++k)
    sum = sum + when(extent_symbol(f.axis.dimensions, k) - f.divisor, 1, 0);
  return sum;
}

Expression neighbours(const Axis& axis) {
  Expression sum;
  for (int k = 0; k < axis.dimensions; ++k) {
    const Expression P = extent_symbol(axis.dimensions, k), c = coordinate_symbol(axis.dimensions, k);
    sum = sum + when(c - 1, 1, 0) + when(P - 2 - c, 1, 0);
  }
  return sum;
}

Expression process_expression(Kind kind, const Expression& P, const Expression& c) {
  switch (kind) {
    case Kind::extent:
      return P;
    case Kind::floor_log2:
      return symbolic::floor(symbolic::log2(P));
    case Kind::ceil_log2:
      return symbolic::ceil(symbolic::log2(P));
    case Kind::several:
      return when(P - 2, 1, 0);
    case Kind::coordinate:
      return c;
    case Kind::first:
      return when(-c, 1, 0);
    case Kind::not_first:
      return when(c - 1, 1, 0);
    case Kind::second:
      return when(c - 1, when(1 - c, 1, 0), 0);
    case Kind::last:
      return when(c - P + 1, 1, 0);
    case Kind::not_last:
      return when(P - 2 - c, 1, 0);
    case Kind::odd:
      return symbolic::modulo(c, 2);
    case Kind::even:
      return 1 - symbolic::modulo(c, 2);
    case Kind::tree_children:
      return tree_children_expression(P, c);
    default:
      return {};
  }
}

Expression parameter_expression(const Factor& f, const std::vector<std::string>& parameters,
                                const Expression& P, const Expression& c) {
  const auto parameter = [&](int v) { return parameter_symbol(parameters[static_cast<std::size_t>(v)]); };
  const Expression n = parameter(f.parameter) + f.offset;
  const Expression cyclic = symbolic::floor((n + P - 1 - c) / P);
  switch (f.kind) {
    case Kind::block_cyclic:
      return cyclic;
    case Kind::block_even:
      return symbolic::floor((c + 1) * n / P) - symbolic::floor(c * n / P);
    case Kind::block_ceil:
      return symbolic::min(symbolic::ceil(n / P), symbolic::max(0, n - c * symbolic::ceil(n / P)));
    case Kind::block_last:
      return symbolic::floor(n / P) + when(c - P + 1, symbolic::modulo(n, P), 0);
    case Kind::quotient_floor:
      return symbolic::floor(n / P);
    case Kind::quotient_ceil:
      return symbolic::ceil(n / P);
    case Kind::remainder:
      return symbolic::modulo(n, P);
    case Kind::index_sum:
      return c * cyclic + P * cyclic * (cyclic - 1) / 2;
    case Kind::smaller:
      return symbolic::min(n, P);
    case Kind::fixed_floor:
      return symbolic::floor(n / f.divisor);
    case Kind::fixed_ceil:
      return symbolic::ceil(n / f.divisor);
    case Kind::ratio_floor:
      return symbolic::floor(n / parameter(f.by));
    case Kind::ratio_ceil:
      return symbolic::ceil(n / parameter(f.by));
    case Kind::root:
      return symbolic::power(n, symbolic::Rational::of(1, f.divisor));
    case Kind::levels_floor:
      return symbolic::floor(symbolic::log2(n));
    case Kind::levels_ceil:
      return symbolic::ceil(symbolic::log2(n));
    default:
      return {};
  }
}

Expression expression_of(const Factor& factor, const std::vector<std::string>& parameters) {
  const Expression P = axis_extent(factor.axis);
  const Expression c = axis_coordinate(factor, P);
  if (factor.kind == Kind::divided) return divided_dimensions(factor);
  if (factor.kind == Kind::neighbours) return neighbours(factor.axis);
  if (!takes_parameter(factor.kind)) return process_expression(factor.kind, P, c);
  return parameter_expression(factor, parameters, P, c);
}

bool uses_axis(Kind kind) {
  return kind != Kind::fixed_floor && kind != Kind::fixed_ceil && kind != Kind::root &&
         kind != Kind::levels_floor && kind != Kind::levels_ceil && kind != Kind::ratio_floor &&
         kind != Kind::ratio_ceil;
}

bool takes(const Factor& f, std::size_t parameter) {
  const int v = static_cast<int>(parameter);
  return takes_parameter(f.kind) && (f.parameter == v || f.by == v);
}

}  // namespace

bool Feature::involves(std::size_t variable) const {
  const bool is_p = variable == degrees.size();
  if (!is_p && degrees[variable] > 0) return true;
  for (const Factor& f : factors) {
    if (is_p && uses_axis(f.kind)) return true;
    if (!is_p && takes(f, variable)) return true;
  }
  return false;
}

std::string Feature::part_of(std::size_t variable) const {
  const bool is_p = variable == degrees.size();
  std::string part;
  if (!is_p && degrees[variable] > 0) part = "^" + std::to_string(degrees[variable]);
  for (const Factor& f : factors) {
    if (is_p ? !uses_axis(f.kind) : !takes(f, variable)) continue;
    for (const int number :
         {static_cast<int>(f.kind), f.axis.dimensions, f.axis.dimension,
          static_cast<int>(f.axis.first_fastest), f.parameter, f.offset, f.shift, f.divisor, f.by})
      part += "," + std::to_string(number);
    part += ";";
  }
  return part;
}

Expression expression_of(const Feature& feature, const std::vector<std::string>& parameters) {
  Expression product = 1;
  for (std::size_t i = 0; i < feature.degrees.size(); ++i)
    if (feature.degrees[i] > 0)
      product = product * symbolic::power(parameter_symbol(parameters[i]), feature.degrees[i]);
  for (const Factor& factor : feature.factors) product = product * expression_of(factor, parameters);
  return product;
}

}  // namespace parcast::program
