// SPDX-License-Identifier: Apache-2.0
#include "calibrate/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace parcast::calibrate {
namespace {

TEST(Parts, GrowInEqualSteps) {
  EXPECT_THAT(uneven_parts(1000, 4), ::testing::ElementsAre(100, 200, 300, 400));
  EXPECT_THAT(uneven_parts(48, 2), ::testing::ElementsAre(16, 32));
  EXPECT_THAT(uneven_parts(77, 1), ::testing::ElementsAre(77));
}

TEST(Parts, AddUpToTheWhole) {
  for (int count = 1; count <= 65; ++count)
    for (const std::int64_t total :
         {std::int64_t{0}, std::int64_t{7}, std::int64_t{8} * count, (std::int64_t{1} << 20) * count}) {
      const std::vector<int> parts = uneven_parts(total, count);
      EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), total);
      EXPECT_TRUE(std::all_of(parts.begin(), parts.end(), [](int part) { return part >= 0; }));
    }
}

}  // namespace
}  // namespace parcast::calibrate
