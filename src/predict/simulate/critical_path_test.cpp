// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/critical_path.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_platform.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

using recording::Pattern;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::loop;
using simulate::testing::plain;
using simulate::testing::receive;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::start_send;
using simulate::testing::to_trace;
using simulate::testing::wait;

CriticalPath path_of(const trace::Trace& trace, const Platform& platform) {
  PathFinder finder(trace, platform);
  const std::array<Observer*, 1> observers{&finder};
  const auto outcome = simulate(trace, platform, Trust::none, observers);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  if (!outcome) return {};
  CriticalPath path = finder.path();
  EXPECT_EQ(path.time, outcome->makespan);
  EXPECT_EQ(outcome->ranks[static_cast<std::size_t>(path.rank)].end, outcome->makespan);
  return path;
}
CriticalPath path_of(std::vector<Body> ranks, const Platform& platform = plain()) {
  return path_of(to_trace({.ranks = std::move(ranks)}), platform);
}

std::map<PathKind, Time> by_kind(const CriticalPath& path) {
  std::map<PathKind, Time> sums;
  for (const PathPart& part : path.parts) sums[part.kind] += part.time;
  return sums;
}
std::map<std::int32_t, Time> by_rank(const CriticalPath& path) {
  std::map<std::int32_t, Time> sums;
  for (const PathRank& rank : path.ranks) sums[rank.rank] = rank.time;
  return sums;
}
using Kinds = std::map<PathKind, Time>;
using RankSums = std::map<std::int32_t, Time>;
constexpr auto kCompute = PathKind::compute, kOverhead = PathKind::overhead, kTransfer = PathKind::transfer,
               kQueue = PathKind::queue, kHandshake = PathKind::handshake, kCollective = PathKind::collective;

void expect_hand_over(const CriticalPath& path, std::int32_t from, std::int32_t to, Time under_way) {
  ASSERT_EQ(path.hand_overs.size(), 1u);
  EXPECT_EQ(path.hand_overs[0].from, from);
  EXPECT_EQ(path.hand_overs[0].to, to);
  EXPECT_EQ(path.hand_overs[0].times, 1u);
  EXPECT_EQ(path.hand_overs[0].under_way, under_way);
}

TEST(CriticalPath, GoesThroughAMessageToItsSender) {
  const CriticalPath path = path_of({{compute(1000), send(1, 400)}, {compute(10), receive(0)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kCompute, 1000}, {kOverhead, 300 + 400}, {kTransfer, 5000 + 600}}));
  EXPECT_EQ(by_rank(path), (RankSums{{0, 1300}, {1, 400}}));
  expect_hand_over(path, 0, 1, 5600);
}

TEST(CriticalPath, OfTwoThatComeAtOnceTheRanksOwnIsTaken) {
  const CriticalPath path =
      path_of({{compute(1000), send(1, 400)}, {compute(1000 + 300 + 5600), receive(0)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kCompute, 6900}, {kOverhead, 400}}));
  EXPECT_TRUE(path.hand_overs.empty());
}

