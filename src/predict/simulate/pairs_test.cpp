// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/pairs.h"

#include <gtest/gtest.h>

#include <array>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

Sent message(std::int32_t from, std::int32_t to, std::uint64_t bytes, bool of_collective = false) {
  Sent sent;
  sent.sender = from;
  sent.receiver = to;
  sent.bytes = bytes;
  sent.of_collective = of_collective;
  return sent;
}

TEST(Pairs, NeighboursOnAGridAreAFewRows) {
  constexpr std::int32_t kWide = 8, kHigh = 4;
  Pairs pairs(kWide * kHigh);
  for (int step = 0; step < 3; ++step)
    for (std::int32_t y = 0; y < kHigh; ++y)
      for (std::int32_t x = 0; x < kWide; ++x) {
        if (x + 1 < kWide) pairs.sent(message(y * kWide + x, y * kWide + x + 1, 100));
        if (y + 1 < kHigh) pairs.sent(message(y * kWide + x, (y + 1) * kWide + x, 40));
      }
  const auto runs = pairs.runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0],
            (PairRun{.first = 0, .length = 7, .every = 8, .blocks = 4, .offset = 1, .each = {3, 300}}));
  EXPECT_EQ(runs[1], (PairRun{.first = 0, .length = 24, .offset = 8, .each = {3, 120}}));
  EXPECT_EQ(runs[0].senders(), 28);
}

TEST(Pairs, OtherBytesOtherRow) {
  Pairs pairs(4);
  for (std::int32_t rank = 0; rank < 4; ++rank)
    pairs.sent(message(rank, (rank + 1) % 4, rank == 1 ? 9 : 8, rank == 2));
  const auto runs = pairs.runs();
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0], (PairRun{.first = 3, .offset = -3, .each = {1, 8}}));
  EXPECT_EQ(runs[1], (PairRun{.first = 0, .offset = 1, .each = {1, 8}}));
  EXPECT_EQ(runs[2], (PairRun{.first = 1, .offset = 1, .each = {1, 9}}));
  EXPECT_EQ(runs[3], (PairRun{.first = 2, .offset = 1, .of_collectives = true, .each = {1, 8}}));
}

/// Expands the rows and compares them with the sent messages.
TEST(Pairs, RowsSayWhatEachPairExchanged) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto [trace, platform] = simulate::testing::random_case(seed, false);
    Pairs pairs(trace.ranks);
    const std::array<Observer*, 1> observers{&pairs};
    const auto outcome = simulate(trace, platform, Trust::none, observers);
    ASSERT_TRUE(outcome);
    std::uint64_t messages = 0, bytes = 0;
    for (const PairRun& run : pairs.runs())
      for (std::int32_t block = 0; block < run.blocks; ++block)
        for (std::int32_t i = 0; i < run.length; ++i) {
          const std::int32_t sender = run.first + block * run.every + i;
          EXPECT_EQ(pairs.between(sender, sender + run.offset, run.of_collectives), run.each);
          messages += run.each.messages;
          bytes += run.each.bytes;
        }
    EXPECT_EQ(messages, outcome->messages + outcome->collective_messages);
    EXPECT_EQ(bytes, outcome->bytes + outcome->collective_bytes);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace parcast::simulate
