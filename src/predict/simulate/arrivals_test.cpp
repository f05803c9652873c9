// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/arrivals.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace parcast::simulate {
namespace {

/// Heads are random within `spread` of an advancing time: 0 gives an ordered sequence, like a sender that
/// runs ahead; a large value resembles many senders.
void expect_sorted(std::uint64_t seed, std::uint64_t spread, std::uint64_t pushes_of_eight) {
  std::mt19937_64 random(seed);
  Arrivals arrivals;
  std::multiset<std::pair<trace::Time, std::uint64_t>> expected;
  for (std::uint32_t step = 0; step < 2000; ++step) {
    if (random() % 8 < pushes_of_eight) {
      const Arrival arrival(static_cast<trace::Time>(step / 4 + (spread ? random() % spread : 0)),
                            static_cast<std::int32_t>(random() % 3), step, step);
      arrivals.push(arrival);
      expected.insert({arrival.head, arrival.sender});
    } else if (!expected.empty()) {
      ASSERT_EQ(std::pair(arrivals.first().head, arrivals.first().sender), *expected.begin());
      arrivals.pop();
      expected.erase(expected.begin());
    }
    ASSERT_EQ(static_cast<std::size_t>(arrivals.end() - arrivals.begin()), expected.size());
    ASSERT_EQ(arrivals.empty(), expected.empty());
  }
  std::multiset<std::pair<trace::Time, std::uint64_t>> left;
  arrivals.shift(5);
  for (const Arrival& arrival : arrivals) left.insert({arrival.head - 5, arrival.sender});
  EXPECT_EQ(left, expected);
}

TEST(Arrivals, AreServedByHeadSourceAndOrder) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const std::uint64_t spread : {0, 3, 40, 100'000})
      for (const std::uint64_t pushes : {3, 4, 6}) expect_sorted(seed, spread, pushes);
}

TEST(Arrivals, OneThatGoesFarAheadOfManyComesFirst) {
  Arrivals arrivals;
  for (std::uint32_t i = 0; i < 1000; ++i) arrivals.push({1000 + i, 1, i, i});
  arrivals.push({500, 2, 0, 1000});
  EXPECT_EQ(arrivals.first().message, 1000u);
  arrivals.pop();
  for (std::uint32_t i = 0; i < 1000; ++i, arrivals.pop()) ASSERT_EQ(arrivals.first().message, i);
  EXPECT_TRUE(arrivals.empty());
}

}  // namespace
}  // namespace parcast::simulate
