// SPDX-License-Identifier: Apache-2.0
#include "explain/isoefficiency.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::explain {
namespace {

/// Adding n numbers on p processes (Grama, Gupta and Kumar 1993): T = n/p + 2 log2 p, so that E = n / (n + 2
/// p log2 p), and an efficiency of 0.8 needs n = 8 p log2 p.
double efficiency_of_adding(double n, double p) {
  return n / (n + 2 * p * std::log2(p));
}

TEST(IsoefficientSize, OfAddingNumbersIsThePublishedOne) {
  for (const double p : {4.0, 16.0, 64.0}) {
    std::vector<std::pair<double, double>> known;
    for (double n = 16; n < 100'000; n *= 1.05) known.emplace_back(n, efficiency_of_adding(n, p));
    const auto found = isoefficient_size(known, 0.8);
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->is_bound);
    EXPECT_NEAR(found->size, 8 * p * std::log2(p), 0.001 * found->size);
  }
}

TEST(IsoefficientSize, IsNotFoundBelowTheEfficiency) {
  EXPECT_FALSE(isoefficient_size({{10, 0.2}, {100, 0.4}}, 0.5));
  EXPECT_FALSE(isoefficient_size({}, 0.5));
}

TEST(IsoefficientSize, OfTheSmallestSizeIsABound) {
  const auto found = isoefficient_size({{10, 0.6}, {100, 0.7}}, 0.5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size, 10);
  EXPECT_TRUE(found->is_bound);
}

TEST(IsoefficientSize, LiesAfterTheLastLossOfEfficiency) {
  const auto found = isoefficient_size({{10, 0.6}, {100, 0.4}, {1000, 0.6}}, 0.5);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->size, 100 * std::sqrt(10.0), 1e-9);
}

}  // namespace
}  // namespace parcast::explain
