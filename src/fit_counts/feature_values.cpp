// SPDX-License-Identifier: Apache-2.0
// Values of features in whole numbers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/checked.h"
#include "fit_counts/features.h"
#include "fit_counts/wide.h"

namespace parcast::program {
namespace {

using Kind = Factor::Kind;

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return -floor_divide(-a, b);
}

std::int64_t floor_log2(std::int64_t x) {
  return std::bit_width(static_cast<std::uint64_t>(x)) - 1;
}
std::int64_t ceil_log2(std::int64_t x) {
  return std::bit_width(static_cast<std::uint64_t>(x - 1));
}

std::int64_t cyclic(std::int64_t n, std::int64_t P, std::int64_t c) {
  return floor_divide(n + P - 1 - c, P);
}

std::int64_t block_even(std::int64_t n, std::int64_t P, std::int64_t c) {
  const auto start = [&](std::int64_t k) { return static_cast<std::int64_t>(static_cast<Wide>(k) * n / P); };
  return start(c + 1) - start(c);
}

std::int64_t block_ceil(std::int64_t n, std::int64_t P, std::int64_t c) {
  const std::int64_t size = ceil_divide(n, P);
  return std::min(size, std::max<std::int64_t>(0, n - c * size));
}

std::int64_t block_last(std::int64_t n, std::int64_t P, std::int64_t c) {
  return floor_divide(n, P) + (c == P - 1 ? floor_modulo(n, P) : 0);
}

std::optional<std::int64_t> index_sum(std::int64_t n, std::int64_t P, std::int64_t c) {
  const std::int64_t m = cyclic(n, P, c);
  const auto pairs = checked_multiply(m, m - 1);
  if (!pairs) return std::nullopt;
  const auto rest = checked_multiply(P, *pairs / 2);
  const auto start = checked_multiply(c, m);
  if (!rest || !start) return std::nullopt;
  return checked_add(*rest, *start);
}

std::optional<std::int64_t> whole_root(std::int64_t n, int divisor) {
  if (n < 0) return std::nullopt;
  const auto root = static_cast<std::int64_t>(std::llround(std::pow(static_cast<double>(n), 1.0 / divisor)));
  std::int64_t back = 1;
  for (int i = 0; i < divisor; ++i) back *= root;
  return back == n ? std::optional(root) : std::nullopt;
}

// Returns the number of ranks r + 2^j < P with 2^j below the lowest set bit of r (for the root: any j).
std::int64_t tree_children(std::int64_t P, std::int64_t c) {
  std::int64_t children = 0;
  for (std::int64_t step = 1; c + step < P && (c & step) == 0; step *= 2) ++children;
  return children;
}

std::optional<std::int64_t> process_value(const Factor& f, std::int64_t P, std::int64_t c) {
  switch (f.kind) {
    case Kind::extent:
      return P;
    case Kind::floor_log2:
      return floor_log2(P);
    case Kind::ceil_log2:
      return ceil_log2(P);
    case Kind::several:
      return P > 1;
    case Kind::coordinate:
      return c;
    case Kind::first:
      return c == 0;
    case Kind::not_first:
      return c > 0;
    case Kind::second:
      return c == 1;
    case Kind::last:
      return c == P - 1;
    case Kind::not_last:
      return c < P - 1;
    case Kind::odd:
      return c % 2;
    case Kind::even:
      return 1 - c % 2;
    case Kind::tree_children:
      return tree_children(P, c);
    default:
      return std::nullopt;
  }
}

// `m`: the second parameter, if the factor has one.
std::optional<std::int64_t> parameter_value(const Factor& f, std::int64_t n, std::int64_t m, std::int64_t P,
                                            std::int64_t c) {
  if (n < 0 || n > (std::int64_t{1} << 50)) return std::nullopt;
  switch (f.kind) {
    case Kind::block_cyclic:
      return cyclic(n, P, c);
    case Kind::block_even:
      return block_even(n, P, c);
    case Kind::block_ceil:
      return block_ceil(n, P, c);
    case Kind::block_last:
      return block_last(n, P, c);
    case Kind::quotient_floor:
      return floor_divide(n, P);
    case Kind::quotient_ceil:
      return ceil_divide(n, P);
    case Kind::remainder:
      return floor_modulo(n, P);
    case Kind::index_sum:
      return index_sum(n, P, c);
    case Kind::smaller:
      return std::min(n, P);
    case Kind::fixed_floor:
      return floor_divide(n, std::int64_t{f.divisor});
    case Kind::fixed_ceil:
      return ceil_divide(n, std::int64_t{f.divisor});
    case Kind::ratio_floor:
      return m > 0 ? std::optional(floor_divide(n, m)) : std::nullopt;
    case Kind::ratio_ceil:
      return m > 0 ? std::optional(ceil_divide(n, m)) : std::nullopt;
    case Kind::root:
      return whole_root(n, f.divisor);
    case Kind::levels_floor:
      return n > 0 ? std::optional(floor_log2(n)) : std::nullopt;
    case Kind::levels_ceil:
      return n > 0 ? std::optional(ceil_log2(n)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool depends_on_rank(Kind kind) {
  switch (kind) {
    case Kind::coordinate:
    case Kind::first:
    case Kind::not_first:
    case Kind::second:
    case Kind::last:
    case Kind::not_last:
    case Kind::odd:
    case Kind::even:
    case Kind::block_cyclic:
    case Kind::block_even:
    case Kind::block_ceil:
    case Kind::block_last:
    case Kind::index_sum:
    case Kind::tree_children:
    case Kind::neighbours:
      return true;
    default:
      return false;
  }
}

bool is_block(Kind kind) {
  return kind == Kind::block_cyclic || kind == Kind::block_even || kind == Kind::block_ceil ||
         kind == Kind::block_last || kind == Kind::quotient_floor || kind == Kind::quotient_ceil;
}

bool takes_parameter(Kind kind) {
  switch (kind) {
    case Kind::block_cyclic:
    case Kind::block_even:
    case Kind::block_ceil:
    case Kind::block_last:
    case Kind::quotient_floor:
    case Kind::quotient_ceil:
    case Kind::remainder:
    case Kind::index_sum:
    case Kind::smaller:
    case Kind::fixed_floor:
    case Kind::fixed_ceil:
    case Kind::ratio_floor:
    case Kind::ratio_ceil:
    case Kind::root:
    case Kind::levels_floor:
    case Kind::levels_ceil:
      return true;
    default:
      return false;
  }
}

namespace {

std::int64_t coordinate_at(const Axis& axis, const Place& place) {
  if (axis.dimensions == 0) return place.r;
  if (!axis.first_fastest) return place.coordinates[axis.dimensions][axis.dimension];
  const auto& extents = place.extents[axis.dimensions];
  std::int64_t rest = place.r;
  for (int k = 0; k < axis.dimension; ++k) rest /= extents[k];
  return rest % extents[axis.dimension];
}

std::int64_t divided_dimensions(const Factor& f, const Place& place) {
  std::int64_t divided = 0;
  for (int k = 0; k < f.axis.dimensions; ++k) divided += place.extents[f.axis.dimensions][k] >= f.divisor;
  return divided;
}

std::int64_t neighbours(const Axis& axis, const Place& place) {
  const auto d = static_cast<std::size_t>(axis.dimensions);
  std::int64_t all = 0;
  for (std::size_t k = 0; k < d; ++k)
    all += (place.coordinates[d][k] > 0) + (place.coordinates[d][k] + 1 < place.extents[d][k]);
  return all;
}

}  // namespace

std::optional<std::int64_t> value_at(const Factor& factor, const Place& place) {
  const Axis& axis = factor.axis;
  const std::int64_t P = axis.dimensions == 0 ? place.p : place.extents[axis.dimensions][axis.dimension];
  std::int64_t c = coordinate_at(axis, place);
  if (factor.shift != 0) c = floor_modulo(c + factor.shift, P);
  if (factor.kind == Kind::neighbours) return neighbours(axis, place);
  if (factor.kind == Kind::divided) return divided_dimensions(factor, place);
  if (!takes_parameter(factor.kind)) return process_value(factor, P, c);
  const std::int64_t m = factor.by < 0 ? 0 : place.parameters[static_cast<std::size_t>(factor.by)];
  return parameter_value(factor, place.parameters[factor.parameter] + factor.offset, m, P, c);
}

std::optional<std::int64_t> value_at(const Feature& feature, const Place& place) {
  std::int64_t product = 1;
  const auto times = [&product](std::optional<std::int64_t> by) {
    const auto next = by ? checked_multiply(product, *by) : std::nullopt;
    product = next.value_or(0);
    return next.has_value();
  };
  for (std::size_t i = 0; i < feature.degrees.size(); ++i)
    for (int k = 0; k < feature.degrees[i]; ++k)
      if (!times(place.parameters[i])) return std::nullopt;
  for (const Factor& factor : feature.factors)
    if (!times(value_at(factor, place))) return std::nullopt;
  constexpr std::int64_t kLargest = std::int64_t{1} << 60;  // sums of a few stay within 64 bits
  if (product > kLargest || product < -kLargest) return std::nullopt;
  return product;
}

}  // namespace parcast::program
