// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {
namespace {

/// All nodes are on one switch, which is never the bottleneck.
class Crossbar : public Topology {
 public:
  Crossbar(std::int32_t nodes, const Bandwidths& bandwidths) : Topology(nodes) {
    add_injection(bandwidths.injection, [nodes](std::int32_t) { return static_cast<Vertex>(nodes); });
  }
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const override {
    links.insert(links.end(), {injection(from), ejection(to)});
  }
};

}  // namespace

std::shared_ptr<const Topology> make_crossbar(const machine::Network&, std::int32_t nodes,
                                              const Bandwidths& bandwidths) {
  return std::make_shared<Crossbar>(nodes, bandwidths);
}

}  // namespace parcast::simulate::network
