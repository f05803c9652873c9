// SPDX-License-Identifier: Apache-2.0
#include "machine/mapping.h"

#include <algorithm>
#include <limits>

#include "machine/system_tree.h"

namespace parcast::machine {
namespace {

std::string counted(std::int64_t n, const std::string& what, const char* more) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : more);
}

/// Consecutively numbered processors that are filled together: those of a node, or else a single one.
struct Group {
  // taken: the processor in the group that is not free; -1: all are free
  std::int64_t first = 0, size = 0, taken = -1;

  std::int64_t processor(std::int64_t slot) const {
    return first + slot + (taken >= first && taken <= first + slot ? 1 : 0);
  }
};

class Mapper {
 public:
  Mapper(const System& system, std::int32_t ranks, const MapRule& rule)
      : system_(system),
        tree_(SystemTree::of(system)),
        node_(unit_named(system, "node")),
        ranks_(ranks),
        rule_(rule) {}

  Result<Mapping> map() {
    Mapping out{system_, {}, system_.assumptions};
    PARCAST_TRY(check());
    if (rule_.order == MapRule::Order::list) {
      PARCAST_TRY(take_list(out));
    } else if (system_.derived_cores_per_node > 0 && !rule_.host) {
      place(out);
    } else {
      PARCAST_TRY(fill(out));
    }
    return out;
  }

 private:
  std::int64_t processors() const { return tree_.processors[tree_.root]; }
  std::string name() const { return system_.name.empty() ? "the system" : system_.name; }

  Result<void> check() const {
    if (ranks_ < 1) return Error{std::to_string(ranks_) + " ranks cannot be mapped", "", "ask for 1 or more"};
    if (rule_.ranks_per_node && *rule_.ranks_per_node < 1)
      return Error{"a node cannot hold " + counted(*rule_.ranks_per_node, "process", "es"), "",
                   "ask for 1 or more"};
    if (rule_.ranks_per_node && node_ == SystemTree::kNone)
      return Error{name() + " has no unit called node, of which --ranks-per-node could be the limit", "",
                   "leave --ranks-per-node out, or call the unit that is a node so"};
    return {};
  }

  Error too_many(std::int64_t places) const {
    const std::string limit =
        rule_.ranks_per_node ? " with " + std::to_string(*rule_.ranks_per_node) + " on a node" : "";
    return {counted(ranks_, "rank", "s") + " cannot be mapped: " + name() + " has " +
                counted(places, "processor", "s") + limit,
            "", "ask for at most " + std::to_string(places)};
  }

  Result<void> take_list(Mapping& out) const {
    if (static_cast<std::size_t>(ranks_) > rule_.processors.size())
      return Error{counted(ranks_, "rank", "s") + " cannot be mapped by a list of " +
                       counted(static_cast<std::int64_t>(rule_.processors.size()), "processor", "s"),
                   "", "name one for each rank"};
    std::vector<std::int64_t> used(rule_.processors.begin(), rule_.processors.begin() + ranks_);
    for (const std::int64_t processor : used)
      if (processor < 0 || processor >= processors())
        return Error{name() + " has no processor " + std::to_string(processor) + ": there are " +
                         std::to_string(processors()),
                     "", "they are numbered from 0 to " + std::to_string(processors() - 1)};
    out.processor_of = used;
    std::sort(used.begin(), used.end());
    if (const auto twice = std::adjacent_find(used.begin(), used.end()); twice != used.end())
      return Error{"the list names processor " + std::to_string(*twice) + " twice", "",
                   "each rank has a processor of its own"};
    return {};
  }

