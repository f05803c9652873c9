// SPDX-License-Identifier: Apache-2.0
#include "model/lattice.h"

#include <gtest/gtest.h>

namespace parcast::program {
namespace {

std::vector<Point> points(const std::vector<double>& ns, const std::vector<std::int32_t>& ps) {
  std::vector<Point> out;
  for (const std::int32_t p : ps)
    for (const double n : ns) out.push_back({{{"N", n}}, p});
  return out;
}

bool contains(const std::vector<Point>& recorded, double n, std::int32_t p) {
  return lattice_of(recorded).contains({{{"N", n}}, p});
}

TEST(Lattice, SizesWithoutACommonDivisorAreNone) {
  const auto recorded = points({21, 32, 45}, {1, 2, 3, 4});
  EXPECT_TRUE(lattice_of(recorded).everywhere());
  EXPECT_EQ(to_text(lattice_of(recorded)), "");
  EXPECT_EQ(advice_off(lattice_of(recorded), recorded), "");
  EXPECT_TRUE(contains(recorded, 1000, 7));
}

TEST(Lattice, SizesEquallyFarApartShareARemainder) {
  const auto recorded = points({21, 41, 101}, {1, 2, 3});
  const Lattice lattice = lattice_of(recorded);
  ASSERT_EQ(lattice.residues.size(), 1u);
  EXPECT_EQ(lattice.residues[0].modulus, 20);
  EXPECT_EQ(lattice.residues[0].remainder, 1);
  EXPECT_EQ(to_text(lattice), "N - 1 is a multiple of 20");
  EXPECT_TRUE(contains(recorded, 1001, 7));
  EXPECT_TRUE(contains(recorded, 1, 7));
  EXPECT_FALSE(contains(recorded, 1000, 7));
  EXPECT_FALSE(contains(recorded, 40.5, 7));
}

TEST(Lattice, NegativeValuesHaveTheSameRemainder) {
  EXPECT_EQ(lattice_of(points({-9, 1, 11}, {1, 2, 3})).residues.at(0).remainder, 1);
}

TEST(Lattice, PowersOfTwoAreTheirOwnRule) {
  const auto recorded = points({21, 32, 45}, {1, 2, 4, 8});
  EXPECT_EQ(to_text(lattice_of(recorded)), "p is a power of two");
  EXPECT_TRUE(contains(recorded, 50, 16));
  EXPECT_FALSE(contains(recorded, 50, 6));
  EXPECT_TRUE(lattice_of(points({21, 32, 45}, {1, 2})).everywhere());  // two values are too few for a rule
}

TEST(Lattice, AnEvenDistributionIsARule) {
  const auto recorded = points({12, 25, 36}, {1});
  EXPECT_TRUE(lattice_of(recorded).divided.empty());  // p = 1 divides everything
  const auto even = points({12, 24, 36}, {1, 2, 3, 4});
  EXPECT_EQ(to_text(lattice_of(even)), "N is a multiple of 12 and p divides N");
  EXPECT_TRUE(contains(even, 48, 6));
  EXPECT_FALSE(contains(even, 48, 5));
  EXPECT_FALSE(contains(even, 50, 5));
}

TEST(Lattice, ADivisorMayBeOneOff) {
  const auto recorded = points({25, 37, 73}, {1, 2, 3, 4, 6, 12});
  EXPECT_EQ(to_text(lattice_of(recorded)), "N - 1 is a multiple of 12 and p divides N - 1");
  EXPECT_TRUE(contains(recorded, 49, 8) == (48 % 8 == 0));
  EXPECT_FALSE(contains(recorded, 61, 8));
}

TEST(Lattice, OneProcessIsAKindOfItsOwn) {
  const auto recorded = points({21, 32, 45}, {2, 3, 4});
  EXPECT_EQ(to_text(lattice_of(recorded)), "p is more than 1");
  EXPECT_FALSE(contains(recorded, 32, 1));
  EXPECT_EQ(advice_off(lattice_of(recorded), recorded), "a recording at p = 1, N = 21");
}

TEST(Lattice, TheDomainIsWholeAndNotNegativeWhereItAlwaysWas) {
  const auto recorded = points({21, 32, 45}, {1, 2, 3});
  EXPECT_FALSE(contains(recorded, 32.5, 2));
  EXPECT_FALSE(contains(recorded, -32, 2));
  EXPECT_TRUE(contains(points({-21, 32, 45}, {1, 2, 3}), -32, 2));
  EXPECT_TRUE(contains(points({2.5, 3.5, 4.7}, {1, 2, 3}), 3.25, 2));
}

TEST(Lattice, AParameterNamedLikeTheProcessCountIsTheProcessCount) {
  auto recorded = points({21, 32, 45}, {1, 2, 3});
  for (Point& point : recorded) point.parameters["p"] = point.processes;
  EXPECT_TRUE(lattice_of(recorded).everywhere());
}

TEST(Lattice, WhatNeverVariedIsOneValue) {
  const auto recorded = points({21}, {1, 2, 3});
  EXPECT_TRUE(contains(recorded, 21, 5));
  EXPECT_FALSE(contains(recorded, 22, 5));
  EXPECT_EQ(to_text(lattice_of(recorded)), "");  // reported elsewhere
}

TEST(Lattice, FractionsHaveNoPlaceInIt) {
  EXPECT_TRUE(lattice_of(points({0.5, 1.5, 2.5}, {1, 2, 3})).everywhere());
}

TEST(Lattice, TheAdviceBreaksEveryRule) {
  const auto recorded = points({16, 32, 64}, {1, 2, 4});
  const Lattice lattice = lattice_of(recorded);
  EXPECT_EQ(to_text(lattice), "N is a power of two, p is a power of two and p divides N");
  EXPECT_EQ(advice_off(lattice, recorded), "a recording at p = 3, N = 17");
  EXPECT_FALSE(lattice.contains({{{"N", 17}}, 3}));
}

TEST(Lattice, TheAdviceKeepsTheKindOfProcessCounts) {
  const auto powers = points({16, 32, 64}, {1, 2, 4, 8}), cubes = points({16, 32, 64}, {1, 8});
  EXPECT_EQ(advice_off(lattice_of(powers), powers), "a recording at p = 2, N = 17");
  EXPECT_EQ(advice_off(lattice_of(cubes), cubes), "a recording at p = 8, N = 17");
}

TEST(Lattice, DamagedRecordingsDoNotWidenIt) {
  Model model;
  for (const double n : {16, 32, 48, 17}) {
    Source source;
    source.parameters = {{"N", n}};
    source.processes = 1;
    source.damaged = n == 17;
    model.sources.push_back(source);
  }
  EXPECT_EQ(to_text(lattice_of(model)), "N is a multiple of 16");
}

}  // namespace
}  // namespace parcast::program
