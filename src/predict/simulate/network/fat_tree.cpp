// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/topology.h"

namespace parcast::simulate::network {
namespace {

/// A generalised fat tree with parallel links (Zahavi 2010). Level 0 are the nodes. A vertex of level l - 1
/// has up_l parents, joined by parallel_l links each, and a switch of level l has down_l children. A vertex
/// of level l is identified by the number of its subtree of level l, and by its number among the subtree's
/// tops: number subtree * tops_l + top.
class FatTree : public Topology {
 public:
  FatTree(std::int32_t nodes, const machine::Network& network, const Bandwidths& bandwidths)
      : Topology(nodes) {
    Vertex first_vertex = 0;
    LinkId first_link = 0;
    std::int32_t below = 1, tops = 1;
    for (std::size_t i = 0; i < network.down.size(); ++i) {
      Level level{.down = network.down[i],
                  .up = network.up[i],
                  .parallel = network.parallel.empty() ? 1 : network.parallel[i]};
      level.below = below;
      level.tops = tops;
      level.first_vertex = first_vertex;
      level.first_link = first_link;
      const std::int32_t vertices = nodes / below * tops;
      first_vertex += static_cast<Vertex>(vertices);
      level.first_above = first_vertex;
      first_link += 2 * static_cast<LinkId>(vertices * level.up * level.parallel);
      below *= level.down;
      tops *= level.up;
      levels_.push_back(level);
      add_level(levels_.back(), vertices, i == 0 ? bandwidths.injection : bandwidths.link);
    }
  }

  /// Goes up to the lowest common switch, by the digits of the destination (d-mod-k), and down.
  void way(std::int32_t from, std::int32_t to, std::vector<LinkId>& links) const override {
    std::size_t height = 0;
    while (from / levels_[height].below / levels_[height].down !=
           to / levels_[height].below / levels_[height].down)
      ++height;
    for (std::size_t level = 0; level <= height; ++level) links.push_back(link(levels_[level], from, to, 0));
    for (std::size_t level = height + 1; level-- > 0;) links.push_back(link(levels_[level], to, to, 1));
  }

 private:
  std::string switch_name(Vertex number) const override {
    const Vertex vertex = number + static_cast<Vertex>(nodes());
    std::size_t level = levels_.size();  // the top, unless a lower level matches
    while (level > 1 && vertex < levels_[level - 1].first_above) --level;
    return "switch " + std::to_string(vertex - levels_[level - 1].first_above) + " of level " +
           std::to_string(level);
  }

  struct Level {  // between the vertices of a level and those above
    std::int32_t down = 1, up = 1, parallel = 1;
    std::int32_t below = 1;  // nodes of a subtree whose tops are the lower vertices
    std::int32_t tops = 1;   // of that subtree
    Vertex first_vertex = 0, first_above = 0;
    LinkId first_link = 0;
  };

  void add_level(const Level& level, std::int32_t vertices, Bandwidth capacity) {
    for (std::int32_t vertex = 0; vertex < vertices; ++vertex) {
      const std::int32_t subtree = vertex / level.tops, top = vertex % level.tops;
      for (std::int32_t parent = 0; parent < level.up; ++parent) {
        const std::int32_t above = subtree / level.down * level.tops * level.up + top + level.tops * parent;
        for (std::int32_t copy = 0; copy < level.parallel; ++copy) {
          add(level.first_vertex + static_cast<Vertex>(vertex),
              level.first_above + static_cast<Vertex>(above), capacity);
          add(level.first_above + static_cast<Vertex>(above),
              level.first_vertex + static_cast<Vertex>(vertex), capacity);
        }
      }
    }
  }

  /// Returns the link between the subtree of `side` and the one above it, among the links on routes to `to`.
  LinkId link(const Level& level, std::int32_t side, std::int32_t to, LinkId direction) const {
    const std::int32_t digit = to / level.tops, vertex = side / level.below * level.tops + to % level.tops;
    const std::int32_t parent = digit % level.up, copy = digit / level.up % level.parallel;
    return level.first_link + 2 * static_cast<LinkId>((vertex * level.up + parent) * level.parallel + copy) +
           direction;
  }

  std::vector<Level> levels_;
};

}  // namespace

std::shared_ptr<const Topology> make_fat_tree(const machine::Network& network, std::int32_t nodes,
                                              const Bandwidths& bandwidths) {
  return std::make_shared<FatTree>(nodes, network, bandwidths);
}

}  // namespace parcast::simulate::network
