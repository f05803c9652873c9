// SPDX-License-Identifier: Apache-2.0
// The engine on networks whose links are shared: by hand, against the plain interpreter, and against itself
// without a network.
#include <gmock/gmock.h>

#include <algorithm>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using testing::Body;
using testing::Draw;
using testing::Program;

machine::Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

machine::Machine crossbar(std::int32_t nodes, double bandwidth) {
  machine::Machine machine;
  machine.name = "net";
  machine.nodes = nodes;
  machine.network.emplace();
  machine.network->topology = "crossbar";
  machine.network->bandwidth = assumed(bandwidth);
  return machine;
}

/// Rank r on node r / per_node; L = 1000 ns, o = 0, G = 1 ns per byte, no gap, all eager up to 5000 bytes; H
/// = 2 L.
Platform simple(const machine::Machine& machine, std::int32_t ranks, std::int32_t per_node) {
  Platform platform;
  platform.links = {{.latency = 1'000'000,
                     .gap_per_byte = 1000 * kOne,
                     .eager_limit = 5000,
                     .rendezvous_gap_per_byte = 1000 * kOne}};
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    platform.node_of.push_back(rank / per_node);
    platform.socket_of.push_back(rank / per_node);
  }
  platform.network = *network::Network::of(machine, (ranks + per_node - 1) / per_node);
  return platform;
}

Outcome run(const Program& program, const Platform& platform) {
  const auto outcome = simulate(testing::to_trace(program), platform);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  return outcome ? *outcome : Outcome{};
}

std::vector<Time> ends(const Outcome& outcome) {
  std::vector<Time> out;
  for (const RankOutcome& rank : outcome.ranks) out.push_back(rank.end);
  return out;
}

using ::testing::ElementsAre;

// Ranks 2 and 3 are on one node, whose link carries 1 byte/ns: both messages of 1000 bytes end at 2000 ns,
// and arrive 1000 ns later.
TEST(EngineOnNetwork, two_messages_to_one_node_share_its_link) {
  const Program program{
      {{testing::send(2, 1000)}, {testing::send(3, 1000)}, {testing::receive(0)}, {testing::receive(1)}}};
  Platform platform = simple(crossbar(4, 1e9), 4, 1);
  platform.node_of = {0, 1, 2, 2};
  const Outcome outcome = run(program, platform);
  EXPECT_THAT(ends(outcome), ElementsAre(0, 0, 3'000'000, 3'000'000));
  EXPECT_EQ(outcome.slowed, 2'000'000);  // a microsecond each
  ASSERT_EQ(outcome.busiest.size(), 3u);
  EXPECT_EQ(outcome.busiest[0].link, "switch 0 to node 2");
  EXPECT_EQ(outcome.busiest[0].bytes, 2000u);
  EXPECT_EQ(outcome.busiest[0].bytes_per_second, 1e9);
  EXPECT_EQ(outcome.busiest[1].link, "node 0 to switch 0");
  platform.network.reset();
  EXPECT_THAT(ends(run(program, platform)), ElementsAre(0, 0, 2'000'000, 2'000'000));
}

