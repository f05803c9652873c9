// SPDX-License-Identifier: Apache-2.0
#include "predict/flat_system.h"

#include <algorithm>

#include "machine/message_seconds.h"

namespace parcast::predict {
namespace {

Result<machine::Routes> routes_of(const machine::Machine& machine, const Question& question) {
  PARCAST_ASSIGN(const machine::System system, machine::system_of(machine));
  machine::MapRule rule;
  rule.ranks_per_node = question.ranks_per_node, rule.threads = question.threads;
  PARCAST_ASSIGN(machine::Mapping mapping, machine::map_ranks(system, question.point.processes, rule));
  return machine::Routes::of(std::move(mapping));
}

}  // namespace

machine::Link longest_link(machine::Routes& routes, std::int32_t count, const std::function<std::int32_t(std::int32_t)>& member) {
  constexpr std::int32_t kMostLookedAt = 256;
  machine::Link longest;
  for (std::int32_t place = 1; place < std::min(count, kMostLookedAt); ++place) {
    const machine::Link& link = routes.link(routes.between(member(0), member(place)));
    if (machine::message_seconds(link, 0, false).flight >= machine::message_seconds(longest, 0, false).flight) longest = link;
  }
  return longest;
}

machine::Machine flattened(const machine::Machine& machine, const Question& question) {
  if (!machine.system || question.point.processes < 2) return machine;
  auto routes = routes_of(machine, question);
  if (!routes) return machine;
  machine::Machine out = machine;
  out.links = {{"network", longest_link(*routes, question.point.processes, [](std::int32_t rank) { return rank; })}};
  out.nodes = std::max(machine.nodes, question.point.processes), out.cores_per_node = 1, out.sockets_per_node = 1;
  out.system.reset();
  return out;
}

}  // namespace parcast::predict
