// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {
namespace {

/// Dragonfly (Kim, Dally, Scott, Abts 2008): within a group, all routers are joined with each other, and all
/// groups are joined with each other. Global port j of a group is at its router floor(j / ports of a router).
/// It leads to the group 1 + j mod (groups - 1) further on. Only complete rounds of ports are used, so that
/// any two groups have the same number of links between them.
class Dragonfly : public Topology {
 public:
  Dragonfly(std::int32_t nodes, const machine::Network& network, const Bandwidths& bandwidths)
      : Topology(nodes),
        groups_(network.groups),
        routers_(network.routers_per_group),
        terminals_(network.nodes_per_router),
        ports_(network.global_links_per_router),
        copies_(groups_ > 1 ? routers_ * ports_ / (groups_ - 1) : 0) {
    add_injection(bandwidths.injection, [&](std::int32_t node) { return vertex(router_of(node)); });
    for (std::int32_t router = 0; router < groups_ * routers_; ++router)
      for (std::int32_t other = 0; other < routers_; ++other)
        if (other != router % routers_)
          add(vertex(router), vertex(router / routers_ * routers_ + other), bandwidths.link);
    for (std::int32_t group = 0; group < groups_; ++group)
      for (std::int32_t port = 0; port < copies_ * (groups_ - 1); ++port) {
        const std::int32_t further = 1 + port % (groups_ - 1), round = port / (groups_ - 1);
        const std::int32_t there = (group + further) % groups_;
        add(vertex(gateway(group, further, round)), vertex(gateway(there, groups_ - further, round)),
            bandwidths.global);
      }
  }

  /// At most one link inside the first group, one between groups, and one inside the last. Of several links
  /// between two groups the route takes number (destination mod their count).
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const override {
    const std::int32_t first = router_of(from), last = router_of(to), group = first / routers_,
                       there = last / routers_;
    links.push_back(injection(from));
    if (group == there) {
      if (first != last) links.push_back(local(first, last));
    } else {
      const std::int32_t further = (there - group + groups_) % groups_, round = to % copies_;
      const std::int32_t out = gateway(group, further, round), in = gateway(there, groups_ - further, round);
      if (first != out) links.push_back(local(first, out));
      links.push_back(global(group, further, round));
      if (in != last) links.push_back(local(in, last));
    }
    links.push_back(ejection(to));
  }

 private:
  std::string switch_name(Vertex number) const override {
    const auto router = static_cast<std::int32_t>(number);
    return "router " + std::to_string(router % routers_) + " of group " + std::to_string(router / routers_);
  }
  Vertex vertex(std::int32_t router) const { return static_cast<Vertex>(nodes() + router); }
  std::int32_t router_of(std::int32_t node) const { return node / terminals_; }
  std::int32_t port(std::int32_t further, std::int32_t round) const {
    return round * (groups_ - 1) + further - 1;
  }
  std::int32_t gateway(std::int32_t group, std::int32_t further, std::int32_t round) const {
    return group * routers_ + port(further, round) / ports_;
  }
  LinkId local(std::int32_t from, std::int32_t to) const {
    const std::int32_t own = from % routers_, other = to % routers_;
    return static_cast<LinkId>(2 * nodes() + from * (routers_ - 1) + other - (other > own ? 1 : 0));
  }
  LinkId global(std::int32_t group, std::int32_t further, std::int32_t round) const {
    return static_cast<LinkId>(2 * nodes() + groups_ * routers_ * (routers_ - 1) +
                               group * copies_ * (groups_ - 1) + port(further, round));
  }

  std::int32_t groups_, routers_, terminals_, ports_;
  std::int32_t copies_;  // links from one group to another
};

}  // namespace

std::shared_ptr<const Topology> make_dragonfly(const machine::Network& network, std::int32_t nodes,
                                               const Bandwidths& bandwidths) {
  return std::make_shared<Dragonfly>(nodes, network, bandwidths);
}

}  // namespace parcast::simulate::network
