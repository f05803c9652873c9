// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/variants.h"

#include <gtest/gtest.h>

#include <atomic>

#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

/// The case's platform, with `number` nanoseconds more on every link.
Platform slower(const Platform& platform, std::size_t number) {
  Platform out = platform;
  for (Link& link : out.links) link.latency += 1000 * static_cast<Time>(number);
  return out;
}

TEST(SimulateEach, IsEachAloneWhateverTheNumberOfThreads) {
  const testing::Case of = testing::random_case(7);
  constexpr std::size_t kCount = 40;
  for (const unsigned threads : {0u, 1u, 2u, 7u, 64u}) {
    const auto all = simulate_each(
        of.trace, kCount, [&](std::size_t number) { return slower(of.platform, number); }, threads);
    ASSERT_TRUE(all) << to_string(all.error());
    ASSERT_EQ(all->size(), kCount);
    for (std::size_t number = 0; number < kCount; ++number) {
      const auto alone = simulate(of.trace, slower(of.platform, number));
      ASSERT_TRUE(alone);
      const Summary& summary = (*all)[number];
      EXPECT_EQ(summary.makespan, alone->makespan) << number << " on " << threads << " threads";
      EXPECT_EQ(summary.last.end, alone->makespan);
      EXPECT_EQ(summary.operations, alone->operations);
    }
  }
}

TEST(SimulateEach, TheFirstFailureIsTheAnswerWhoeverIsFirst) {
  const testing::Case of = testing::random_case(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto all = simulate_each(
        of.trace, 30,
        [&](std::size_t number) -> Result<Platform> {
          if (number % 10 == 9) return Error{"no " + std::to_string(number), "", ""};
          return of.platform;
        },
        4);
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().what, "no 9");
  }
}

TEST(SimulateEach, RanksThatHangAreCounted) {
  // Two large sends to each other: eager up to 1000 bytes, and a deadlock when the limit is lower.
  const testing::Program program{
      {{testing::send(1, 800), testing::receive(1)}, {testing::send(0, 800), testing::receive(0)}}};
  const trace::Trace trace = testing::to_trace(program);
  const auto all = simulate_each(
      trace, 2,
      [](std::size_t number) {
        Platform platform;
        platform.links = {{.latency = 1000, .eager_limit = number == 0 ? 1000 : 500}};
        return platform;
      },
      2);
  ASSERT_TRUE(all);
  EXPECT_EQ((*all)[0].hanging, 0u);
  EXPECT_EQ((*all)[1].hanging, 2u);
}

TEST(SimulateEach, ProgressCountsUpToAll) {
  const testing::Case of = testing::random_case(1);
  std::vector<std::size_t> given;
  ASSERT_TRUE(simulate_each(
      of.trace, 25, [&](std::size_t) { return of.platform; }, 3,
      [&](std::size_t done) { given.push_back(done); }));
  ASSERT_EQ(given.size(), 25u);
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_EQ(given[i], i + 1);
}

TEST(SimulateEach, AsksForOnePlatformAtATime) {
  const testing::Case of = testing::random_case(1);
  std::atomic<int> inside = 0, most = 0;
  ASSERT_TRUE(simulate_each(
      of.trace, 50,
      [&](std::size_t) {
        most = std::max<int>(most, ++inside);
        Platform platform = of.platform;
        --inside;
        return platform;
      },
      8));
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace parcast::simulate
