// SPDX-License-Identifier: Apache-2.0
#include "report/contours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parcast::report::contours {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length_of(const std::vector<Segment>& pieces) {
  double sum = 0;
  for (const auto& [a, b] : pieces) sum += std::hypot(b.x - a.x, b.y - a.y);
  return sum;
}

double area_of(const std::vector<Polygon>& pieces) {
  double sum = 0;
  for (const Polygon& piece : pieces)
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const Spot &a = piece[i], &b = piece[(i + 1) % piece.size()];
      sum += (a.x * b.y - b.x * a.y) / 2;
    }
  return sum;
}

/// Four wide, two high; the height grows from 0 to 4 along x.
constexpr Cell kSlope{{{0, 0, 0}, {4, 0, 4}, {4, 2, 4}, {0, 2, 0}}};

TEST(Contours, OnAnEvenSlopeALineIsStraightAcrossTheCell) {
  const auto pieces = line_in(kSlope, 1);
  // A segment in each of the triangles below, at the left and above: (1, 0) - (1, 0.5) - (1, 1.5) - (1, 2).
  ASSERT_EQ(pieces.size(), 3u);
  double lowest = 2, highest = 0;
  for (const auto& [a, b] : pieces)
    for (const Spot& end : {a, b}) {
      EXPECT_DOUBLE_EQ(end.x, 1);
      lowest = std::min(lowest, end.y), highest = std::max(highest, end.y);
    }
  EXPECT_DOUBLE_EQ(lowest, 0);
  EXPECT_DOUBLE_EQ(highest, 2);
  EXPECT_DOUBLE_EQ(length_of(pieces), 2);
  EXPECT_THAT(line_in(kSlope, 5), IsEmpty());
  EXPECT_THAT(line_in(kSlope, -1), IsEmpty());
}

TEST(Contours, ALineEndsWhereTheEdgesCrossIt) {
  // One corner is high: heights 0, 0, 8, 0 and 2 in the middle. At height 4 the line crosses the edges to the
  // corner half way. It crosses the diagonal a third of the way from the middle to the corner, at (4/3, 4/3).
  const Cell cell{{{0, 0, 0}, {2, 0, 0}, {2, 2, 8}, {0, 2, 0}}};
  const auto pieces = line_in(cell, 4);
  ASSERT_EQ(pieces.size(), 2u);
  for (const auto& [a, b] : pieces) {
    const bool first = a.x == 2 || a.y == 2;
    const Spot &edge = first ? a : b, &inside = first ? b : a;
    EXPECT_NEAR(inside.x, 4.0 / 3, 1e-12);
    EXPECT_NEAR(inside.y, 4.0 / 3, 1e-12);
    EXPECT_DOUBLE_EQ(edge.x + edge.y, 3);  // (2, 1) and (1, 2)
  }
}

TEST(Contours, OfASaddleTheMiddleSaysWhichCornersAreJoined) {
  // Heights 0, 1, 0, 1 on a square of side 1, 0.5 in the middle. At 0.75 the line cuts off each high corner,
  // at 0.25 each low one.
  const Cell cell{{{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {0, 1, 1}}};
  for (const double height : {0.25, 0.75}) {
    const auto pieces = line_in(cell, height);
    ASSERT_EQ(pieces.size(), 4u);
    EXPECT_DOUBLE_EQ(length_of(pieces), 1);  // (0.75, 0) - (0.75, 0.25) - (1, 0.25), and the same opposite
  }
  for (const auto& [a, b] : line_in(cell, 0.75))
    for (const Spot& end : {a, b}) EXPECT_GE(std::abs(end.x - end.y), 0.5 - 1e-12);
}

TEST(Contours, ALineAlongAnEdgeIsDrawnOnceByTheCellBelow) {
  const Cell below{{{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 0}}},
      above{{{1, 0, 1}, {2, 0, 2}, {2, 1, 2}, {1, 1, 1}}};
  EXPECT_DOUBLE_EQ(length_of(line_in(below, 1)), 1);
  EXPECT_THAT(line_in(above, 1), IsEmpty());
}

TEST(Contours, BandsFillTheCellBetweenTheirLines) {
  EXPECT_DOUBLE_EQ(area_of(band_in(kSlope, -kInfinity, 1)), 2);
  EXPECT_DOUBLE_EQ(area_of(band_in(kSlope, 1, 3)), 4);
  EXPECT_DOUBLE_EQ(area_of(band_in(kSlope, 3, kInfinity)), 2);
  const auto whole = band_in(kSlope, -1, 4);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole.front().size(), 4u);
  EXPECT_THAT(band_in(kSlope, 5, 6), IsEmpty());
  // The part above 4 around a single high corner is two triangles, of (2, 1), (2, 2), (4/3, 4/3) and its
  // mirror image.
  EXPECT_NEAR(area_of(band_in({{{0, 0, 0}, {2, 0, 0}, {2, 2, 8}, {0, 2, 0}}}, 4, 9)), 2.0 / 3, 1e-12);
}

TEST(Contours, LevelsAreOneTwoAndFiveTimesPowersOfTen) {
  EXPECT_THAT(round_levels(1, 100), ElementsAre(2, 5, 10, 20, 50));
  EXPECT_THAT(round_levels(3e-5, 1.2e-3), ElementsAre(5e-5, 1e-4, 2e-4, 5e-4, 1e-3));
}

TEST(Contours, LevelsOfManyDecadesArePowersOfTen) {
  EXPECT_THAT(round_levels(1, 1e5), ElementsAre(10, 100, 1000, 10000));
  // Of the nineteen powers of ten between the two, every second one.
  EXPECT_THAT(round_levels(1e-20, 1), ElementsAre(1e-18, 1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2));
}

TEST(Contours, LevelsOfLessThanADecadeAreEquallyFar) {
  EXPECT_THAT(round_levels(10, 100), ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(round_levels(10, 11), ElementsAre(10.2, 10.4, 10.6, 10.8));
  EXPECT_THAT(round_levels(5e-6, 12.64e-6), ElementsAre(6e-6, 8e-6, 10e-6, 12e-6));
}

TEST(Contours, WithoutASpreadThereAreNoLevels) {
  EXPECT_THAT(round_levels(5, 5), IsEmpty());
  EXPECT_THAT(round_levels(5, 5.000001), IsEmpty());
  EXPECT_THAT(round_levels(0, 1), IsEmpty());
  EXPECT_THAT(round_levels(1, kInfinity), IsEmpty());
}

}  // namespace
}  // namespace parcast::report::contours
