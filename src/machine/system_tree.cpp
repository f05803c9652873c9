// SPDX-License-Identifier: Apache-2.0
#include "machine/system_tree.h"

#include <algorithm>

namespace parcast::machine {
namespace {

/// Returns the units with parents before children.
std::vector<std::size_t> downwards(const SystemTree& tree) {
  std::vector<std::size_t> order{tree.root};
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const std::size_t child : tree.children[order[at]]) order.push_back(child);
  return order;
}

bool is_joined(const Unit& unit) {
  return unit.processing.kind != Decomposition::none || unit.communication.kind != Decomposition::none;
}

/// Returns the child at the other end of a connection; kNone if the connection does not end at `child`.
std::size_t other_end(const System& system, const Connection& connection, std::size_t child) {
  const std::string& name = system.units[child].name;
  if (connection.from == name) return unit_named(system, connection.to);
  if (connection.to == name) return unit_named(system, connection.from);
  return SystemTree::kNone;
}

}  // namespace

std::size_t unit_named(const System& system, std::string_view name) {
  const auto at = std::find_if(system.units.begin(), system.units.end(),
                               [&](const Unit& unit) { return unit.name == name; });
  return at == system.units.end() ? SystemTree::kNone : static_cast<std::size_t>(at - system.units.begin());
}

SystemTree SystemTree::of(const System& system) {
  const std::size_t n = system.units.size();
  SystemTree tree;
  tree.parent.assign(n, kNone), tree.children.resize(n), tree.instances.assign(n, 1),
      tree.processors.assign(n, 0);
  tree.joined.assign(n, 0), tree.first_position.assign(n, -1);
  for (std::size_t u = 0; u < n; ++u) {
    tree.parent[u] = unit_named(system, system.units[u].parent);
    if (tree.parent[u] == kNone)
      tree.root = u;
    else
      tree.children[tree.parent[u]].push_back(u);
  }
  const std::vector<std::size_t> order = downwards(tree);
  for (const std::size_t u : order) {
    const std::int64_t above = u == tree.root ? 1 : tree.instances[tree.parent[u]];
    tree.instances[u] =
        std::min(kMostInstances + 1, above * std::min(kMostInstances / above + 1, system.units[u].count));
    for (const std::size_t child : tree.children[u]) {
      if (!is_joined(system.units[child])) continue;
      tree.first_position[child] = tree.joined[u];
      tree.joined[u] = std::min(kMostInstances, tree.joined[u] + system.units[child].count);
    }
  }
  for (auto u = order.rbegin(); u != order.rend(); ++u) {
    if (is_processor(system.units[*u])) tree.processors[*u] = 1;
    for (const std::size_t child : tree.children[*u]) {
      const std::int64_t each = std::max<std::int64_t>(tree.processors[child], 1);
      const std::int64_t most = std::min(system.units[child].count, kMostInstances / each + 1);
      tree.processors[*u] = std::min(kMostInstances + 1, tree.processors[*u] + tree.processors[child] * most);
    }
  }
  return tree;
}

std::optional<Instance> instance_named(const System& system, const SystemTree& tree, std::size_t parent,
                                       std::string_view text) {
  const auto space = text.find(' ');
  const std::size_t unit = unit_named(system, text.substr(0, space));
  if (unit == SystemTree::kNone || tree.parent[unit] != parent || tree.first_position[unit] < 0)
    return std::nullopt;
  if (space == std::string_view::npos) return Instance{unit, 0};
  const auto number = parse_integer(trim(text.substr(space)));
  if (!number || *number < 0 || *number >= system.units[unit].count) return std::nullopt;
  return Instance{unit, *number};
}

Passage passage(const System& system, std::size_t unit, std::size_t from, std::size_t to) {
  const std::vector<Connection>& connections = system.units[unit].communication.connections;
  if (from == to) {
    for (std::size_t k = 0; k < connections.size(); ++k)
      if (const std::size_t over = other_end(system, connections[k], from); over != SystemTree::kNone)
        return {{k, k}, {over}};
    return {};
  }
  struct Reached {
    std::size_t connection = SystemTree::kNone, before = SystemTree::kNone;
  };
  std::vector<Reached> reached(system.units.size());
  std::vector<std::size_t> waiting{from};
  for (std::size_t at = 0; at < waiting.size(); ++at)
    for (std::size_t k = 0; k < connections.size(); ++k) {
      const std::size_t next = other_end(system, connections[k], waiting[at]);
      if (next == SystemTree::kNone || next == from || reached[next].before != SystemTree::kNone) continue;
      reached[next] = {k, waiting[at]};
      waiting.push_back(next);
    }
  if (reached[to].before == SystemTree::kNone) return {};
  Passage out;
  for (std::size_t at = to; at != from; at = reached[at].before) {
    out.connections.push_back(reached[at].connection);
    if (reached[at].before != from) out.between.push_back(reached[at].before);
  }
  std::reverse(out.connections.begin(), out.connections.end());
  std::reverse(out.between.begin(), out.between.end());
  return out;
}

}  // namespace parcast::machine
