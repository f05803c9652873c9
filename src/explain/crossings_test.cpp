// SPDX-License-Identifier: Apache-2.0
#include "explain/crossings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace parcast::explain {
namespace {

/// Pairs (a, b) of lines a + b x.
using Lines = std::vector<std::pair<double, double>>;

std::size_t fastest(const Lines& lines, double x) {
  const auto at = [&](const auto& line) { return line.first + line.second * x; };
  return static_cast<std::size_t>(
      std::min_element(lines.begin(), lines.end(),
                       [&](const auto& a, const auto& b) { return at(a) < at(b); }) -
      lines.begin());
}

std::vector<Crossing> of(const Lines& lines, const std::vector<double>& values, bool whole,
                         int* asked = nullptr) {
  std::vector<std::size_t> known;
  for (const double value : values) known.push_back(fastest(lines, value));
  return crossings(values, known, whole, [&](double x) {
    return (asked ? void(++*asked) : void()), std::optional(fastest(lines, x));
  });
}

TEST(Crossings, TwoLinesCrossWhereTheirFormulaSays) {
  // 1 + 2 x and 8 + x cross at x = 7.
  const auto found = of({{1, 2}, {8, 1}}, {1, 4, 16}, false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].before, 0u);
  EXPECT_EQ(found[0].after, 1u);
  EXPECT_TRUE(found[0].located);
  EXPECT_NEAR(found[0].next, 7, 1e-5);
  EXPECT_NEAR(found[0].last, 7, 1e-5);
}

TEST(Crossings, OfWholeNumbersTheFirstBehindIt) {
  // 10 + 3 x < 45 + x up to x = 17; equal at 17.5.
  int asked = 0;
  const auto found = of({{10, 3}, {45, 1}}, {1, 1000}, true, &asked);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].last, 17);
  EXPECT_EQ(found[0].next, 18);
  EXPECT_LE(asked, 10);
}

TEST(Crossings, AThirdOneBetweenThemIsFound) {
  // 10 x, then 20 + 3 x from 20/7 on, then 80 + x from 30 on.
  const auto found = of({{0, 10}, {20, 3}, {80, 1}}, {1, 100}, false);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].next, 20.0 / 7, 1e-5);
  EXPECT_NEAR(found[1].next, 30, 1e-4);
}

TEST(Crossings, WhereThereIsNoAnswerBetweenItIsNotLocated) {
  const std::vector<double> values{4, 16};
  const std::vector<std::size_t> known{0, 1};
  const auto found = crossings(values, known, true, [](double) { return std::optional<std::size_t>(); });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].located);
  EXPECT_EQ(found[0].last, 4);
  EXPECT_EQ(found[0].next, 16);
  EXPECT_TRUE(of({{1, 1}, {9, 1}}, {1, 2, 3}, true).empty());
}

}  // namespace
}  // namespace parcast::explain
