// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

#include <cassert>
#include <string_view>

namespace parcast::simulate::network {
namespace {

struct Maker {
  std::string_view topology;
  std::shared_ptr<const Topology> (*make)(const machine::Network&, std::int32_t, const Bandwidths&);
};
constexpr Maker kMakers[] = {{"crossbar", make_crossbar},
                             {"bus", make_bus},
                             {"torus", make_torus},
                             {"fat_tree", make_fat_tree},
                             {"dragonfly", make_dragonfly}};

}  // namespace

std::shared_ptr<const Topology> make_topology(const machine::Network& network, std::int32_t nodes,
                                              const Bandwidths& bandwidths) {
  for (const Maker& maker : kMakers)
    if (maker.topology == network.topology) return maker.make(network, nodes, bandwidths);
  assert(false);  // check() has the same names
  return nullptr;
}

}  // namespace parcast::simulate::network
