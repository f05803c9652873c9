// SPDX-License-Identifier: Apache-2.0
#include "cli/memory_contention.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "cli/inputs.h"
#include "machine/memory_sharing.h"
#include "predict/question.h"
#include "predict/simulate/contention.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

using simulate::Platform;

constexpr const char* kBound = "--memory-bound";
constexpr const char* kPlaced = "--recorded-ranks-per-node";

bool some_share(const Platform& platform) {
  const std::set<std::int32_t> nodes(platform.node_of.begin(), platform.node_of.end());
  return nodes.size() < platform.node_of.size();
}

/// Returns the nodes of the recorded run; empty if they are unknown.
Result<std::vector<std::int32_t>> recorded_nodes(const Invocation& invocation, const LoadedTrace& loaded) {
  if (!invocation.has(kPlaced)) return loaded.recorded_node_of;
  if (!loaded.recorded_node_of.empty())
    return Error{"the recording has the nodes of its ranks", kPlaced, "leave it out"};
  PARCAST_ASSIGN(const double per_node, number_behind(invocation, kPlaced, 1, 1));
  std::vector<std::int32_t> out;
  for (std::int32_t rank = 0; rank < loaded.trace.ranks; ++rank)
    out.push_back(rank / static_cast<std::int32_t>(std::min(per_node, 2e9)));
  return out;
}

/// Returns the platform of the recorded run on the machine of the recording. It equals the requested one
/// except for the placement of ranks and the speed of computing.
Result<Platform> recorded_platform(const machine::Machine& machine, double bound,
                                   std::vector<std::int32_t> node_of, const LoadedTrace& loaded,
                                   bool measured, const Platform& asked) {
  machine::Machine there = machine;
  there.nodes = std::max(there.nodes, *std::max_element(node_of.begin(), node_of.end()) + 1);
  PARCAST_ASSIGN(Platform platform, simulate::platform_of(there, std::move(node_of)));
  if (measured) PARCAST_TRY(simulate::take_measured_collectives(there, loaded.trace, platform));
  platform.attention = asked.attention;
  PARCAST_TRY(simulate::take_contention(there, bound, platform));
  return platform;
}

/// Scales memory time by the bandwidth of one core alone instead of by core speeds. Returns the fraction of
/// memory time on the requested machine.
Result<double> move_memory_time(const machine::Machine& there, const machine::Machine& here, double bound,
                                Platform& platform) {
  for (const machine::Machine* machine : {&there, &here}) {
    PARCAST_TRY(machine::check_memory_sharing(*machine));
    if (!machine->memory_sharing)
      return Error{machine->name + " has no data on memory that cores share", "memory_sharing",
                   "parcast calibrate measures it"};
  }
  const double slower = there.memory_sharing->points.front().bandwidth.value /
                        here.memory_sharing->points.front().bandwidth.value;
  const double ratio =
      (1 - bound) * static_cast<double>(platform.compute_ratio) / static_cast<double>(simulate::kOne) +
      bound * slower;
  if (ratio > 1e6)
    return Error{
        "computing that takes " + format_significant(ratio, 3) + " times as long as recorded is out of range",
        "", "at most 1e6 times"};
  platform.compute_ratio = static_cast<simulate::Rate>(ratio * static_cast<double>(simulate::kOne) + 0.5);
  platform.assumptions.push_back("the part of computing that is for memory (" + report::size_percent(bound) +
                                 ") takes " + format_significant(slower, 3) +
                                 " times as long as recorded, by what one core gets of the memory of " +
                                 there.name + " and " + here.name);
  return bound * slower / ratio;
}

void say_what_is_taken(const machine::Machine& machine, const LoadedTrace& loaded, bool nodes_known,
                       bool machine_given, Platform& platform) {
  if (!nodes_known)
    platform.assumptions.push_back(
        "computing times are taken to be those of ranks that had the memory of their node to themselves (" +
        std::string(kPlaced) + " changes that)");
  else if (!machine_given && !predict::same_processor(loaded.recorded_on, machine))
    platform.assumptions.push_back("memory is taken to have been shared in the recorded run as it is on " +
                                   machine.name + " (--recorded-on changes that)");
}

/// Warns that ranks which took turns on a core did not compute at the same time.
void say_crowded_nodes(const machine::Machine& there, const std::vector<std::int32_t>& nodes,
                       const LoadedTrace& loaded, Platform& platform) {
  if (loaded.recorded_node_of.empty()) return;
  std::map<std::int32_t, std::int32_t> ranks_on;
  std::int32_t most = 0;
  for (const std::int32_t node : nodes) most = std::max(most, ++ranks_on[node]);
  if (most > there.cores_per_node)
    platform.assumptions.push_back(std::to_string(most) +
                                   " ranks of the recorded run shared a node, more than " + there.name +
                                   " has cores (" + std::to_string(there.cores_per_node) +
                                   "): they are taken to have computed at once, so that too much contention "
                                   "may be taken out of their times");
}

}  // namespace

Result<void> share_memory(const Invocation& invocation, const machine::Machine& machine,
                          const LoadedTrace& loaded, const PlatformChange& change, bool measured,
                          Platform& platform) {
  const bool given = invocation.has(kBound) || change.flags.contains(kBound);
  if (!given) {
    if (invocation.has(kPlaced))
      return Error{std::string(kPlaced) + " needs " + kBound, "",
                   "give the share of computing time that is memory access, for example " +
                       std::string(kBound) + " 0.6"};
    if (machine.memory_sharing && some_share(platform))
      platform.assumptions.push_back(
          "computing is taken not to wait for the memory that ranks of a node share (" + std::string(kBound) +
          " changes that)");
    return {};
  }
  PARCAST_ASSIGN(const double bound, number_at(invocation, change, kBound, 0, 0));
  if (bound > 1)
    return Error{std::string(kBound) + " " + format_exact(bound) + " is not a part", "",
                 "a number from 0 to 1, for example 0.6 where 60 % of the time is for memory"};
  if (bound == 0) return {};
  if (platform.node_of.empty())
    return Error{machine.name + " has no links, so that its ranks are on no nodes", kBound,
                 "set one, for example --set links.node.latency=1us --set links.node.gap_per_byte=0.1ns/B"};
  PARCAST_ASSIGN(std::vector<std::int32_t> nodes, recorded_nodes(invocation, loaded));
  PARCAST_ASSIGN(const auto there, recorded_machine(invocation));
  double bound_here = bound;
  if (there) {
    PARCAST_ASSIGN(bound_here, move_memory_time(*there, machine, bound, platform));
  }
  say_what_is_taken(machine, loaded, !nodes.empty(), there != nullptr, platform);
  PARCAST_TRY(simulate::take_contention(machine, bound_here, platform));
  if (nodes.empty()) {
    if (!some_share(platform)) platform.contention.reset();
    return {};
  }
  say_crowded_nodes(there ? *there : machine, nodes, loaded, platform);
  PARCAST_ASSIGN(Platform recorded, recorded_platform(there ? *there : machine, bound, std::move(nodes),
                                                      loaded, measured, platform));
  platform.contention->recorded = std::make_shared<const Platform>(std::move(recorded));
  return {};
}

}  // namespace parcast::cli
