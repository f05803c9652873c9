// SPDX-License-Identifier: Apache-2.0
// Ranks that share memory: by hand, against the plain interpreter, and the recorded run, whose times are
// reproduced.
#include "predict/simulate/contention.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "predict/simulate/platform.h"
#include "predict/simulate/profile.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using testing::Draw;
using ::testing::ElementsAre;
using testing::Program;

machine::Parameter assumed(double value) {
  return {value, 0, 0, Origin::assumed};
}

/// Memory with the bandwidth of one core for any number of cores: k ranks with the part `bound` for memory
/// take max(1, bound k) times as long.
machine::Machine flat_memory(std::int32_t cores) {
  machine::Machine machine;
  machine.name = "flat";
  machine.nodes = 64;
  machine.cores_per_node = cores;
  machine.memory_sharing.emplace();
  for (const std::int32_t streams : {1, 2})
    machine.memory_sharing->points.push_back({streams, assumed(10e9)});
  return machine;
}

/// Messages are free; rank r is on node r / per_node.
Platform free_messages(std::int32_t ranks, std::int32_t per_node) {
  Platform platform;
  platform.links.emplace_back();
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    platform.node_of.push_back(rank / per_node), platform.socket_of.push_back(rank / per_node);
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
std::vector<Time> contention(const Outcome& outcome) {
  std::vector<Time> out;
  for (const RankOutcome& rank : outcome.ranks) out.push_back(rank.contention);
  return out;
}

// Two ranks, with three quarters of the time for memory: together each proceeds at 2/3. The second begins
// after 1000 ps, when the first has 2000 left, which take 3000. By then the second has done 2000 of its 3000,
// and does the rest alone.
TEST(Contention, of_two_that_begin_one_after_the_other) {
  const Program program{{{testing::compute(3000)},
                         {testing::receive(2), testing::compute(3000)},
                         {testing::compute(1000), testing::send(1, 0)}}};
  Platform platform = free_messages(3, 2);
  ASSERT_TRUE(take_contention(flat_memory(2), 0.75, platform));
  const Outcome outcome = run(program, platform);
  EXPECT_THAT(ends(outcome), ElementsAre(4000, 5000, 1000));
  EXPECT_THAT(contention(outcome), ElementsAre(1000, 1000, 0));
  EXPECT_EQ(outcome.ranks[1].compute, 4000);
  ASSERT_TRUE(outcome.contended);
  EXPECT_EQ(outcome.contended->node, 0u);
  EXPECT_EQ(outcome.contended->compute, 8000);
  EXPECT_EQ(outcome.contended->contention, 2000);
}

// A rank that waits for a message needs no memory: the other computes alone.
TEST(Contention, is_only_with_those_who_compute) {
  const Program program{
      {{testing::compute(1000), testing::send(1, 0)}, {testing::receive(0), testing::compute(1000)}}};
  Platform platform = free_messages(2, 2);
  ASSERT_TRUE(take_contention(flat_memory(2), 1, platform));
  EXPECT_THAT(ends(run(program, platform)), ElementsAre(1000, 2000));
}

// Pure streams share like processors: for n pieces that begin together, w_1 <= w_2 <= ..., the i-th ends at
// the sum over j <= i of (w_j - w_(j-1)) (n - j + 1).
TEST(Contention, of_streams_is_processor_sharing) {
  const std::vector<Time> works{1000, 2500, 2500, 40000, 100000};
  Program program;
  for (const Time work : works) program.ranks.push_back({testing::compute(work)});
  Platform platform = free_messages(5, 5);
  ASSERT_TRUE(take_contention(flat_memory(5), 1, platform));
  const Outcome outcome = run(program, platform);
  Time end = 0, before = 0;
  for (std::size_t i = 0; i < works.size(); ++i) {
    end += (works[i] - before) * static_cast<Time>(works.size() - i);
    before = works[i];
    // Speeds are rounded to 2^-32, ends to integer picoseconds.
    EXPECT_NEAR(static_cast<double>(outcome.ranks[i].end), static_cast<double>(end), 5) << i;
  }
}

TEST(Contention, is_of_a_socket_where_the_machine_says_so) {
  machine::Machine machine = flat_memory(4);
  machine.sockets_per_node = 2;
  machine.links["node"].latency = assumed(0), machine.links["node"].gap_per_byte = assumed(0);
  Program program;
  for (int rank = 0; rank < 4; ++rank) program.ranks.push_back({testing::compute(1000)});
  for (const bool by_socket : {false, true}) {
    machine.memory_sharing->by_socket = by_socket;
    Platform platform = *platform_of(machine, 4);
    ASSERT_TRUE(take_contention(machine, 1, platform));
    const Outcome outcome = run(program, platform);
    EXPECT_EQ(outcome.makespan, by_socket ? 2000 : 4000);
    EXPECT_EQ(outcome.contended->socket, by_socket ? 0 : -1);
  }
}

TEST(Contention, of_nothing_for_memory_is_none_and_without_a_measurement_refused) {
  Platform platform = free_messages(2, 2);
  ASSERT_TRUE(take_contention(machine::Machine{}, 0, platform));
  EXPECT_FALSE(platform.contention);
  const auto refused = take_contention(machine::Machine{}, 0.5, platform);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("parcast calibrate"));
}

