// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/simulate.h"

#include <gtest/gtest.h>

#include <array>

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;

/// A trace in which each rank has its own sequence.
class Ranks {
 public:
  explicit Ranks(std::int32_t ranks) {
    trace_.ranks = ranks;
    trace_.sequences.resize(static_cast<std::size_t>(ranks));
    for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(ranks); ++rank)
      trace_.sequence_of.push_back(rank);
  }
  Ranks& compute(std::size_t rank, Time time) {
    return trace_.sequences[rank].push_back(Item::compute(time)), *this;
  }
  Ranks& add(std::size_t rank, Operation operation) {
    trace_.operations.push_back(operation);
    trace_.sequences[rank].push_back(
        Item::operation(static_cast<std::uint32_t>(trace_.operations.size() - 1)));
    return *this;
  }
  Ranks& message(std::size_t rank, Kind kind, std::int32_t peer, std::uint64_t bytes, std::int32_t tag = 0) {
    return add(rank, {.kind = kind,
                      .peer = peer == trace::kAny ? peer : peer - static_cast<std::int32_t>(rank),
                      .tag = tag,
                      .bytes = bytes});
  }
  Ranks& wait(std::size_t rank, std::vector<std::uint32_t> distances) {
    trace_.request_sets.push_back(std::move(distances));
    return add(rank,
               {.kind = Kind::wait, .requests = static_cast<std::uint32_t>(trace_.request_sets.size() - 1)});
  }
  trace::Trace& trace() { return trace_; }

 private:
  trace::Trace trace_;
};

/// L = 5000, o_s = 300, o_r = 200, g = 100, G = 2 per byte, O_s = 1, O_r = 1/2; above 1000 bytes H = 4000, G'
/// = 1.
Platform plain() {
  Platform platform;
  platform.links = {{.latency = 5000,
                     .send_overhead = 300,
                     .receive_overhead = 200,
                     .gap = 100,
                     .gap_per_byte = 2 * kOne,
                     .send_overhead_per_byte = kOne,
                     .receive_overhead_per_byte = kOne / 2,
                     .eager_limit = 1000,
                     .handshake = 4000,
                     .rendezvous_gap_per_byte = kOne}};
  return platform;
}

TEST(Simulate, EagerMessageByHand) {
  Ranks ranks(2);
  ranks.compute(0, 1000).message(0, Kind::send, 1, 400).message(1, Kind::receive, 0, 400);
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->ranks[0].end, 1000 + 300 + 400);  // o_s + m O_s
  // departs at 1300, the head arrives at 6300, can be received m (G - O_r) = 600 later, o_r + m O_r = 400
  EXPECT_EQ(outcome->ranks[1].end, 6300 + 600 + 400);
  EXPECT_EQ(outcome->ranks[1].communication, 400);
  EXPECT_EQ(outcome->makespan, 7300);
  EXPECT_EQ(outcome->messages, 1u);
  EXPECT_EQ(outcome->bytes, 400u);
}

