// SPDX-License-Identifier: Apache-2.0
#include "base/checked.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace parcast {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
constexpr auto kMin = std::numeric_limits<std::int64_t>::min();

TEST(Checked, SaysWhenASumOverflows) {
  EXPECT_EQ(checked_add<std::int64_t>(kMax - 1, 1), kMax);
  EXPECT_EQ(checked_add<std::int64_t>(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_subtract<std::int64_t>(kMin, 1), std::nullopt);
  EXPECT_EQ(checked_subtract<std::uint32_t>(1u, 2u), std::nullopt);
}

TEST(Checked, SaysWhenAProductOverflows) {
  EXPECT_EQ(checked_multiply<std::int64_t>(1LL << 31, 1LL << 31), 1LL << 62);
  EXPECT_EQ(checked_multiply<std::int64_t>(1LL << 32, 1LL << 31), std::nullopt);
  EXPECT_EQ(checked_multiply<std::int64_t>(kMin, -1), std::nullopt);
}

TEST(Checked, CastsOnlyWhatFits) {
  EXPECT_EQ(checked_cast<std::int32_t>(1LL << 31), std::nullopt);
  EXPECT_EQ(checked_cast<std::uint8_t>(255), std::uint8_t{255});
  EXPECT_EQ(checked_cast<std::uint8_t>(-1), std::nullopt);
}

TEST(Checked, FloorDivisionRoundsDownForEverySign) {
  EXPECT_EQ(floor_divide(7, 2), 3);
  EXPECT_EQ(floor_divide(-7, 2), -4);
  EXPECT_EQ(floor_divide(7, -2), -4);
  EXPECT_EQ(floor_divide(-8, 2), -4);
  EXPECT_EQ(floor_modulo(-7, 3), 2);
  EXPECT_EQ(floor_modulo(7, -3), -2);
}

}  // namespace
}  // namespace parcast
