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
#include <utility>
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

/* The owner of each element, and its place among the owner's elements, which are stored row by row. */
template <int D>
class Placement {
 public:
  Placement() = default;
  /* `sides`: of the grid of processors. */
  Placement(const Index<D>& extents, const std::array<Distribution, D>& distributions,
            std::span<const int> sides)
      : extents_(extents) {
    for (std::size_t d = 0; d < D; ++d) layouts_[d] = Layout(extents[d], distributions[d], sides[d]);
  }

  const Index<D>& extents() const { return extents_; }
  const Layout& layout(std::size_t dimension) const { return layouts_[dimension]; }
  bool contains(const Index<D>& index) const {
    for (std::size_t d = 0; d < D; ++d)
      if (static_cast<std::uint64_t>(index[d]) >= static_cast<std::uint64_t>(extents_[d])) return false;
    return true;
  }
  bool is_contiguous() const {
    return std::all_of(layouts_.begin(), layouts_.end(),
                       [](const Layout& layout) { return layout.is_contiguous(); });
  }

  int owner(const Index<D>& index) const {
    int rank = 0;
    for (std::size_t d = 0; d < D; ++d) rank = rank * layouts_[d].parts() + layouts_[d].owner(index[d]);
    return rank;
  }
  std::int64_t offset(const Index<D>& index) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < D; ++d) {
      const Layout& layout = layouts_[d];
      offset = offset * layout.count(layout.owner(index[d])) + layout.local(index[d]);
    }
    return offset;
  }

  /* Coordinates of a processor in the grid; false if it is outside. */
  bool coordinates(int rank, std::array<int, D>& at) const {
    for (std::size_t d = D; d-- > 0;) at[d] = rank % layouts_[d].parts(), rank /= layouts_[d].parts();
    return rank == 0;
  }
  /* Elements of a processor along each dimension; all 0 outside of the grid. */
  Index<D> counts(int rank) const {
    std::array<int, D> at{};
    Index<D> counts;
    if (coordinates(rank, at))
      for (std::size_t d = 0; d < D; ++d) counts[d] = layouts_[d].count(at[d]);
    return counts;
  }

  /* Calls f(index, offset) for each element of a processor, in order of the offsets. */
  template <class F>
  void each(int rank, F&& f) const {
    std::array<int, D> at{};
    if (!coordinates(rank, at)) return;
    Index<D> index;
    std::int64_t offset = 0;
    each_along<0>(at, index, offset, f);
  }

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  template <std::size_t d, class F>
  void each_along(const std::array<int, D>& at, Index<D>& index, std::int64_t& offset, F& f) const {
    const std::int64_t width = layouts_[d].width(), round = width * layouts_[d].parts();
    for (std::int64_t begin = at[d] * width; begin < extents_[d]; begin += round) {
      const std::int64_t end = std::min(begin + width, extents_[d]);
      if constexpr (d + 1 == D) {
        const std::int64_t shift = offset - begin;
        Index<D> here = index;
        for (std::int64_t i = begin; i < end; ++i) {
          here[d] = i;
          f(std::as_const(here), i + shift);
        }
        offset += end - begin;
      } else {
        for (index[d] = begin; index[d] < end; ++index[d]) each_along<d + 1>(at, index, offset, f);
      }
    }
  }

  Index<D> extents_;
  std::array<Layout, D> layouts_{};
};

} /* namespace parcast::collections */