TEST(CriticalPath, AReceiverThatAnswersLateIsWhereARendezvousBegins) {
  const CriticalPath path = path_of({{send(1, 2000)}, {compute(10'000), receive(0)}});
  EXPECT_EQ(by_kind(path),
            (Kinds{{kCompute, 10'000}, {kHandshake, 2000}, {kTransfer, 7000}, {kOverhead, 200}}));
  EXPECT_EQ(by_rank(path), (RankSums{{1, 10'200}}));
  EXPECT_TRUE(path.hand_overs.empty());
}

TEST(CriticalPath, ALateSenderIsWhereARendezvousBegins) {
  const CriticalPath path = path_of({{compute(10'000), send(1, 2000)}, {receive(0)}});
  EXPECT_EQ(by_kind(path),
            (Kinds{{kCompute, 10'000}, {kHandshake, 4000}, {kTransfer, 7000}, {kOverhead, 300 + 200}}));
  expect_hand_over(path, 0, 1, 11'000);
}

TEST(CriticalPath, AReceiverThatDoesNotAttendHoldsTheHandshakeUp) {
  // The request arrives at 2300, while rank 1 computes until 10000; it is answered in the wait.
  const CriticalPath path = path_of({{send(1, 2000)}, {start_receive(0), compute(10'000), wait({1})}});
  EXPECT_EQ(by_kind(path),
            (Kinds{{kCompute, 10'000}, {kHandshake, 2000}, {kTransfer, 7000}, {kOverhead, 200}}));
  EXPECT_TRUE(path.hand_overs.empty());
}

TEST(CriticalPath, ASenderThatDoesNotAttendHoldsTheMessageUp) {
  // The answer is back at 4300, while rank 0 computes until 300 + 20000.
  const CriticalPath path = path_of({{start_send(1, 2000), compute(20'000), wait({1})}, {receive(0)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kCompute, 20'000}, {kTransfer, 7000}, {kOverhead, 300 + 200}}));
  EXPECT_EQ(by_rank(path), (RankSums{{0, 20'300}, {1, 200}}));
}

TEST(CriticalPath, ASendThatIsWaitedForEndsWithTheReceiver) {
  // Rank 1 takes the message late and sends nothing more; rank 0 computes longest after its send is complete.
  const CriticalPath path = path_of({{send(1, 2000), compute(50'000)}, {compute(10'000), receive(0)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kCompute, 10'000 + 50'000}, {kHandshake, 2000}, {kTransfer, 2000}}));
  expect_hand_over(path, 1, 0, 4000);
}

TEST(CriticalPath, AMessageThatWaitsForTheReceivingInterfaceLeadsToTheOneBefore) {
  const CriticalPath path = path_of({{receive(2), receive(1)}, {send(0, 400)}, {send(0, 400)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kOverhead, 300 + 400 + 400}, {kTransfer, 5000 + 600}, {kQueue, 800}}));
  expect_hand_over(path, 1, 0, 5000 + 800 + 600);
}

TEST(CriticalPath, AMessageThatWaitsForTheSendingInterfaceLeadsToTheOneBefore) {
  const CriticalPath path = path_of({{start_send(1, 400), start_send(1, 400)}, {receive(0), receive(0)}});
  EXPECT_EQ(by_kind(path), (Kinds{{kOverhead, 300 + 400}, {kQueue, 800}, {kTransfer, 5600}}));
}

TEST(CriticalPath, AMeasuredCollectiveLeadsToTheMemberThatCameLast) {
  for (const auto& [pattern, cause, time] :
       {std::tuple(Pattern::allreduce, 1, 50), {Pattern::broadcast, 2, 30}, {Pattern::scan, 1, 50}}) {
    Platform platform = plain();
    platform.measured[{pattern, 8, 3}] = 100;
    // After the collective rank 2 computes longest: the chain comes from the rank for which it waited.
    std::vector<Body> ranks{{compute(10)}, {compute(50)}, {compute(30)}};
    const int root = 2;
    for (Body& body : ranks) body.push_back(collective(pattern, 8, pattern == Pattern::broadcast ? root : 0));
    ranks[2].push_back(compute(1000));
    const CriticalPath path = path_of(ranks, platform);
    EXPECT_EQ(by_kind(path), (Kinds{{kCompute, time + 1000}, {kCollective, 100}}));
    EXPECT_EQ(by_rank(path), cause == 2 ? (RankSums{{2, 1030}}) : (RankSums{{cause, time}, {2, 1000}}));
    EXPECT_EQ(path.hand_overs.size(), cause == 2 ? 0u : 1u);
  }
}

TEST(CriticalPath, SaysWhereInTheProgramTheTimeGoes) {
  trace::Trace trace = to_trace({.ranks = {{compute(1000), send(1, 400)}, {receive(0), compute(7)}}});
  trace.places = {{"main/halo", "f", "a.c", 1, "MPI_Send"}, {"main/halo", "f", "a.c", 2, "MPI_Recv"}};
  for (trace::Operation& operation : trace.operations)
    operation.place = operation.kind == trace::Kind::send ? 0 : 1;
  std::map<std::pair<PathKind, std::uint32_t>, Time> parts;
  for (const PathPart& part : path_of(trace, plain()).parts) parts[{part.kind, part.site.place}] = part.time;
  EXPECT_EQ(parts, (std::map<std::pair<PathKind, std::uint32_t>, Time>{{{kCompute, 0}, 1000},
                                                                       {{kOverhead, 0}, 300},
                                                                       {{kTransfer, 0}, 5600},
                                                                       {{kOverhead, 1}, 400},
                                                                       {{kCompute, 1}, 7}}));
}

TEST(CriticalPath, IsAsLongAsTheRun) {
  std::uint64_t hand_overs = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    const auto [trace, platform] = simulate::testing::random_case(seed, false);
    hand_overs += path_of(trace, platform).hand_overs.size();
    // on shared links
    if (seed % 4 == 0) path_of(trace, simulate::testing::with_network({trace, platform}, seed).platform);
    if (seed % 4 == 1) path_of(trace, simulate::testing::with_share({trace, platform}, seed).platform);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(hand_overs, 1000u);
}

/// When all computing takes three times as long, the run takes longer by at least twice the computing on the
/// path. Holds when only dependences decide: no interfaces, no receives from any source, no ranks that attend
/// only in calls, and no costs of taking messages, whose order in one wait may change.
TEST(CriticalPath, WhatStandsOnItProlongsTheRun) {
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto [trace, platform] = simulate::testing::random_case(seed, false);
    platform.attention = Attention::always;
    platform.compute_ratio = kOne;
    platform.noise.reset();
    for (Link& link : platform.links) {
      link.gap = link.gap_per_byte = link.rendezvous_gap_per_byte = 0;
      link.receive_overhead = link.receive_overhead_per_byte = 0;
    }
    bool any = false;
    for (const trace::Operation& operation : trace.operations)
      any |= operation.peer == trace::kAny || operation.tag == trace::kAny;
    if (any) continue;
    const Time before = path_of(trace, platform).time;
    Time on_path = 0;
    for (const PathPart& part : path_of(trace, platform).parts)
      on_path += part.kind == PathKind::compute ? part.time : 0;
    for (trace::Sequence& sequence : trace.sequences)
      for (trace::Item& item : sequence)
        if (item.what() == trace::Item::What::compute) item = trace::Item::compute(item.time() * 3);
    EXPECT_GE(path_of(trace, platform).time, before + 2 * on_path);
    tried += on_path > 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 100u);
}

TEST(CriticalPath, ALongRunNeedsNoMoreMemory) {
  const std::uint32_t rounds = 200'000;
  const auto trace = to_trace({.ranks = {{loop(rounds, {compute(100), send(1, 8), receive(1)})},
                                         {loop(rounds, {receive(0), send(0, 8)})}}});
  PathFinder finder(trace, plain());
  const std::array<Observer*, 1> observers{&finder};
  const auto outcome = simulate(trace, plain(), Trust::none, observers);
  ASSERT_TRUE(outcome);
  EXPECT_LE(finder.nodes(), PathTree::kAtLeast);
  const CriticalPath path = finder.path();
  EXPECT_EQ(path.time, outcome->makespan);
  ASSERT_EQ(path.hand_overs.size(), 2u);
  EXPECT_EQ(path.hand_overs[0].times, rounds);
  EXPECT_EQ(by_kind(path)[kCompute], Time{100} * rounds);
}

}  // namespace
}  // namespace parcast::simulate
