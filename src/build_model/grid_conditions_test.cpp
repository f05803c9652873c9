// SPDX-License-Identifier: Apache-2.0
// Conditions on places in the grid, compared with the rule that generated them.
#include "build_model/grid_conditions.h"

#include <gtest/gtest.h>

#include <functional>

#include "model/binding.h"
#include "symbolic/expression.h"

namespace parcast::program {
namespace {

using Rule = std::function<bool(int q, int x, int y, int z)>;

std::vector<Place> cubes(const std::vector<int>& sides) {
  std::vector<Place> out;
  for (const int q : sides)
    for (int r = 0; r < q * q * q; ++r) out.push_back(place_at({}, q * q * q, r, {}));
  return out;
}

bool by_rule(const Rule& rule, const Place& place) {
  const auto& c = place.coordinates[3];
  return rule(static_cast<int>(place.extents[3][0]), static_cast<int>(c[0]), static_cast<int>(c[1]),
              static_cast<int>(c[2]));
}

std::optional<GridCondition> found_for(const Rule& rule) {
  const std::vector<Place> places = cubes({1, 2, 3});
  std::vector<bool> holds;
  for (const Place& place : places) holds.push_back(by_rule(rule, place));
  return grid_condition(places, holds, {});
}

void expect_elsewhere(const GridCondition& found, const Rule& rule) {
  for (const Place& place : cubes({4, 5}))
    EXPECT_EQ(*symbolic::evaluate(found.expression, binding_of(place, {}, {})), by_rule(rule, place) ? 1 : 0)
        << place.p << ' ' << place.r;
}

TEST(GridCondition, ACornerHasThreeParts) {
  const Rule corner = [](int q, int x, int y, int z) { return x > 0 && y < q - 1 && z > 0; };
  const auto found = found_for(corner);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parts, 3u);
  expect_elsewhere(*found, corner);
}

TEST(GridCondition, AnEdgeOfTheCubeThatEndsOnASide) {
  const Rule edge = [](int q, int x, int y, int z) { return x == 0 && y > 0 && y < q - 1 && z == q - 1; };
  const auto found = found_for(edge);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parts, 4u);
  expect_elsewhere(*found, edge);
}

// A grid of two dimensions has the same last coordinate at 8 and 27 processes, and a different one at 64.
TEST(GridCondition, OfCubesTheSideIsThatOfAGridOfThree) {
  const Rule side = [](int, int, int, int z) { return z > 0; };
  const auto found = found_for(side);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parts, 1u);
  expect_elsewhere(*found, side);
}

TEST(GridCondition, TheFirstRankNeedsNoGridOfThree) {
  const auto found = found_for([](int, int x, int y, int z) { return x == 0 && y == 0 && z == 0; });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parts, 1u);
}

TEST(GridCondition, ADiagonalIsNone) {
  EXPECT_FALSE(found_for([](int, int x, int y, int z) { return x == y && y == z; }));
}

/// At 1, 2 and 4 processes the first of several ranks is also a corner of a grid of two dimensions; at 8 the
/// corner is another rank.
TEST(GridCondition, TheFirstOfSeveralRanksIsNoCorner) {
  std::vector<Place> places;
  std::vector<bool> holds;
  for (const std::int32_t p : {1, 2, 4})
    for (std::int32_t r = 0; r < p; ++r)
      places.push_back(place_at({}, p, r, {})), holds.push_back(r == 0 && p > 1);
  const auto found = grid_condition(places, holds, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parts, 2u);
  for (std::int32_t r = 0; r < 8; ++r) {
    const auto value = symbolic::evaluate(found->expression, binding_of(place_at({}, 8, r, {}), {}, {}));
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, r == 0) << r;
  }
}

}  // namespace
}  // namespace parcast::program
