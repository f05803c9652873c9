// SPDX-License-Identifier: Apache-2.0
#include "calibrate/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace parcast::calibrate {
namespace {

template <class Law>
std::vector<Observation> curve_of(const std::vector<double>& sizes, Law law, double error = 0.01) {
  std::vector<Observation> out;
  for (const double bytes : sizes) out.push_back({bytes, law(bytes), error, 2});
  return out;
}

const std::vector<double> kSizes{8, 32, 128, 512, 2048, 8192, 32768, 131072, 524288};

double jump_at_5000(double m) {
  return m < 5000 ? 2e-6 + m * 3e-10 : 9e-6 + m * 3e-10;
}

TEST(Sizes, OfAStraightLineAllAreSure) {
  EXPECT_EQ(least_sure_size(curve_of(kSizes, [](double m) { return 2e-6 + m * 3e-10; })), std::nullopt);
}

TEST(Sizes, AJumpIsDividedFirst) {
  // between 2048 and 8192, half way by ratio
  EXPECT_EQ(least_sure_size(curve_of(kSizes, jump_at_5000)), 4096);
}

TEST(Sizes, ABendIsDividedBesideIt) {
  const auto size =
      least_sure_size(curve_of(kSizes, [](double m) { return 2e-6 + std::max(0.0, m - 20000) * 3e-9; }));
  ASSERT_TRUE(size);
  EXPECT_EQ(*size, 16384);  // 20000 lies between 8192 and 32768
}

TEST(Sizes, WhatNoiseHidesIsSureEnough) {
  EXPECT_EQ(least_sure_size(curve_of(kSizes, jump_at_5000, 2.0)), std::nullopt);
}

TEST(Sizes, AddedOneByOneTheyCloseInOnTheJump) {
  std::vector<double> sizes = kSizes;
  for (int i = 0; i < 12; ++i) {
    const auto size = least_sure_size(curve_of(sizes, jump_at_5000));
    if (!size) break;
    ASSERT_EQ(std::count(sizes.begin(), sizes.end(), *size), 0);
    sizes.insert(std::upper_bound(sizes.begin(), sizes.end(), *size), *size);
  }
  const auto above = std::lower_bound(sizes.begin(), sizes.end(), 5000);
  EXPECT_LT(*above / *std::prev(above), 1.42);
  EXPECT_LE(sizes.size(), kSizes.size() + 12);
}

TEST(Sizes, AreWholeAndBetweenTheirNeighbours) {
  const auto law = [](double m) { return m < 12 ? 1e-6 : 5e-6; };
  // no multiple of 8 lies between 8 and 16, or between 16 and 24
  EXPECT_EQ(least_sure_size(curve_of({8, 16, 24, 1000}, law)), std::nullopt);
  EXPECT_EQ(least_sure_size(curve_of({0, 64, 128}, [](double m) { return m < 1 ? 1e-6 : 5e-6; })), 32);
}

TEST(Sizes, KeptOutAreSpreadAndNoPowersOfTwo) {
  std::vector<int> all;
  for (const char* name : {"allreduce", "bcast", "gather", "put-fence", "scan"}) {
    const std::vector<int> sizes = sizes_kept_out(name, 16, 1 << 20);
    EXPECT_EQ(sizes, sizes_kept_out(name, 16, 1 << 20));
    EXPECT_GE(sizes.size(), 12u);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(sizes[i] > 8 && sizes[i] < 1 << 20 && sizes[i] % 8 == 0 && (sizes[i] & (sizes[i] - 1)) != 0)
          << sizes[i];
      if (i > 0) {
        EXPECT_LT(sizes[i - 1], sizes[i]);
      }
    }
    all.insert(all.end(), sizes.begin(), sizes.end());
  }
  // By ratio, half of the sizes are below 8 * 2^8.5, except powers of two and duplicates there.
  const auto below = std::count_if(all.begin(), all.end(), [](int bytes) { return bytes < 2896; });
  EXPECT_GE(below, 20);
  EXPECT_LE(below, 40);
  EXPECT_NE(sizes_kept_out("gather", 16, 1 << 20), sizes_kept_out("scan", 16, 1 << 20));
  EXPECT_TRUE(sizes_kept_out("scan", 0, 1 << 20).empty());
}

}  // namespace
}  // namespace parcast::calibrate
