/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Which processor owns which element. Every dimension has a distribution over the processors of its side of a
 * grid of processors, as in High Performance Fortran:
 *
 *     Block            0 0 0 1 1 1 2 2       equal blocks, in order
 *     Cyclic           0 1 2 0 1 2 0 1       one element to each processor in turn
 *     BlockCyclic(2)   0 0 1 1 2 2 0 0       blocks of 2 in turn
 *     Whole            0 0 0 0 0 0 0 0       not divided
 *
 * All are block-cyclic: Block with blocks of ceil(extent / processors), Whole with one block of all. */

#include <algorithm>
#include <span>
#include <vector>

#include "parcast/collections/error.h"
#include "parcast/collections/index.h"

namespace parcast::collections {

struct Distribution {
  enum class Kind { block, cyclic, whole };
  Kind kind = Kind::block;
  std::int64_t width = 1; /* elements of a block; of kind cyclic */
  friend constexpr bool operator==(const Distribution&, const Distribution&) = default;
};
inline constexpr Distribution Block{Distribution::Kind::block, 1};
inline constexpr Distribution Cyclic{Distribution::Kind::cyclic, 1};
inline constexpr Distribution Whole{Distribution::Kind::whole, 1};
constexpr Distribution BlockCyclic(std::int64_t width) {
  return {Distribution::Kind::cyclic, width};
}

/* The shape of the grid of processors. `nearest` uses all p processors: of two sides r x c, r is the divisor
 * of p that is nearest below sqrt(p). `square` has equal sides and leaves processors idle unless p is a
 * perfect square (in D dimensions: a perfect power), as in pC++ (Mohr, Shanmugam, Malony: Speedy, 1995,
 * section 5). */
enum class Shape { nearest, square };

/* Returns the sides of the grid for these distributions; dimensions with Whole have side 1. */
std::vector<int> processor_sides(int processors, std::span<const Distribution> distributions, Shape shape);

/* One dimension: `extent` elements over `parts` processors. */
class Layout {
 public:
  constexpr Layout() = default;
  Layout(std::int64_t extent, Distribution distribution, int parts);

  constexpr int parts() const { return parts_; }
  constexpr std::int64_t width() const { return width_; }
  constexpr int owner(std::int64_t i) const { return static_cast<int>(i / width_ % parts_); }
  /* Place of an element among those of its owner. */
  constexpr std::int64_t local(std::int64_t i) const { return i / (width_ * parts_) * width_ + i % width_; }
  constexpr std::int64_t global(int part, std::int64_t local) const {
    return (local / width_ * parts_ + part) * width_ + local % width_;
  }
  constexpr std::int64_t count(int part) const {
    const std::int64_t round = width_ * parts_;
    return extent_ / round * width_ + std::clamp<std::int64_t>(extent_ % round - part * width_, 0, width_);
  }
  /* Whether each processor's elements are neighbours. */
  constexpr bool is_contiguous() const { return width_ * parts_ >= extent_; }
  friend constexpr bool operator==(const Layout&, const Layout&) = default;

 private:
  std::int64_t extent_ = 0, width_ = 1;
  int parts_ = 1;
};

} /* namespace parcast::collections */