TEST(Simulate, RendezvousWaitsForTheReceiver) {
  Ranks ranks(2);
  ranks.message(0, Kind::send, 1, 2000).compute(1, 10'000).message(1, Kind::receive, 0, 2000);
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_TRUE(outcome);
  // request at 300 + 2000, answered when the receive is posted at 10000, back at 12000, leaves until 14000
  EXPECT_EQ(outcome->ranks[0].end, 14'000);
  EXPECT_EQ(outcome->ranks[1].end, 12'000 + 5000 + 2000 + 200);
}

TEST(Simulate, TheReceiverComputesWhenTheRequestArrives) {
  Ranks ranks(2);
  ranks.message(0, Kind::send, 1, 2000)
      .message(1, Kind::start_receive, 0, 2000)
      .compute(1, 10'000)
      .wait(1, {1});
  Platform platform = plain();
  auto outcome = simulate(ranks.trace(), platform);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ranks[0].end, 14'000);  // answered in the wait, at 10000
  platform.attention = Attention::always;
  outcome = simulate(ranks.trace(), platform);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ranks[0].end, 2300 + 2000 + 2000);
  EXPECT_EQ(outcome->ranks[1].end, 4300 + 5000 + 2000 + 200);
}

TEST(Simulate, TheReceivingInterfaceServesOneAfterTheOther) {
  Ranks ranks(3);
  ranks.message(1, Kind::send, 0, 400).message(2, Kind::send, 0, 400);
  ranks.message(0, Kind::receive, 2, 400).message(0, Kind::receive, 1, 400);
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_TRUE(outcome);
  // both heads at 5300; rank 1's is served until 6100, rank 2's can be received at 6700, taken until 7100;
  // then rank 1's
  EXPECT_EQ(outcome->ranks[0].end, 7100 + 400);
}

TEST(Simulate, TwoThatSendFirstHang) {
  Ranks ranks(3);
  for (const std::size_t rank : {0, 1}) {
    const auto other = static_cast<std::int32_t>(1 - rank);
    ranks.message(rank, Kind::send, other, 2000).message(rank, Kind::receive, other, 2000);
  }
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->waiting.size(), 2u);
  EXPECT_EQ(outcome->waiting[0].for_ranks, std::vector<std::int32_t>{1});
  EXPECT_EQ(outcome->cycle, (std::vector<std::int32_t>{0, 1}));
  EXPECT_FALSE(outcome->ranks[0].finished);
  EXPECT_TRUE(outcome->ranks[2].finished);
}

/// Three ranks that compute 10, 50 and 30, then call a collective with root 1 that takes 100.
class Measured : public testing::Test {
 protected:
  std::vector<Time> ends(recording::Pattern pattern) {
    Ranks ranks(3);
    const std::array<Time, 3> computes{10, 50, 30};
    for (std::size_t rank = 0; rank < 3; ++rank)
      ranks.compute(rank, computes[rank])
          .add(rank, {.kind = Kind::collective, .pattern = pattern, .root = 1, .bytes = 8});
    Platform platform = plain();
    platform.measured[{pattern, 8, 3}] = 100;
    const auto outcome = simulate(ranks.trace(), platform);
    EXPECT_TRUE(outcome) << to_string(outcome.error());
    std::vector<Time> out;
    for (const RankOutcome& rank : outcome->ranks) {
      out.push_back(rank.end);
      EXPECT_EQ(rank.communication, 100);
    }
    EXPECT_EQ(outcome->collective_messages, 0u);
    return out;
  }
};

TEST_F(Measured, MembersLeaveWhenThoseWhomTheyNeedHaveCome) {
  using recording::Pattern;
  EXPECT_EQ(ends(Pattern::barrier), (std::vector<Time>{150, 150, 150}));
  EXPECT_EQ(ends(Pattern::allreduce), (std::vector<Time>{150, 150, 150}));
  EXPECT_EQ(ends(Pattern::broadcast), (std::vector<Time>{150, 150, 150}));
  EXPECT_EQ(ends(Pattern::reduce), (std::vector<Time>{110, 150, 130}));
  EXPECT_EQ(ends(Pattern::gather), (std::vector<Time>{110, 150, 130}));
  EXPECT_EQ(ends(Pattern::scan), (std::vector<Time>{110, 150, 150}));
}

TEST(Simulate, AMemberThatNeedsNobodyLeavesBeforeTheOthersCome) {
  Ranks ranks(2);
  const Operation reduce{
      .kind = Kind::collective, .pattern = recording::Pattern::reduce, .root = 1, .bytes = 8};
  ranks.add(0, reduce).message(0, Kind::send, 1, 0).message(1, Kind::receive, 0, 0).add(1, reduce);
  Platform platform = plain();
  platform.measured[{recording::Pattern::reduce, 8, 2}] = 100;
  const auto outcome = simulate(ranks.trace(), platform);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->waiting.empty());
  // sent at 100, received, and then the reduction
  EXPECT_EQ(outcome->ranks[1].end, 100 + 300 + 5000 + 200 + 100);
}

TEST(Simulate, AMemberThatNeverComesIsNamed) {
  for (const bool measured : {false, true}) {
    Ranks ranks(3);
    for (const std::size_t rank : {0, 1})
      ranks.add(rank, {.kind = Kind::collective, .pattern = recording::Pattern::barrier});
    Platform platform = plain();
    if (measured) platform.measured[{recording::Pattern::barrier, 0, 3}] = 100;
    const auto outcome = simulate(ranks.trace(), platform);
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->waiting.size(), 2u);
    if (measured) {
      EXPECT_EQ(outcome->waiting[0].for_ranks, std::vector<std::int32_t>{2});
    }
  }
}

/// The first of two messages is received from any source, the second from rank 1. Rank 1's comes first here,
/// so none is left.
TEST(Simulate, AHangThatDependsOnTheOrderOfArrivalsIsMarked) {
  for (const bool any : {true, false}) {
    Ranks ranks(3);
    ranks.message(0, Kind::receive, any ? trace::kAny : 1, 8).message(0, Kind::receive, 1, 8);
    ranks.message(1, Kind::send, 0, 8);
    ranks.compute(2, 1'000'000).message(2, Kind::send, 0, 8);
    const auto outcome = simulate(ranks.trace(), plain());
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->waiting.size(), 1u);
    EXPECT_EQ(outcome->waiting[0].for_ranks, std::vector<std::int32_t>{1});
    EXPECT_EQ(outcome->by_choice, any);
  }
}

TEST(Simulate, DifferentCollectivesAreAnErrorThatNamesBoth) {
  Ranks ranks(2);
  ranks.trace().places = {{"main", "step", "a.c", 5, "MPI_Reduce"}, {"main", "step", "b.c", 7, "MPI_Bcast"}};
  ranks.add(
      0,
      {.kind = Kind::collective, .pattern = recording::Pattern::reduce, .root = 1, .bytes = 8, .place = 0});
  ranks.compute(1, 5).add(1, {.kind = Kind::collective,
                              .pattern = recording::Pattern::broadcast,
                              .root = 1,
                              .bytes = 8,
                              .place = 1});
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_FALSE(outcome);
  for (const char* call :
       {"MPI_Bcast (b.c:7) with root 1 on rank 1", "MPI_Reduce (a.c:5) with root 1 on rank 0", "where MPI_"})
    EXPECT_NE(outcome.error().what.find(call), std::string::npos) << outcome.error().what;
  ranks.trace().operations[1] = ranks.trace().operations[0];
  ranks.trace().operations[1].root = 0;
  EXPECT_FALSE(simulate(ranks.trace(), plain()));
}

TEST(Simulate, AWaitForARequestThatWasNeverBegunIsAnError) {
  Ranks ranks(1);
  ranks.message(0, Kind::start_receive, 0, 8).wait(0, {2});
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("never begun"), std::string::npos);
  ranks.trace().request_sets[0] = {1u << 30};
  const auto far = simulate(ranks.trace(), plain());
  ASSERT_FALSE(far);
  EXPECT_NE(far.error().what.find("requests before"), std::string::npos);
}

TEST(Simulate, TimesBeyondTheLongestAreRefused) {
  Ranks ranks(1);
  ranks.compute(0, trace::kLongest).compute(0, trace::kLongest);
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("26 days"), std::string::npos);
}

}  // namespace
}  // namespace parcast::simulate
