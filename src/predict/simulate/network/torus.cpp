// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {
namespace {

/// Node and switch n have the coordinates of n in row-major order. Each switch has one link up and one link
/// down per dimension.
class Torus : public Topology {
 public:
  Torus(std::int32_t nodes, const std::vector<std::int32_t>& extents, const Bandwidths& bandwidths)
      : Topology(nodes), extents_(extents), strides_(extents.size()) {
    std::int32_t stride = 1;
    for (std::size_t dimension = extents.size(); dimension-- > 0; stride *= extents[dimension])
      strides_[dimension] = stride;
    add_injection(bandwidths.injection, [&](std::int32_t node) { return switch_of(node); });
    for (std::int32_t node = 0; node < nodes; ++node)
      for (std::size_t dimension = 0; dimension < extents_.size(); ++dimension)
        for (const std::int32_t step : {1, -1})
          add(switch_of(node), switch_of(neighbour(node, dimension, step)), bandwidths.link);
  }

  /// One dimension after the other, in the shorter direction. At half the extent, up from even coordinates
  /// and down from odd ones.
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const override {
    links.push_back(injection(from));
    std::int32_t at = from;
    for (std::size_t dimension = 0; dimension < extents_.size(); ++dimension) {
      const std::int32_t extent = extents_[dimension], own = coordinate(from, dimension);
      const std::int32_t up = (coordinate(to, dimension) - own + extent) % extent;
      const bool upwards = 2 * up < extent || (2 * up == extent && own % 2 == 0);
      for (std::int32_t left = upwards ? up : extent - up; left > 0 && up > 0; --left) {
        links.push_back(link(at, dimension, upwards));
        at = neighbour(at, dimension, upwards ? 1 : -1);
      }
    }
    links.push_back(ejection(to));
  }

 private:
  std::string switch_name(Vertex number) const override {
    std::string out = "switch (";
    for (std::size_t dimension = 0; dimension < extents_.size(); ++dimension)
      out += (dimension == 0 ? "" : ", ") +
             std::to_string(coordinate(static_cast<std::int32_t>(number), dimension));
    return out + ")";
  }
  Vertex switch_of(std::int32_t node) const { return static_cast<Vertex>(nodes() + node); }
  std::int32_t coordinate(std::int32_t node, std::size_t dimension) const {
    return node / strides_[dimension] % extents_[dimension];
  }
  std::int32_t neighbour(std::int32_t node, std::size_t dimension, std::int32_t step) const {
    const std::int32_t extent = extents_[dimension], own = coordinate(node, dimension);
    return node + ((own + step + extent) % extent - own) * strides_[dimension];
  }
  LinkId link(std::int32_t node, std::size_t dimension, bool upwards) const {
    return 2 * (static_cast<LinkId>(nodes()) +
                static_cast<LinkId>(node) * static_cast<LinkId>(extents_.size()) +
                static_cast<LinkId>(dimension)) +
           (upwards ? 0 : 1);
  }

  std::vector<std::int32_t> extents_, strides_;
};

}  // namespace

std::shared_ptr<const Topology> make_torus(const machine::Network& network, std::int32_t nodes,
                                           const Bandwidths& bandwidths) {
  return std::make_shared<Torus>(nodes, network.dimensions, bandwidths);
}

}  // namespace parcast::simulate::network
