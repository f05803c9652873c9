// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace parcast::simulate {
namespace {

using trace::Time;

/// Ranks that continue at random times, up to `far` ahead, against a sorted set: each pop is from the
/// earliest slice, and every entry comes once.
void expect_in_order(Time longest, Time length, std::uint64_t far, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Slices slices(longest);
  std::set<std::pair<Time, std::int32_t>> expected;
  std::int32_t rank = 0;
  for (int step = 0; step < 3000; ++step) {
    ASSERT_EQ(slices.empty(), expected.empty());
    if (random() % 2 || expected.empty()) {
      const Time time = slices.start() + static_cast<Time>(random() % far);
      slices.push(rank, time);
      expected.insert({time, rank++});
      continue;
    }
    const Slices::Entry entry = slices.pop();
    ASSERT_EQ(expected.erase({entry.time, entry.rank}), 1u);
    const Time earliest = expected.empty() ? entry.time : std::min(entry.time, expected.begin()->first);
    ASSERT_EQ(entry.time / length, earliest / length);
    ASSERT_EQ(slices.start(), earliest / length * length);
    const auto same =
        static_cast<std::size_t>(std::count_if(expected.begin(), expected.end(), [&](const auto& each) {
          return each.first / length == earliest / length;
        }));
    ASSERT_EQ(slices.left().size(), same);
  }
}

TEST(Slices, GiveWhatTheEarliestHolds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    expect_in_order(1, 1, 3, seed);
    expect_in_order(1, 1, 1000, seed);
    expect_in_order(7, 4, 20, seed);
    expect_in_order(8, 8, 1u << 20, seed);
    expect_in_order(4'000'000, 1 << 21, std::uint64_t{1} << 50, seed);
  }
}

TEST(Slices, AreOneLongWhereNothingIsAhead) {
  Slices slices(0);
  for (const Time time : {5, 3, 4}) slices.push(static_cast<std::int32_t>(time), time);
  for (const Time time : {3, 4, 5}) EXPECT_EQ(slices.pop().time, time);
  EXPECT_TRUE(slices.empty());
}

TEST(Slices, ReachTheLongestTime) {
  Slices slices(trace::kLongest);
  slices.push(1, trace::kLongest + 1);
  slices.push(0, 0);
  EXPECT_EQ(slices.pop().rank, 0);
  EXPECT_EQ(slices.pop().rank, 1);
  EXPECT_EQ(slices.start(), trace::kLongest);
}

}  // namespace
}  // namespace parcast::simulate
