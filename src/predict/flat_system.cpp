// SPDX-License-Identifier: Apache-2.0
#include "predict/flat_system.h"

#include <algorithm>
#include <map>
#include <utility>

#include "machine/message_seconds.h"

namespace parcast::predict {
namespace {

double empty_message(const machine::Link& link) {
  return machine::message_seconds(link, 0, false).flight;
}

struct Nodes {
  std::map<std::vector<std::int64_t>, std::vector<std::int32_t>>
      ranks;                          // by the unit that holds their processors
  std::vector<std::int32_t> of_rank;  // numbered in the order of the ranks
};

Nodes nodes_of(const machine::Routes& routes, std::int32_t ranks) {
  Nodes out;
  std::map<std::vector<std::int64_t>, std::int32_t> numbers;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::int64_t> unit = routes.surroundings(rank);
    out.of_rank.push_back(numbers.try_emplace(unit, static_cast<std::int32_t>(numbers.size())).first->second);
    out.ranks[std::move(unit)].push_back(rank);
  }
  return out;
}

}  // namespace

Result<machine::Routes> routes_of(const machine::Machine& machine, const Question& question) {
  PARCAST_ASSIGN(const machine::System system, machine::system_of(machine));
  machine::MapRule rule;
  rule.ranks_per_node = question.ranks_per_node, rule.threads = question.threads;
  PARCAST_ASSIGN(machine::Mapping mapping, machine::map_ranks(system, question.point.processes, rule));
  return machine::Routes::of(std::move(mapping));
}

machine::Link longest_link(machine::Routes& routes, std::int32_t count,
                           const std::function<std::int32_t(std::int32_t)>& member) {
  constexpr std::int32_t kMostLookedAt = 256;
  machine::Link longest;
  for (std::int32_t place = 1; place < std::min(count, kMostLookedAt); ++place) {
    const machine::Link& link = routes.link(routes.between(member(0), member(place)));
    if (empty_message(link) >= empty_message(longest)) longest = link;
  }
  return longest;
}

FlatSystem flattened(const machine::Machine& machine, const Question& question) {
  FlatSystem out{machine, question, {}};
  const std::int32_t ranks = question.point.processes;
  if (!machine.system || ranks < 2) return out;
  auto routes = routes_of(machine, question);
  if (!routes) return out;
  machine::Machine& flat = out.machine;
  flat.system.reset();
  flat.sockets_per_node = 1;
  const auto link_of = [&](const std::vector<std::int32_t>& members) {
    return longest_link(*routes, static_cast<std::int32_t>(members.size()),
                        [&](std::int32_t place) { return members[static_cast<std::size_t>(place)]; });
  };
  const Nodes nodes = nodes_of(*routes, ranks);
  std::size_t fullest = 0;
  for (const auto& [unit, members] : nodes.ranks) fullest = std::max(fullest, members.size());
  std::vector<std::int32_t> away{0};  // rank 0, and all ranks on other nodes
  for (std::int32_t rank = 1; rank < ranks; ++rank)
    if (nodes.ranks.size() == 1 || nodes.of_rank[static_cast<std::size_t>(rank)] != nodes.of_rank[0])
      away.push_back(rank);
  flat.links = {{"network", link_of(away)}};
  const bool alone = nodes.ranks.size() == 1 || fullest == 1;
  flat.cores_per_node = alone ? 1 : static_cast<std::int32_t>(fullest);
  flat.nodes = std::max(machine.nodes, alone ? ranks : static_cast<std::int32_t>(nodes.ranks.size()));
  if (alone) return out;
  std::vector<machine::Link> within;
  for (const auto& [unit, members] : nodes.ranks)
    if (members.size() > 1) within.push_back(link_of(members));
  flat.links.emplace("node", *std::ranges::max_element(within, {}, empty_message));
  out.question.ranks_per_node = flat.cores_per_node;
  out.node_of = nodes.of_rank;
  return out;
}

}  // namespace parcast::predict
