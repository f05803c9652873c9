// SPDX-License-Identifier: Apache-2.0
#include "calibrate/buffer_limit.h"

#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

constexpr double kMiB = 1 << 20, kGiB = 1 << 30;

std::int64_t mib(double memory, int on_node, int processes) {
  return buffer_limit(memory, on_node, processes, kMiB) >> 20;
}

TEST(BufferLimit, BlocksOfUsualSizesGetUpToAnEighthOfANode) {
  EXPECT_EQ(mib(64 * kGiB, 64, 64), 64);  // 64 GiB / 2 / 64 / 8
  EXPECT_EQ(mib(16 * kGiB, 64, 64), 16);
  EXPECT_EQ(mib(64 * kGiB, 64, 640), 64);  // on ten nodes
  EXPECT_EQ(mib(256 * kGiB, 64, 64), 64);  // also the limit of larger messages: 256 GiB / 2 / 64 / 32
}

TEST(BufferLimit, LargerMessagesGetUpToAThirtySecond) {
  EXPECT_EQ(mib(8 * kGiB, 2, 2), 64);
  EXPECT_EQ(mib(256 * kGiB, 4, 4), 1024);
  EXPECT_EQ(mib(1024 * kGiB, 4, 4), 1024);
}

TEST(BufferLimit, OneUsualMessageAlwaysHasRoom) {
  EXPECT_EQ(mib(64 * kMiB, 64, 64), 1);
}

}  // namespace
}  // namespace parcast::calibrate
