/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The place of an element in a collection of D dimensions, counted from 0. Index1 converts to and from a
 * number. */

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

namespace parcast::collections {

template <int D>
struct Index {
  static_assert(D >= 1, "a collection has at least one dimension");
  std::array<std::int64_t, D> at{};

  constexpr Index() = default;
  template <std::convertible_to<std::int64_t>... Numbers>
  requires(sizeof...(Numbers) == D) constexpr Index(Numbers... numbers)
      : at{static_cast<std::int64_t>(numbers)...} {}

  constexpr std::int64_t operator[](std::size_t dimension) const { return at[dimension]; }
  constexpr std::int64_t& operator[](std::size_t dimension) { return at[dimension]; }
  constexpr operator std::int64_t() const requires(D == 1) { return at[0]; }
  friend constexpr bool operator==(const Index&, const Index&) = default;
  template <std::integral Number>
  friend constexpr bool operator==(const Index& index, Number number) requires(D == 1) {
    return index.at[0] == static_cast<std::int64_t>(number);
  }
};

using Index1 = Index<1>;
using Index2 = Index<2>;
using Index3 = Index<3>;

/* Number of elements of a box with these extents. */
template <int D>
constexpr std::int64_t volume(const Index<D>& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents.at) product *= extent;
  return product;
}

template <int D>
std::string to_text(const Index<D>& index) {
  std::string text = "(";
  for (std::size_t d = 0; d < D; ++d) text += (d ? ", " : "") + std::to_string(index[d]);
  return text + ")";
}

} /* namespace parcast::collections */