  /// Counts nodes as predict::place and fills sockets as simulations do. Each rank gets a core, even if the
  /// node has too few.
  void place(Mapping& out) const {
    const std::int64_t cores = system_.derived_cores_per_node,
                       sockets = system_.units[unit_named(system_, "socket")].count;
    const std::int64_t nodes_there = system_.units[node_].count;
    const std::int64_t fit = std::max<std::int64_t>(1, cores / std::max(1, rule_.threads));
    const std::int64_t per_node =
        std::min<std::int64_t>(ranks_, rule_.ranks_per_node.value_or(static_cast<std::int32_t>(fit)));
    const bool spread = rule_.order == MapRule::Order::cyclic && !rule_.ranks_per_node;
    const std::int64_t needed = (ranks_ - 1) / per_node + 1;
    const std::int64_t nodes =
        spread ? std::max(needed, std::min<std::int64_t>(ranks_, nodes_there)) : needed;
    const std::int64_t per_socket = (std::max(per_node, cores) + sockets - 1) / sockets;
    const std::int64_t stride = sockets * per_socket;
    for (std::int64_t rank = 0; rank < ranks_; ++rank)
      out.processor_of.push_back(rule_.order == MapRule::Order::block
                                     ? rank / per_node * stride + rank % per_node
                                     : rank % nodes * stride + rank / nodes);
    out.system.units[unit_named(system_, "core")].count = per_socket;
    out.system.units[node_].count = std::max(nodes, nodes_there);
    if (nodes > nodes_there)
      out.assumptions.push_back(counted(ranks_, "process", "es") + (ranks_ == 1 ? " needs " : " need ") +
                                counted(nodes, "node", "s") + ", " + name() + " has " +
                                std::to_string(nodes_there));
    if (per_node > cores)
      out.assumptions.push_back(std::to_string(per_node) + " processes on a node of " +
                                counted(cores, "core", "s") + " are taken to have a core each");
  }

  /// Adds at most `most` groups below the instance of a unit whose first processor is `first`.
  void groups(std::size_t unit, std::int64_t first, std::size_t most, std::vector<Group>& out) const {
    if (unit == node_ || is_processor(system_.units[unit]))
      return out.push_back({first, tree_.processors[unit]});
    for (const std::size_t child : tree_.children[unit]) {
      if (tree_.processors[child] == 0) continue;
      for (std::int64_t i = 0; i < system_.units[child].count && out.size() < most;
           ++i, first += tree_.processors[child])
        groups(child, first, most, out);
    }
  }

  /// Returns the number of ranks that fit below an instance of the unit, with the limit per node.
  std::int64_t places(std::size_t unit) const {
    if (unit == node_)
      return std::min<std::int64_t>(tree_.processors[unit],
                                    rule_.ranks_per_node.value_or(std::numeric_limits<std::int32_t>::max()));
    if (is_processor(system_.units[unit])) return 1;
    std::int64_t out = 0;
    for (const std::size_t child : tree_.children[unit])
      if (tree_.processors[child] > 0) out += places(child) * system_.units[child].count;
    return out;
  }

  /// Returns the first processor of the unit called host.
  Result<std::int64_t> host() const {
    const std::size_t unit = unit_named(system_, "host");
    if (unit == SystemTree::kNone) {
      std::vector<std::string> names;
      for (const Unit& each : system_.units) names.push_back(each.name);
      return Error{name() + " has no unit called host", "",
                   "its units are " + join(names, ", ") + "; map with block or cyclic"};
    }
    if (tree_.processors[unit] == 0)
      return Error{"the unit host of " + name() + " has no processor", "", "map with block or cyclic"};
    std::int64_t first = 0;
    for (std::size_t at = unit; at != tree_.root; at = tree_.parent[at])
      for (const std::size_t sibling : tree_.children[tree_.parent[at]]) {
        if (sibling == at) break;
        first += tree_.processors[sibling] * system_.units[sibling].count;
      }
    return first;
  }

  /// Returns the group without the processor that is already taken, with at most as many ranks as a node may
  /// have.
  Group free_of(Group group, std::int64_t taken) const {
    group.taken = taken >= group.first && taken < group.first + group.size ? taken : -1;
    group.size =
        std::min<std::int64_t>(group.size - (group.taken < 0 ? 0 : 1),
                               rule_.ranks_per_node.value_or(std::numeric_limits<std::int32_t>::max()));
    return group;
  }

