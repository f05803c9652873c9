// SPDX-License-Identifier: Apache-2.0
#include "build_model/loops.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace parcast::program {
namespace {

using Nodes = std::vector<std::int32_t>;     // ascending
using Arcs = std::vector<std::vector<Arc>>;  // per graph

class Nest {
 public:
  Nest(std::int32_t count, const std::vector<Graph>& graphs)
      : graphs_(graphs),
        part_(static_cast<std::size_t>(count), 0),
        position_(graphs.size()),
        by_target_(graphs.size()) {
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      position_[g].assign(static_cast<std::size_t>(count), -1);
      for (std::size_t i = 0; i < graphs[g].visits.size(); ++i)
        position_[g][static_cast<std::size_t>(graphs[g].visits[i])] = static_cast<std::int32_t>(i);
      for (const Arc& arc : graphs[g].arcs) by_target_[g].emplace_back(arc.to, arc.id);
      std::sort(by_target_[g].begin(), by_target_[g].end());
    }
  }

  /// Returns the pieces of the nodes in order. `live` contains only arcs between these nodes (and, at the
  /// top, from outside).
  std::vector<Piece> sequence(const Nodes& nodes, const Arcs& live) {
    const std::vector<Nodes> parts = ordered(components(nodes, live), live);
    const std::vector<Arcs> inside = arcs_by_part(parts, live);
    std::vector<Piece> pieces;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (inside[part].empty())
        pieces.push_back({parts[part].front(), {}, {}});
      else if (runs_in_circles(parts[part], inside[part]))
        pieces.push_back(loop(parts[part], inside[part]));
      else
        add_singles(parts[part], inside[part], pieces);
    }
    return pieces;
  }

 private:
  // Returns for each part the arcs inside it; empty for a node without an arc to itself.
  std::vector<Arcs> arcs_by_part(const std::vector<Nodes>& parts, const Arcs& live) {
    for (std::size_t part = 0; part < parts.size(); ++part)
      for (const std::int32_t node : parts[part]) part_[static_cast<std::size_t>(node)] = part;
    std::vector<Arcs> inside(parts.size());
    for (std::size_t g = 0; g < live.size(); ++g)
      for (const Arc& arc : live[g]) {
        const std::size_t part = part_[static_cast<std::size_t>(arc.to)];
        if (arc.from < 0 || part_[static_cast<std::size_t>(arc.from)] != part) continue;
        if (inside[part].empty()) inside[part].resize(live.size());
        inside[part][g].push_back(arc);
      }
    return inside;
  }

  // Adds the nodes of a part in which no process has a cycle. A node with an arc to itself becomes a loop.
  void add_singles(const Nodes& component, const Arcs& within, std::vector<Piece>& pieces) {
    std::map<std::int32_t, Arcs> own;
    for (std::size_t g = 0; g < within.size(); ++g)
      for (const Arc& arc : within[g])
        if (arc.from == arc.to) own.emplace(arc.to, Arcs(within.size())).first->second[g].push_back(arc);
    for (const std::int32_t node : component) {
      const auto at = own.find(node);
      pieces.push_back(at == own.end() ? Piece{node, {}, {}} : loop({node}, at->second));
    }
  }

  Piece loop(const Nodes& component, const Arcs& within) {
    const Arcs rest = without_returns(component, within);
    Piece piece;
    piece.iterations = iterations(component, rest);
    piece.children = sequence(component, rest);
    return piece;
  }

  // Returns the arcs into the component, except those inside one iteration.
  std::vector<std::vector<std::int32_t>> iterations(const Nodes& component, const Arcs& rest) {
    std::vector<std::vector<std::int32_t>> ids(graphs_.size());
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      std::set<std::int32_t> inner;
      for (const Arc& arc : rest[g]) inner.insert(arc.id);
      for (const std::int32_t node : component) {
        const auto& arcs = by_target_[g];
        for (auto at = std::lower_bound(arcs.begin(), arcs.end(),
                                        std::pair{node, std::numeric_limits<std::int32_t>::min()});
             at != arcs.end() && at->first == node; ++at)
          if (!inner.contains(at->second)) ids[g].push_back(at->second);
      }
      std::sort(ids[g].begin(), ids[g].end());
    }
    return ids;
  }

  // Returns the arcs without those into each process's first node. If that removes none, those into the
  // component's first node are removed.
  Arcs without_returns(const Nodes& component, const Arcs& within) const {
    Arcs rest = within;
    bool changed = false;
    for (std::size_t g = 0; g < rest.size(); ++g) {
      const std::int32_t header = first_visited(component, g);
      changed |= std::erase_if(rest[g], [&](const Arc& arc) { return arc.to == header; }) > 0;
    }
    if (!changed)
      for (auto& arcs : rest)
        std::erase_if(arcs, [&](const Arc& arc) { return arc.to == component.front(); });
    return rest;
  }

  std::int32_t first_visited(const Nodes& component, std::size_t graph) const {
    std::int32_t first = -1, best = -1;
    for (const std::int32_t node : component) {
      const std::int32_t at = position_[graph][static_cast<std::size_t>(node)];
      if (at < 0 || (first >= 0 && at > best)) continue;
      first = node;
      best = at;
    }
    return first;
  }

  // Returns whether a single process has a cycle here.
  bool runs_in_circles(const Nodes& component, const Arcs& within) const {
    if (component.size() == 1)
      return std::any_of(within.begin(), within.end(), [](const auto& arcs) { return !arcs.empty(); });
    return std::any_of(within.begin(), within.end(), [&](const std::vector<Arc>& arcs) {
      return arcs.size() > 1 && components(component, {arcs}).size() < component.size();
    });
  }

  // Returns the strongly connected components of the union of the graphs (Tarjan, without recursion).
  static std::vector<Nodes> components(const Nodes& nodes, const Arcs& live) {
    std::vector<std::vector<std::int32_t>> next(nodes.size());
    const auto local = [&](std::int32_t node) {
      const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
      return at != nodes.end() && *at == node ? static_cast<std::int32_t>(at - nodes.begin()) : -1;
    };
    for (const auto& arcs : live)
      for (const Arc& arc : arcs) {
        if (arc.from < 0) continue;
        const std::int32_t from = local(arc.from), to = local(arc.to);
        if (from >= 0 && to >= 0) next[static_cast<std::size_t>(from)].push_back(to);
      }
    struct Frame {
      std::int32_t node;
      std::size_t arc;
    };
    std::vector<std::int32_t> index(nodes.size(), -1), low(nodes.size(), 0), stack;
    std::vector<bool> stacked(nodes.size(), false);
    std::vector<Nodes> all;
    std::int32_t counter = 0;
    for (std::size_t start = 0; start < nodes.size(); ++start) {
      if (index[start] >= 0) continue;
      std::vector<Frame> frames{{static_cast<std::int32_t>(start), 0}};
      while (!frames.empty()) {
        auto& [node, arc] = frames.back();
        const auto n = static_cast<std::size_t>(node);
        if (arc == 0) {
          index[n] = low[n] = counter++;
          stack.push_back(node);
          stacked[n] = true;
        }
        if (arc < next[n].size()) {
          const std::int32_t to = next[n][arc++];
          if (index[static_cast<std::size_t>(to)] < 0)
            frames.push_back({to, 0});
          else if (stacked[static_cast<std::size_t>(to)])
            low[n] = std::min(low[n], index[static_cast<std::size_t>(to)]);
          continue;
        }
        if (low[n] == index[n]) {
          Nodes component;
          std::int32_t member = -1;
          do {
            member = stack.back();
            stack.pop_back();
            stacked[static_cast<std::size_t>(member)] = false;
            component.push_back(nodes[static_cast<std::size_t>(member)]);
          } while (member != node);
          std::sort(component.begin(), component.end());
          all.push_back(std::move(component));
        }
        const std::int32_t done = node;
        frames.pop_back();
        if (!frames.empty()) {
          const auto parent = static_cast<std::size_t>(frames.back().node);
          low[parent] = std::min(low[parent], low[static_cast<std::size_t>(done)]);
        }
      }
    }
    return all;
  }

  // Returns the components in topological order; if the graphs leave a choice, the one visited first.
  static std::vector<Nodes> ordered(std::vector<Nodes> parts, const Arcs& live) {
    std::sort(parts.begin(), parts.end(),
              [](const Nodes& a, const Nodes& b) { return a.front() < b.front(); });
    std::vector<std::pair<std::int32_t, std::size_t>> of;
    for (std::size_t part = 0; part < parts.size(); ++part)
      for (const std::int32_t node : parts[part]) of.push_back({node, part});
    std::sort(of.begin(), of.end());
    const auto part_of = [&](std::int32_t node) -> std::ptrdiff_t {
      const auto at = std::lower_bound(of.begin(), of.end(), std::pair{node, std::size_t{0}});
      return at != of.end() && at->first == node ? static_cast<std::ptrdiff_t>(at->second) : -1;
    };
    std::vector<std::set<std::size_t>> after(parts.size());
    std::vector<std::size_t> before(parts.size(), 0);
    for (const auto& arcs : live)
      for (const Arc& arc : arcs) {
        const std::ptrdiff_t from = arc.from < 0 ? -1 : part_of(arc.from), to = part_of(arc.to);
        if (from < 0 || to < 0 || from == to) continue;
        if (after[static_cast<std::size_t>(from)].insert(static_cast<std::size_t>(to)).second)
          ++before[static_cast<std::size_t>(to)];
      }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t part = 0; part < parts.size(); ++part)
      if (before[part] == 0) ready.push(part);
    std::vector<Nodes> result;
    while (!ready.empty()) {
      const std::size_t part = ready.top();
      ready.pop();
      for (const std::size_t next : after[part])
        if (--before[next] == 0) ready.push(next);
      result.push_back(std::move(parts[part]));
    }
    return result;
  }

  const std::vector<Graph>& graphs_;
  std::vector<std::size_t> part_;                    // for each node, in the sequence being split
  std::vector<std::vector<std::int32_t>> position_;  // per graph and node: position of its first visit
  // per graph: target and id of each arc
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> by_target_;
};

}  // namespace

std::vector<Piece> nest_loops(std::int32_t count, const std::vector<Graph>& graphs) {
  Nodes nodes;
  for (std::int32_t node = 0; node < count; ++node) nodes.push_back(node);
  Arcs live;
  for (const Graph& graph : graphs) live.push_back(graph.arcs);
  return Nest(count, graphs).sequence(nodes, live);
}

}  // namespace parcast::program