// Recorded with two ranks on a node, which slowed each other. Alone each takes half of the recorded time,
// with four on a node twice.
TEST(Contention, of_the_recorded_run_is_taken_out) {
  Program program;
  for (int rank = 0; rank < 4; ++rank) program.ranks.push_back({testing::compute(1000)});
  Platform recorded = free_messages(4, 2);
  ASSERT_TRUE(take_contention(flat_memory(4), 1, recorded));
  for (const std::int32_t per_node : {1, 2, 4}) {
    Platform platform = free_messages(4, per_node);
    ASSERT_TRUE(take_contention(flat_memory(4), 1, platform));
    platform.contention->recorded = std::make_shared<const Platform>(recorded);
    const Outcome outcome = run(program, platform);
    EXPECT_EQ(outcome.makespan, 500 * per_node);
    EXPECT_EQ(outcome.ranks[0].contention, 500 * (per_node - 1));
  }
}

/// Ranks in one to three domains, with speeds that never increase.
Contention random_contention(Draw& draw, std::int32_t ranks) {
  Contention out;
  const std::uint32_t domains = draw.between(1, 3);
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    out.domain_of.push_back(static_cast<std::uint32_t>(draw.below(domains)));
  out.speeds = {kOne, kOne};
  for (std::int32_t k = 2; k <= ranks; ++k)
    out.speeds.push_back(out.speeds.back() / 8 * static_cast<std::int64_t>(draw.between(3, 8)) +
                         (draw.one_in(2) ? 0 : -1));
  return out;
}

TEST(Contention, agrees_with_the_plain_interpreter_on_random_programs) {
  int slowed = 0, recorded = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    auto [trace, platform] = testing::random_case(seed, seed % 4 == 0);
    if (seed % 4 == 1) platform = testing::with_network({trace, platform}, seed).platform;
    Draw draw(seed + 77);
    Platform there = platform;
    there.contention = random_contention(draw, trace.ranks);
    there.compute_ratio = kOne;
    there.noise.reset();
    platform.contention = random_contention(draw, trace.ranks);
    if (draw.one_in(2)) platform.contention->recorded = std::make_shared<const Platform>(there), ++recorded;
    const auto reference = reference::interpret(trace, platform);
    const auto engine = simulate(trace, platform);
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(engine) << to_string(engine.error());
    testing::expect_same(*engine, *reference);
    if (HasFailure()) return;
    slowed += std::any_of(engine->ranks.begin(), engine->ranks.end(),
                          [](const RankOutcome& rank) { return rank.contention > 0; });
  }
  EXPECT_GT(slowed, 1000);
  EXPECT_GT(recorded, 500);
}

