// SPDX-License-Identifier: Apache-2.0
#include "cli/vary.h"

#include <gtest/gtest.h>

namespace parcast::cli {
namespace {

std::vector<double> values(const std::string& text) {
  const auto parsed = parse_variation(text);
  return parsed ? parsed->values : std::vector<double>{};
}

TEST(Vary, ListsAreTakenAsTheyStand) { EXPECT_EQ(values("p=1,3,10"), (std::vector<double>{1, 3, 10})); }

TEST(Vary, DotsContinueDoublingsAndSteps) {
  EXPECT_EQ(values("p=1,2,4,...,64"), (std::vector<double>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(values("p=2,4,6,...,12"), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(values("p=1,2,3,...,6"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Vary, RangesStepByOneByAFactorOrByCount) {
  EXPECT_EQ(values("p=1..4"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values("N=64..600*2"), (std::vector<double>{64, 128, 256, 512}));
  EXPECT_EQ(values("x=0..1/5"), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(Vary, WhatIsNoListIsRefused) {
  for (const char* text : {"p", "=1", "p=", "p=1,x", "p=4..1", "p=1,...,8", "p=1,2,4,...,65", "p=1..8*1", "p=1..1e9", "p=..."})
    EXPECT_FALSE(parse_variation(text)) << text;
}

TEST(Vary, CrossingVariesTheLastFastest) {
  const auto points = cross({{"a", {1, 2}}, {"b", {5, 6}}});
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].at("a"), 1);
  EXPECT_EQ(points[1].at("b"), 6);
  EXPECT_EQ(points[2].at("a"), 2);
}

}  // namespace
}  // namespace parcast::cli
