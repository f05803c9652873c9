// SPDX-License-Identifier: Apache-2.0
#include "base/vary.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace parcast {
namespace {

std::vector<double> values(const std::string& text) {
  const auto parsed = parse_variation(text);
  return parsed ? parsed->values : std::vector<double>{};
}

TEST(Vary, ListsAreTakenAsTheyStand) {
  EXPECT_EQ(values("p=1,3,10"), (std::vector<double>{1, 3, 10}));
}

TEST(Vary, DotsContinueDoublingsAndSteps) {
  EXPECT_EQ(values("p=1,2,4,...,64"), (std::vector<double>{1, 2, 4, 8, 16, 32, 64}));
  EXPECT_EQ(values("p=2,4,6,...,12"), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(values("p=1,2,3,...,6"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Vary, RangesStepByOneByAFactorOrByCount) {
  EXPECT_EQ(values("p=1..4"), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values("N=64..600*2"), (std::vector<double>{64, 128, 256, 512}));
  EXPECT_EQ(values("x=0..1/5"), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(values("b=-3..-1"), (std::vector<double>{-3, -2, -1}));
  EXPECT_EQ(values("b=-1..-1"), (std::vector<double>{-1}));
  EXPECT_EQ(values("b=-4,-3,...,-1"), (std::vector<double>{-4, -3, -2, -1}));
}

TEST(Vary, ValuesMayCarryUnits) {
  const auto with_unit = [](const std::string& text, Dimension dimension) {
    const auto parsed =
        parse_variation(text, [&](const std::string& value) { return parse_measure(value, dimension); });
    return parsed ? parsed->values : std::vector<double>{};
  };
  EXPECT_EQ(with_unit("L=1us,2us,5ms", Dimension::time), (std::vector<double>{1e-6, 2e-6, 5e-3}));
  EXPECT_EQ(with_unit("L=1us,2us,...,16us", Dimension::time),
            (std::vector<double>{1e-6, 2e-6, 4e-6, 8e-6, 1.6e-5}));
  EXPECT_EQ(with_unit("L=1us,2us,3us,...,6us", Dimension::time),
            (std::vector<double>{1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6}));
  EXPECT_EQ(with_unit("L=3us..6us", Dimension::time), (std::vector<double>{3e-6, 4e-6, 5e-6, 6e-6}));
  EXPECT_EQ(with_unit("L=1us..1ms*10", Dimension::time), (std::vector<double>{1e-6, 1e-5, 1e-4, 1e-3}));
  EXPECT_EQ(with_unit("S=1KiB..8KiB*2", Dimension::data), (std::vector<double>{1024, 2048, 4096, 8192}));
  // The "/" belongs to the unit, not to the range.
  EXPECT_EQ(with_unit("G=1ns/B..3ns/B", Dimension::time_per_byte), (std::vector<double>{1e-9, 2e-9, 3e-9}));
  EXPECT_EQ(with_unit("G=0ns/B..1ns/B/3", Dimension::time_per_byte), (std::vector<double>{0, 5e-10, 1e-9}));
  for (const char* text : {"L=1,2", "L=1us,2KiB", "L=1us..2", "L=2us..1us", "L=1us..8us*x"})
    EXPECT_TRUE(with_unit(text, Dimension::time).empty()) << text;
}

TEST(Vary, CombinationsAreCountedWithoutMakingThem) {
  EXPECT_EQ(combinations({{"a", {1, 2, 3}}, {"b", {1, 2}}}), 6u);
  const Variation many{"a", std::vector<double>(kMostValues, 1.0)};
  EXPECT_GT(combinations({many, many, many, many, many}), kMostValues);
}

TEST(Vary, WhatIsNoListIsRefused) {
  for (const char* text :
       {"p", "=1", "p=", "p=1,x", "p=4..1", "p=1,...,8", "p=1,2,4,...,65", "p=1..8*1", "p=1..1e9", "p=..."})
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
}  // namespace parcast
