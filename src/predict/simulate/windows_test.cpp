// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace parcast::simulate {
namespace {

using trace::Time;

/// Ranks that go on at random, up to `far` ahead, against a sorted set: what comes is of the earliest window, and all comes once.
void expect_in_order(Time longest, Time length, std::uint64_t far, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Windows windows(longest);
  std::set<std::pair<Time, std::int32_t>> expected;
  std::int32_t rank = 0;
  for (int step = 0; step < 3000; ++step) {
    ASSERT_EQ(windows.empty(), expected.empty());
    if (random() % 2 || expected.empty()) {
      const Time time = windows.start() + static_cast<Time>(random() % far);
      windows.push(rank, time);
      expected.insert({time, rank++});
      continue;
    }
    const Windows::Entry entry = windows.pop();
    ASSERT_EQ(expected.erase({entry.time, entry.rank}), 1u);
    const Time earliest = expected.empty() ? entry.time : std::min(entry.time, expected.begin()->first);
    ASSERT_EQ(entry.time / length, earliest / length);
    ASSERT_EQ(windows.start(), earliest / length * length);
    const auto same = static_cast<std::size_t>(std::count_if(expected.begin(), expected.end(), [&](const auto& each) { return each.first / length == earliest / length; }));
    ASSERT_EQ(windows.left().size(), same);
  }
}

TEST(Windows, GiveWhatTheEarliestWindowHolds) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    expect_in_order(1, 1, 3, seed);
    expect_in_order(1, 1, 1000, seed);
    expect_in_order(7, 4, 20, seed);
    expect_in_order(8, 8, 1u << 20, seed);
    expect_in_order(4'000'000, 1 << 21, std::uint64_t{1} << 50, seed);
  }
}

TEST(Windows, AreOneLongWhereNothingIsAhead) {
  Windows windows(0);
  for (const Time time : {5, 3, 4}) windows.push(static_cast<std::int32_t>(time), time);
  for (const Time time : {3, 4, 5}) EXPECT_EQ(windows.pop().time, time);
  EXPECT_TRUE(windows.empty());
}

TEST(Windows, ReachTheLongestTime) {
  Windows windows(trace::kLongest);
  windows.push(1, trace::kLongest + 1);
  windows.push(0, 0);
  EXPECT_EQ(windows.pop().rank, 0);
  EXPECT_EQ(windows.pop().rank, 1);
  EXPECT_EQ(windows.start(), trace::kLongest);
}

}  // namespace
}  // namespace parcast::simulate
