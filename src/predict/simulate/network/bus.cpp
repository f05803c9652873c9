// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {
namespace {

/// A single link that every message crosses.
class Bus : public Topology {
 public:
  Bus(std::int32_t nodes, const Bandwidths& bandwidths) : Topology(nodes) {
    const auto in = static_cast<Vertex>(nodes), out = in + 1;
    for (std::int32_t node = 0; node < nodes; ++node) {
      add(static_cast<Vertex>(node), in, bandwidths.injection);
      add(out, static_cast<Vertex>(node), bandwidths.injection);
    }
    bus_ = add(in, out, bandwidths.link);
  }
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const override {
    links.insert(links.end(), {injection(from), bus_, ejection(to)});
  }

 private:
  LinkId bus_ = 0;
};

}  // namespace

std::shared_ptr<const Topology> make_bus(const machine::Network&, std::int32_t nodes,
                                         const Bandwidths& bandwidths) {
  return std::make_shared<Bus>(nodes, bandwidths);
}

}  // namespace parcast::simulate::network
