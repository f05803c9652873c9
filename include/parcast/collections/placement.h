/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The places of a collection's elements: along each dimension a distribution over a side of the grid of
 * processors. */

#include <utility>

#include "parcast/collections/distribution.h"

namespace parcast::collections {

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

  /* The element at an offset among those of a processor. */
  Index<D> index(int rank, std::int64_t offset) const {
    std::array<int, D> at{};
    coordinates(rank, at);
    Index<D> index;
    for (std::size_t d = D; d-- > 0;) {
      const std::int64_t count = layouts_[d].count(at[d]);
      index[d] = layouts_[d].global(at[d], offset % count);
      offset /= count;
    }
    return index;
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

  /* Calls f(index, length) for the elements of a box, row by row, in stretches with one owner. */
  template <class F>
  void each_row(const Index<D>& first, const Index<D>& extents, F&& f) const {
    constexpr std::size_t last = D - 1;
    const std::int64_t width = layouts_[last].width(), row_end = first[last] + extents[last];
    if (volume(extents) == 0) return;
    for (Index<D> row = first;;) {
      Index<D> at = row;
      for (std::int64_t length; at[last] < row_end; at[last] += length) {
        length = std::min(width - at[last] % width, row_end - at[last]);
        f(std::as_const(at), length);
      }
      std::size_t d = last;
      while (d > 0 && ++row[d - 1] == first[d - 1] + extents[d - 1]) --d, row[d] = first[d];
      if (d == 0) return;
    }
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
