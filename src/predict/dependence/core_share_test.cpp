// SPDX-License-Identifier: Apache-2.0
#include "predict/dependence/core_share.h"

#include <gtest/gtest.h>

#include <random>

namespace parcast::dependence {
namespace {

TEST(CoreShare, WhatIsLeftOfAPeriodComesFirst) {
  const CoreShare half{0.5, 1000};
  Budget budget(half);
  EXPECT_EQ(budget.work(half, 0, 400), 200);
  // 1000 of processor time: 300 at once, 500 from 1000 on, 200 from 2000 on.
  EXPECT_EQ(budget.work(half, 200, 2000), 2200);
  EXPECT_EQ(budget.left, 300);
  EXPECT_EQ(budget.period_ends, 3000);
}

TEST(CoreShare, WhoWaitedLongHasAllOfIt) {
  const CoreShare half{0.5, 1000};
  Budget budget(half);
  EXPECT_EQ(budget.work(half, 0, 1000), 500);      // the complete budget of the first period
  EXPECT_EQ(budget.work(half, 700, 100), 1050);    // woke with nothing left, 300 before the period's end
  EXPECT_EQ(budget.work(half, 2500, 1000), 3000);  // after its period
}

TEST(CoreShare, HeldTimeIsNoWaiting) {
  const CoreShare half{0.5, 1000};
  Budget budget(half);
  EXPECT_EQ(budget.work(half, 0, 1000), 500);
  budget.hold(300);
  EXPECT_EQ(budget.work(half, 800, 200), 1400);  // the next period begins 300 later
}

TEST(CoreShare, AWholeCoreIsNone) {
  machine::Machine machine;
  EXPECT_TRUE(share_of(machine).whole());
  EXPECT_EQ(share_sentence(machine), "");
  machine.core_share = {.value = 0.05, .origin = Origin::measured},
  machine.share_period = {.value = 2e-3, .origin = Origin::measured};
  EXPECT_EQ(share_of(machine).part, 0.05);
  EXPECT_EQ(share_of(machine).period, 2'000'000'000);
  EXPECT_EQ(share_of(machine).budget(), 100'000'000);
  EXPECT_NE(share_sentence(machine).find("5.0 % of a core anew every 2.00 ms"), std::string::npos)
      << share_sentence(machine);
}

/// Against a processor that is assigned one picosecond at a time.
TEST(CoreShare, IsWhatAServerGivesOutMomentByMoment) {
  std::mt19937_64 draw(1);
  for (int tries = 0; tries < 2000; ++tries) {
    const CoreShare share{static_cast<double>(1 + draw() % 99) / 100,
                          static_cast<std::int64_t>(2 + draw() % 60)};
    Budget budget(share);
    std::int64_t now = 0, left = share.budget(), ends = share.period;  // of the server
    for (int step = 0; step < 20; ++step) {
      if (draw() % 2 == 0) {
        now += static_cast<std::int64_t>(1 + draw() % 100);
        if (now >= ends ||
            static_cast<double>(left) > std::nearbyint(share.part * static_cast<double>(ends - now)))
          left = share.budget(), ends = now + share.period;
      }
      const auto given = static_cast<std::int64_t>(draw() % 300);
      const std::int64_t end = budget.work(share, now, given);
      for (std::int64_t needed = share.of(given); needed > 0; ++now) {
        if (left == 0) now = ends, left = share.budget(), ends += share.period;
        --left, --needed;
      }
      ASSERT_EQ(end, now) << "part " << share.part << ", period " << share.period << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace parcast::dependence