// The second message starts when half of the first is sent: 1000 bytes take 500 at half the rate, and 500
// alone: 500 + 1000 + 500 ns.
TEST(EngineOnNetwork, a_message_that_comes_later_slows_the_one_under_way) {
  const Program program{{{testing::send(2, 1000)},
                         {testing::compute(500'000), testing::send(3, 1000)},
                         {testing::receive(0)},
                         {testing::receive(1)}}};
  Platform platform = simple(crossbar(4, 1e9), 4, 1);
  platform.node_of = {0, 1, 2, 2};
  EXPECT_THAT(ends(run(program, platform)),
              ElementsAre(0, 500'000, 1'500'000 + 1'000'000, 2'000'000 + 1'000'000));
}

// The interface of rank 0 is busy until its first flow ends at 2000 ns; then the second flow has the link
// alone.
TEST(EngineOnNetwork, the_next_message_departs_when_the_flow_before_it_has_ended) {
  const Program program{{{testing::send(2, 1000), testing::send(2, 1000)},
                         {testing::send(3, 1000)},
                         {testing::receive(0), testing::receive(0)},
                         {testing::receive(1)}}};
  Platform platform = simple(crossbar(4, 1e9), 4, 1);
  platform.node_of = {0, 1, 2, 2};
  EXPECT_THAT(ends(run(program, platform)), ElementsAre(0, 0, 4'000'000, 3'000'000));
}

// On a ring of 4 with 100 ns per hop, node 0 to node 2: 1000 + 200 + 1000 ns. A handshake takes 200 ns more
// in each direction.
TEST(EngineOnNetwork, each_hop_adds_to_the_latency) {
  machine::Machine machine = crossbar(4, 1e9);
  machine.network->topology = "torus";
  machine.network->dimensions = {4};
  machine.network->hop_latency = assumed(100e-9);
  const Platform platform = simple(machine, 4, 1);
  EXPECT_EQ(run({{{testing::send(2, 1000)}, {}, {testing::receive(0)}, {}}}, platform).ranks[2].end,
            2'200'000);
  EXPECT_THAT(ends(run({{{testing::send(2, 6000)}, {}, {testing::receive(0)}, {}}}, platform)),
              ElementsAre(2'400'000 + 6'000'000, 0, 2'400'000 + 6'000'000 + 1'200'000, 0));
}

// Four pairs inside one node copy 1000 bytes each at 1 byte/ns; the memory moves 2 bytes/ns, so all take
// twice as long.
TEST(EngineOnNetwork, copies_inside_a_node_share_its_memory) {
  machine::Machine machine = crossbar(1, 1e9);
  machine.network->memory_bandwidth = assumed(2e9);
  Program program;
  for (std::int32_t pair = 0; pair < 4; ++pair) {
    program.ranks.push_back({testing::send(2 * pair + 1, 1000)});
    program.ranks.push_back({testing::receive(2 * pair)});
  }
  EXPECT_EQ(run(program, simple(machine, 8, 8)).makespan, 3'000'000);
  machine.network->memory_bandwidth.origin = Origin::unknown;
  EXPECT_EQ(run(program, simple(machine, 8, 8)).makespan, 2'000'000);
}

// Incast: k senders and one receiver. The node's link and the receiver's interface carry the same bytes: the
// last message arrives when both have carried all bytes, as without a network.
TEST(EngineOnNetwork, incast_costs_its_bytes_once) {
  for (const std::int32_t k : {2, 7}) {
    Program program;
    program.ranks.emplace_back();
    for (std::int32_t sender = 1; sender <= k; ++sender) {
      program.ranks[0].push_back(testing::receive(sender));
      program.ranks.push_back({testing::send(0, 1000)});
    }
    EXPECT_EQ(run(program, simple(crossbar(k + 1, 1e9), k + 1, 1)).makespan, (k + 1) * 1'000'000);
  }
}

TEST(EngineOnNetwork, agrees_with_the_plain_interpreter_on_random_programs) {
  int slowed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const auto [trace, platform] = testing::with_network(testing::random_case(seed, false), seed);
    const auto reference = reference::interpret(trace, platform);
    const auto engine = simulate(trace, platform);
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(engine) << to_string(engine.error());
    testing::expect_same(*engine, *reference);
    if (HasFailure()) return;
    slowed += engine->makespan >
              simulate(trace, testing::with_network(testing::random_case(seed, false), seed, false).platform)
                  ->makespan;
  }
  EXPECT_GT(slowed, 500);  // by sharing, in most cases
}

TEST(EngineOnNetwork, agrees_on_who_hangs) {
  for (int kind = 0; kind < testing::kMistakes; ++kind)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << testing::mistake_name(kind));
      const auto [trace, platform] = testing::with_network(testing::broken_case(seed, kind), seed);
      if (trace::has_accesses(trace)) continue;  // refused
      const auto engine = simulate(trace, platform);
      const auto reference = reference::interpret(trace, platform);
      ASSERT_TRUE(reference) << to_string(reference.error());
      if (!engine) continue;  // members that call different collectives
      std::vector<std::int32_t> ours, theirs;
      for (const Waiting& waiting : engine->waiting) ours.push_back(waiting.rank);
      for (const Waiting& waiting : reference->waiting) theirs.push_back(waiting.rank);
      ASSERT_EQ(ours, theirs);
    }
}

// Links that carry 60 TB/s are never scarce among at most 17 ranks whose G is at least 1 ps per byte.
TEST(EngineOnNetwork, that_is_never_scarce_takes_as_long_as_without_to_the_picosecond) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    auto [trace, platform] = testing::random_case(seed, false);
    for (Link& link : platform.links) {
      link.corrections.clear();
      link.gap_per_byte = std::max(link.gap_per_byte, kOne),
      link.rendezvous_gap_per_byte = std::max(link.rendezvous_gap_per_byte, kOne);
    }
    const auto without = simulate(trace, platform);
    const std::int32_t nodes = platform.node_of.empty()
                                   ? trace.ranks
                                   : *std::max_element(platform.node_of.begin(), platform.node_of.end()) + 1;
    platform.network = *network::Network::of(crossbar(nodes, 6e13), nodes);
    const auto with = simulate(trace, platform);
    ASSERT_TRUE(without);
    ASSERT_TRUE(with);
    testing::expect_same(*with, *without);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace parcast::simulate