TEST(Contention, agrees_on_who_hangs) {
  for (int kind = 0; kind < testing::kMistakes; ++kind)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << testing::mistake_name(kind));
      auto [trace, platform] = testing::broken_case(seed, kind);
      Draw draw(seed);
      platform.contention = random_contention(draw, trace.ranks);
      const auto engine = simulate(trace, platform);
      const auto reference = reference::interpret(trace, platform);
      ASSERT_TRUE(reference) << to_string(reference.error());
      if (!engine) continue;  // members that call different collectives
      ASSERT_EQ(engine->waiting.size(), reference->waiting.size());
      for (std::size_t i = 0; i < engine->waiting.size(); ++i)
        EXPECT_EQ(engine->waiting[i].rank, reference->waiting[i].rank);
      if (reference->waiting.empty()) testing::expect_same(*engine, *reference);
    }
}

// On the machine and the nodes of the recording every time is the recorded one, to the picosecond.
TEST(Contention, of_the_same_run_on_the_same_machine_gives_the_recorded_times) {
  int slowed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    auto [trace, platform] = testing::random_case(seed, false);
    if (seed % 3 == 0) platform = testing::with_network({trace, platform}, seed).platform;
    platform.compute_ratio = kOne;
    platform.noise.reset();
    const auto without = simulate(trace, platform);
    Draw draw(seed);
    platform.contention = random_contention(draw, trace.ranks);
    platform.contention->recorded = std::make_shared<const Platform>(platform);
    auto with = simulate(trace, platform);
    ASSERT_TRUE(without);
    ASSERT_TRUE(with);
    for (RankOutcome& rank : with->ranks) slowed += rank.contention > 0, rank.contention = 0;
    testing::expect_same(*with, *without);
    if (HasFailure()) return;
  }
  EXPECT_GT(slowed, 1000);
}

// Pieces that begin together, round by round.
TEST(Contention, grows_with_the_ranks_of_a_node) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draw draw(seed);
    Program program;
    for (int rank = 0; rank < 8; ++rank) {
      testing::Body body;
      for (int round = 0; round < 10; ++round) {
        body.push_back(testing::compute(static_cast<Time>(draw.between(0, 100'000))));
        body.push_back(testing::collective(recording::Pattern::barrier, 0));
      }
      program.ranks.push_back(body);
    }
    const double bound = 0.1 * static_cast<double>(draw.between(3, 10));
    Time before = 0;
    for (const std::int32_t per_node : {1, 2, 4, 8}) {
      Platform platform = free_messages(8, per_node);
      ASSERT_TRUE(take_contention(flat_memory(8), bound, platform));
      const Time now = run(program, platform).makespan;
      if (per_node > 1) EXPECT_GE(now, before) << "seed " << seed << ", " << per_node << " a node";
      before = now;
    }
  }
}

TEST(Contention, is_part_of_the_computing_that_observers_are_told) {
  const Program program{
      {{testing::compute(1000), testing::send(1, 0)}, {testing::compute(3000), testing::receive(0)}}};
  Platform platform = free_messages(2, 2);
  ASSERT_TRUE(take_contention(flat_memory(2), 1, platform));
  const trace::Trace trace = testing::to_trace(program);
  Profile profile(trace);
  Observer* const observers[] = {&profile};
  const auto outcome = simulate(trace, platform, Trust::none, observers);
  ASSERT_TRUE(outcome);
  EXPECT_THAT(ends(*outcome), ElementsAre(2000, 4000));
  for (std::int32_t rank : {0, 1}) {
    Time compute = 0;
    for (const Profile::Row& row : profile.rows(rank)) compute += row.spent.compute;
    EXPECT_EQ(compute, outcome->ranks[static_cast<std::size_t>(rank)].compute);
  }
}

}  // namespace
}  // namespace parcast::simulate
