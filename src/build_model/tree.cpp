// SPDX-License-Identifier: Apache-2.0
#include "build_model/tree.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "build_model/loops.h"

namespace parcast::program {
namespace {

using recording::CallClass;

// One kind of process: its transitions and the order of its first visits.
struct IterationKind {
  std::vector<std::int32_t> transitions, visits;
};

class TreeBuilder {
 public:
  explicit TreeBuilder(const Traces& traces) : traces_(traces) { find_kinds(); }

  Tree build() {
    std::vector<std::int32_t> all;
    for (std::size_t k = 0; k < traces_.keys.size(); ++k) all.push_back(static_cast<std::int32_t>(k));
    tree_.root = {NodeKind::program, "", -1, region(all, 0), {}};
    return std::move(tree_);
  }

 private:
  void find_kinds() {
    std::map<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>, std::size_t> known;
    for (const Trace& trace : traces_.traces) {
      IterationKind kind;
      for (const auto& [id, totals] : trace.transitions) kind.transitions.push_back(id);
      kind.visits = trace.visits;
      const auto [at, is_new] = known.emplace(std::pair{kind.transitions, kind.visits}, kinds_.size());
      if (is_new) kinds_.push_back(std::move(kind));
      tree_.kind_of.push_back(at->second);
    }
  }

  const CallKey& key(std::int32_t index) const { return traces_.keys[static_cast<std::size_t>(index)]; }

  // Returns the sequence inside one region at `depth`. `keys` are those in the region or deeper.
  std::vector<Branch> region(const std::vector<std::int32_t>& keys, std::size_t depth) {
    std::map<std::string, std::int32_t> subregions;
    std::vector<std::vector<std::int32_t>> members;  // per node of this level
    std::map<std::int32_t, std::int32_t> node_of;
    std::vector<bool> is_region;
    for (const std::int32_t k : keys) {
      auto node = static_cast<std::int32_t>(members.size());
      if (key(k).path.size() > depth) node = subregions.emplace(key(k).path[depth], node).first->second;
      if (node == static_cast<std::int32_t>(members.size())) {
        members.emplace_back();
        is_region.push_back(key(k).path.size() > depth);
      }
      members[static_cast<std::size_t>(node)].push_back(k);
      node_of[k] = node;
    }
    number_by_lines(members, is_region, node_of);
    const std::vector<Graph> graphs = graphs_at(node_of, is_region, depth);
    std::vector<Branch> leaves;
    for (std::size_t node = 0; node < members.size(); ++node)
      leaves.push_back(is_region[node]
                           ? subregion(members[node], static_cast<std::int32_t>(node), graphs, depth)
                           : Branch{NodeKind::call, "", members[node][0], {}, {}});
    return branches(nest_loops(static_cast<std::int32_t>(members.size()), graphs), leaves);
  }

  /// Returns the file and line of a call; an empty file: they are unknown.
  std::pair<std::string, int> place_of(std::int32_t index) const {
    const std::string& where = key(index).where;
    const std::size_t colon = where.rfind(':');
    int line = 0;
    if (colon == std::string::npos ||
        std::from_chars(where.data() + colon + 1, where.data() + where.size(), line).ec != std::errc())
      return {};
    return {where.substr(0, colon), line};
  }

  /// Renumbers the calls of a file by their lines, among their own numbers. The number decides where no
  /// process shows which of two calls is first: left and right neighbours that no rank has both.
  void number_by_lines(std::vector<std::vector<std::int32_t>>& members, const std::vector<bool>& is_region,
                       std::map<std::int32_t, std::int32_t>& node_of) const {
    std::map<std::string, std::vector<std::size_t>> of_file;
    for (std::size_t node = 0; node < members.size(); ++node)
      if (const std::string file = is_region[node] ? "" : place_of(members[node][0]).first; !file.empty())
        of_file[file].push_back(node);
    for (const auto& [file, nodes] : of_file) {
      std::vector<std::int32_t> calls;
      for (const std::size_t node : nodes) calls.push_back(members[node][0]);
      std::ranges::stable_sort(calls, {}, [&](std::int32_t call) { return place_of(call).second; });
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        members[nodes[i]] = {calls[i]};
        node_of[calls[i]] = static_cast<std::int32_t>(nodes[i]);
      }
    }
  }

  Branch subregion(const std::vector<std::int32_t>& members, std::int32_t node,
                   const std::vector<Graph>& graphs, std::size_t depth) {
    Branch branch{NodeKind::region, key(members[0]).path[depth], -1, region(members, depth + 1), {}};
    for (const Graph& graph : graphs) {
      branch.counted.emplace_back();
      for (const Arc& arc : graph.arcs)
        if (arc.to == node) branch.counted.back().push_back(arc.id);
    }
    return branch;
  }

  // Returns whether the transition leads from an end of a region to a begin of the same region.
  bool enters_again(const Transition& t, std::size_t depth) const {
    return key(t.from).call_class == CallClass::region_end &&
           key(t.to).call_class == CallClass::region_begin && key(t.from).path.size() == depth + 1 &&
           key(t.to).path.size() == depth + 1;
  }

  std::vector<Graph> graphs_at(const std::map<std::int32_t, std::int32_t>& node_of,
                               const std::vector<bool>& is_region, std::size_t depth) const {
    std::vector<Graph> graphs;
    for (const IterationKind& kind : kinds_) {
      Graph graph;
      for (const std::int32_t id : kind.transitions) {
        const Transition& t = traces_.transitions[static_cast<std::size_t>(id)];
        const auto to = node_of.find(t.to);
        if (to == node_of.end()) continue;
        const auto from = node_of.find(t.from);
        Arc arc{from == node_of.end() ? -1 : from->second, to->second, id};
        // leaves this region and enters it again: not a loop inside it
        if (depth > 0 && enters_again(t, depth - 1)) arc.from = -1;
        const bool internal = arc.from == arc.to && is_region[static_cast<std::size_t>(arc.to)];
        if (internal && !enters_again(t, depth)) continue;
        graph.arcs.push_back(arc);
      }
      std::set<std::int32_t> seen;
      for (const std::int32_t k : kind.visits) {
        const auto at = node_of.find(k);
        if (at != node_of.end() && seen.insert(at->second).second) graph.visits.push_back(at->second);
      }
      graphs.push_back(std::move(graph));
    }
    return graphs;
  }

  static std::vector<Branch> branches(const std::vector<Piece>& pieces, std::vector<Branch>& leaves) {
    std::vector<Branch> all;
    for (const Piece& piece : pieces) {
      if (piece.node >= 0) {
        all.push_back(std::move(leaves[static_cast<std::size_t>(piece.node)]));
        continue;
      }
      Branch loop{NodeKind::loop, "loop", -1, branches(piece.children, leaves), piece.iterations};
      all.push_back(std::move(loop));
    }
    return all;
  }

  const Traces& traces_;
  std::vector<IterationKind> kinds_;
  Tree tree_;
};

}  // namespace

Tree build_tree(const Traces& traces) {
  return TreeBuilder(traces).build();
}

}  // namespace parcast::program
