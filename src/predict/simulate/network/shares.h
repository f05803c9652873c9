// SPDX-License-Identifier: Apache-2.0
#pragma once
// Max-min fair shares by progressive filling (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2), in
// integer rates. docs/models/network.md, "Shares", defines the rounding; the result does not depend on the
// order of flows or links.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "predict/simulate/network/bandwidth.h"

namespace parcast::simulate::network {

using LinkId = std::uint32_t;

/// A set of connected flows and links. The caller keeps the object, so that its memory is reused.
class Filling {
 public:
  void clear();
  /// Both functions return the number in this filling, counted from 0.
  std::uint32_t add_link(Bandwidth capacity);
  /// Adds a flow over some of these links, with a rate of at most `bound`; a flow may have no link.
  std::uint32_t add_flow(Bandwidth bound, std::span<const std::uint32_t> links);
  /// Computes the rates of all flows. A rate is at least 1 when every link's capacity is at least the number
  /// of its flows.
  const std::vector<Bandwidth>& fill();
  /// After fill(): the rates again. The level of a link is the rate of the flows that it limited, which are
  /// its fastest; 0 when it limited none.
  const std::vector<Bandwidth>& rates() const { return rates_; }
  Bandwidth level(std::uint32_t link) const { return links_[link].level; }

 private:
  struct Link {
    Bandwidth left = 0;       // capacity minus the settled rates
    std::int64_t open = 0;    // flows without a settled rate
    std::uint32_t first = 0;  // of its flows in `members_`
    std::uint32_t count = 0;
    Bandwidth level = 0;  // its share when it became full; 0: it never did
    Bandwidth share() const { return left / open; }
  };
  struct Flow {
    std::uint32_t first = 0, count = 0;  // of its links in `ways_`
    bool resolved = false;
  };

  void list_members();
  void collect(Bandwidth share);
  void settle(std::uint32_t flow, Bandwidth rate);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> ways_, members_;
  std::vector<std::pair<Bandwidth, std::uint32_t>> bounds_;  // of flows, ascending
  // of links, a heap; each at most the current share
  std::vector<std::pair<Bandwidth, std::uint32_t>> shares_;
  std::vector<std::uint32_t> full_;  // links of the current round
  std::vector<Bandwidth> rates_;
};

}  // namespace parcast::simulate::network
