// SPDX-License-Identifier: Apache-2.0
#pragma once
// Max-min fair shares by progressive filling (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2), in whole rates.
// docs/models/network.md, Shares, says which rounding; the result does not depend on the order of flows or links.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "predict/simulate/network/bandwidth.h"

namespace parcast::simulate::network {

using LinkId = std::uint32_t;

/// Flows and links that hang together. Kept by its user, so that its memory is used again.
class Filling {
 public:
  void clear();
  /// Both return the number by which the filling knows it, counted from 0.
  std::uint32_t add_link(Bandwidth capacity);
  /// A flow over some of its links, at most at `bound`; a flow may have no link.
  std::uint32_t add_flow(Bandwidth bound, std::span<const std::uint32_t> links);
  /// Rates of all flows. A rate is at least 1 where every link's capacity is at least the number of its flows.
  const std::vector<Bandwidth>& fill();
  /// After that: the rates again, and of a link the rate of the flows that it held back, its fastest; 0 where
  /// it held none back.
  const std::vector<Bandwidth>& rates() const { return rates_; }
  Bandwidth level(std::uint32_t link) const { return links_[link].level; }

 private:
  struct Link {
    Bandwidth left = 0;        // capacity less the rates that are settled
    std::int64_t open = 0;     // flows whose rate is not
    std::uint32_t first = 0;   // of its flows in `members_`
    std::uint32_t count = 0;
    Bandwidth level = 0;  // its share when it was full; 0: it never was
    Bandwidth share() const { return left / open; }
  };
  struct Flow {
    std::uint32_t first = 0, count = 0;  // of its links in `ways_`
    bool settled = false;
  };

  void list_members();
  void collect(Bandwidth share);
  void settle(std::uint32_t flow, Bandwidth rate);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> ways_, members_;
  std::vector<std::pair<Bandwidth, std::uint32_t>> bounds_;  // of flows, ascending
  std::vector<std::pair<Bandwidth, std::uint32_t>> shares_;  // of links, a heap: at most what they are now
  std::vector<std::uint32_t> full_;                          // links of the round at hand
  std::vector<Bandwidth> rates_;
};

}  // namespace parcast::simulate::network
