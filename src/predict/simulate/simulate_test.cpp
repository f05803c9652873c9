// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/simulate.h"

#include <gtest/gtest.h>

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;

/// A trace whose ranks each have a sequence of their own.
class Ranks {
 public:
  explicit Ranks(std::int32_t ranks) {
    trace_.ranks = ranks;
    trace_.sequences.resize(static_cast<std::size_t>(ranks));
    for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(ranks); ++rank) trace_.sequence_of.push_back(rank);
  }
  Ranks& compute(std::size_t rank, Time time) { return trace_.sequences[rank].push_back(Item::compute(time)), *this; }
  Ranks& add(std::size_t rank, Operation operation) {
    trace_.operations.push_back(operation);
    trace_.sequences[rank].push_back(Item::operation(static_cast<std::uint32_t>(trace_.operations.size() - 1)));
    return *this;
  }
  Ranks& message(std::size_t rank, Kind kind, std::int32_t peer, std::uint64_t bytes, std::int32_t tag = 0) {
    return add(rank, {.kind = kind, .peer = peer == trace::kAny ? peer : peer - static_cast<std::int32_t>(rank), .tag = tag, .bytes = bytes});
  }
  Ranks& wait(std::size_t rank, std::vector<std::uint32_t> distances) {
    trace_.request_sets.push_back(std::move(distances));
    return add(rank, {.kind = Kind::wait, .requests = static_cast<std::uint32_t>(trace_.request_sets.size() - 1)});
  }
  trace::Trace& trace() { return trace_; }

 private:
  trace::Trace trace_;
};

/// L = 5000, o_s = 300, o_r = 200, g = 100, G = 2 a byte, O_s = 1, O_r = 1/2; above 1000 bytes H = 4000, G' = 1.
Platform plain() {
  Platform platform;
  platform.links = {{.latency = 5000, .send_overhead = 300, .receive_overhead = 200, .gap = 100, .gap_per_byte = 2 * kOne,
                     .send_overhead_per_byte = kOne, .receive_overhead_per_byte = kOne / 2, .eager_limit = 1000, .handshake = 4000,
                     .rendezvous_gap_per_byte = kOne}};
  return platform;
}

TEST(Simulate, EagerMessageByHand) {
  Ranks ranks(2);
  ranks.compute(0, 1000).message(0, Kind::send, 1, 400).message(1, Kind::receive, 0, 400);
  const auto outcome = simulate(ranks.trace(), plain());
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->ranks[0].end, 1000 + 300 + 400);  // o_s + m O_s
  // departs at 1300, the head is there at 6300, can be received m (G - O_r) = 600 later, o_r + m O_r = 400
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
  ranks.message(0, Kind::send, 1, 2000).message(1, Kind::start_receive, 0, 2000).compute(1, 10'000).wait(1, {1});
  Platform platform = plain();
  auto outcome = simulate(ranks.trace(), platform);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ranks[0].end, 14'000);  // attended to in the wait, at 10000
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
  // both heads at 5300; rank 1's is served until 6100, rank 2's can be received at 6700, taken until 7100; then rank 1's
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

}  // namespace
}  // namespace parcast::simulate