  Result<void> fill(Mapping& out) const {
    std::int64_t taken = -1;
    if (rule_.host) {
      PARCAST_ASSIGN(taken, host());
      out.processor_of.push_back(taken);
    }
    std::vector<Group> free;
    groups(tree_.root, 0, static_cast<std::size_t>(ranks_) + 1, free);
    auto all = static_cast<std::int64_t>(out.processor_of.size());
    for (Group& group : free) all += (group = free_of(group, taken)).size;
    if (all < ranks_) return too_many(places(tree_.root));
    if (rule_.order == MapRule::Order::cyclic && rule_.ranks_per_node)
      keep_needed(free, ranks_ - static_cast<std::int64_t>(out.processor_of.size()));
    deal(free, out.processor_of);
    return {};
  }

  /// Keeps the smallest number of nodes that hold the ranks, with the limit per node.
  static void keep_needed(std::vector<Group>& free, std::int64_t ranks) {
    std::size_t needed = 0;
    for (std::int64_t held = 0; needed < free.size() && held < ranks; ++needed) held += free[needed].size;
    free.resize(needed);
  }

  void deal(const std::vector<Group>& free, std::vector<std::int64_t>& out) const {
    const auto full = [&] { return out.size() == static_cast<std::size_t>(ranks_); };
    if (rule_.order == MapRule::Order::block) {
      for (const Group& group : free)
        for (std::int64_t slot = 0; slot < group.size && !full(); ++slot)
          out.push_back(group.processor(slot));
      return;
    }
    for (std::int64_t turn = 0; !full(); ++turn)
      for (const Group& group : free)
        if (turn < group.size && !full()) out.push_back(group.processor(turn));
  }

  const System& system_;
  SystemTree tree_;
  std::size_t node_;
  std::int32_t ranks_;
  const MapRule& rule_;
};

Result<MapRule> list_from(std::string_view text) {
  MapRule rule;
  rule.order = MapRule::Order::list;
  for (const std::string& word : split(text.substr(5), ',')) {
    const auto number = parse_integer(trim(word));
    if (!number || *number < 0)
      return Error{
          "\"" + word + "\" in the mapping " + std::string(text) + " is not the number of a processor", "",
          "write for example list:0,2,1,3"};
    rule.processors.push_back(*number);
  }
  return rule;
}

}  // namespace

Result<MapRule> map_rule_from(std::string_view text) {
  if (text.starts_with("list:")) return list_from(text);
  const std::vector<std::string> known{"block", "cyclic", "host+block", "host+cyclic", "list:0,1,..."};
  const auto at = std::find(known.begin(), known.end() - 1, text);
  if (at == known.end() - 1) {
    const std::string guess = did_you_mean(text, known);
    return Error{"\"" + std::string(text) + "\" is not a mapping", "",
                 guess.empty() ? "known are " + join(known, ", ") : guess};
  }
  MapRule rule;
  rule.host = text.starts_with("host+");
  rule.order = text.ends_with("cyclic") ? MapRule::Order::cyclic : MapRule::Order::block;
  return rule;
}

std::string to_string(const MapRule& rule) {
  if (rule.order != MapRule::Order::list)
    return std::string(rule.host ? "host+" : "") + (rule.order == MapRule::Order::block ? "block" : "cyclic");
  std::vector<std::string> numbers;
  for (const std::int64_t processor : rule.processors) numbers.push_back(std::to_string(processor));
  return "list:" + join(numbers, ",");
}

Result<Mapping> map_ranks(const System& system, std::int32_t ranks, const MapRule& rule) {
  for (const Violation& violation : validate(system))
    return Error{
        (violation.unit.empty() ? "the system" : "the unit " + violation.unit) + " " + violation.what,
        system.name, violation.hint};
  return Mapper(system, ranks, rule).map();
}

}  // namespace parcast::machine
