/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A collection with a halo: each processor keeps a copy of the elements around its own, `halo` wide, which
 * exchange() renews. Elements beyond the border of the grid do not exist. For distributions Block and Whole.
 *
 *     DistributedGrid<double, 2> u(team, {n, n}, {Block, Block}, 1);
 *     u.exchange();
 *     next.for_each([&](Index2 at, double& x) { x = u.near({at[0] - 1, at[1]}) + ...; }); */

#include "parcast/collections/array.h"

namespace parcast::collections {

template <class T, int D>
class DistributedGrid : public DistributedArray<T, D> {
 public:
  DistributedGrid(Team& team, const Index<D>& extents, const std::array<Distribution, D>& distributions,
                  std::int64_t halo, const Options<D>& options = {})
      : DistributedArray<T, D>(team, extents, distributions, options) {
    if (halo < 0 || !this->placement().is_contiguous())
      throw Error(this->name() + ": a halo needs a width of 0 or more, and distributions Block or Whole");
    std::array<int, D> at{};
    if (volume(this->placement().counts(team.rank())) == 0 || !this->placement().coordinates(team.rank(), at))
      return;
    for (std::size_t d = 0; d < D; ++d) {
      const Layout& layout = this->placement().layout(d);
      const std::int64_t begin = at[d] * layout.width();
      first_[d] = std::max<std::int64_t>(begin - halo, 0);
      counts_[d] = std::min(begin + layout.count(at[d]) + halo, extents[d]) - first_[d];
    }
  }

  /* Fetches the halo from its owners: one access for each. Then a barrier. */
  void exchange(Where where = Where::current()) {
    near_ = this->get_block(first_, counts_, where);
    this->team().barrier();
  }

  /* An element of this processor or of its halo, as of the last exchange. */
  const T& near(const Index<D>& index) const {
    std::int64_t offset = 0;
    bool is_near = !near_.empty();
    for (std::size_t d = 0; d < D; ++d) {
      const std::int64_t i = index[d] - first_[d];
      is_near &= static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(counts_[d]);
      offset = offset * counts_[d] + i;
    }
    if (!is_near)
      throw Error(this->name() + to_text(index) + " is not within the halo, or it was not exchanged yet");
    return near_[static_cast<std::size_t>(offset)];
  }

 private:
  Index<D> first_, counts_;
  std::vector<T> near_;
};

} /* namespace parcast::collections */
