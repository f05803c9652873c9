// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a network with shared links in a simulation. Simulates the same trace without a
// network, and with shares computed near each change, or over all connected links. Fails if the two differ.
//
//   parcast_network_bench [TOPOLOGY [PATTERN [RANKS [OPERATIONS]]]]
//
// TOPOLOGY: torus, fat_tree, dragonfly, or all (default). PATTERN: one of parcast_simulate_bench (sparse).
// RANKS: 1,024. OPERATIONS: 100,000. It prints a line for each topology:
//
//   torus  sparse  1024 ranks  39,936 operations: without a network 0.010 s, with one 0.60 s, over all 17.96
//   s: 30.0 times
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "machine/machine.h"
#include "predict/simulate/simulate.h"
#include "simulate/patterns.h"

namespace {

using namespace parcast;
using simulate::network::Settling;

simulate::Platform cluster() {
  simulate::Platform out;
  out.name = "cluster";
  out.links = {{.latency = 2'500'000,
                .send_overhead = 1'500'000,
                .receive_overhead = 1'500'000,
                .gap = 1'000'000,
                .gap_per_byte = 400 * simulate::kOne,
                .eager_limit = 65536,
                .handshake = 5'000'000,
                .rendezvous_gap_per_byte = 400 * simulate::kOne}};
  return out;
}

/// Returns a shape with this number of nodes or more; all links are as fast as an interface.
Result<simulate::network::Network> network_of(const std::string& topology, std::int32_t nodes) {
  machine::Machine machine;
  machine.name = topology;
  machine::Network& network = machine.network.emplace();
  network.topology = topology;
  network.bandwidth = {2.5e9, 0, 0, Origin::assumed};
  std::int32_t side = 1;
  while (side * side * side < nodes) ++side;
  const std::int32_t square = side * side;
  if (topology == "torus") network.dimensions = {side, side, side};
  if (topology == "fat_tree") network.down = {square, side}, network.up = {1, (square + 1) / 2};
  if (topology == "dragonfly")
    network.groups = side, network.routers_per_group = side, network.nodes_per_router = side,
    network.global_links_per_router = 2;
  machine.nodes = side * square;
  return simulate::network::Network::of(machine, nodes);
}

struct Run {
  double seconds = 0;
  simulate::Outcome outcome;
};

Result<Run> timed(const trace::Trace& trace, const simulate::Platform& platform) {
  const auto begin = std::chrono::steady_clock::now();
  PARCAST_ASSIGN(auto outcome,
                 simulate::simulate(trace, platform, simulate::Trust::checked, simulate::Iterations::every));
  return Run{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
             std::move(outcome)};
}

bool same(const simulate::Outcome& a, const simulate::Outcome& b) {
  if (a.makespan != b.makespan || a.slowed != b.slowed || a.ranks.size() != b.ranks.size()) return false;
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank)
    if (a.ranks[rank].end != b.ranks[rank].end || a.ranks[rank].communication != b.ranks[rank].communication)
      return false;
  return true;
}

Result<bool> measure(const std::string& topology, const std::string& pattern, std::int32_t ranks,
                     std::uint64_t operations) {
  const std::uint64_t one = bench::operations_of(bench::pattern(pattern, ranks, 1, false));
  const trace::Trace trace =
      bench::pattern(pattern, ranks, static_cast<std::uint32_t>((operations + one - 1) / one), false);
  simulate::Platform platform = cluster();
  PARCAST_ASSIGN(const Run without, timed(trace, platform));
  PARCAST_ASSIGN(platform.network, network_of(topology, ranks));
  PARCAST_ASSIGN(const Run near, timed(trace, platform));
  platform.settling = Settling::whole;
  PARCAST_ASSIGN(const Run whole, timed(trace, platform));
  std::printf(
      "%-10s %-8s %6d ranks %10s operations   without a network %.3f s, with one %.2f s, over all %.2f s: "
      "%.1f times%s\n",
      topology.c_str(), pattern.c_str(), ranks,
      format_integer(static_cast<long long>(bench::operations_of(trace))).c_str(), without.seconds,
      near.seconds, whole.seconds, whole.seconds / near.seconds,
      same(near.outcome, whole.outcome) ? "" : "   THE ANSWERS DIFFER");
  std::fflush(stdout);
  return same(near.outcome, whole.outcome);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string topology = argc > 1 ? argv[1] : "all", pattern = argc > 2 ? argv[2] : "sparse";
  const std::int32_t ranks = argc > 3 ? std::atoi(argv[3]) : 1024;
  const std::uint64_t operations = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 100'000;
  int failed = 0;
  for (const std::string& each : topology == "all"
                                     ? std::vector<std::string>{"torus", "fat_tree", "dragonfly"}
                                     : std::vector<std::string>{topology}) {
    const auto same = measure(each, pattern, ranks, operations);
    if (!same) std::fprintf(stderr, "%s\n", to_string(same.error()).c_str());
    failed |= !same || !*same;
  }
  return failed;
}
