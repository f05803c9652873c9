// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/features.h"

#include <gtest/gtest.h>

#include <functional>

#include "fit_counts/testing/test_designs.h"

namespace parcast::program {
namespace {

using Kind = Factor::Kind;

std::int64_t value(Kind kind, std::int64_t n, std::int64_t P, std::int64_t c) {
  const double parameter[]{static_cast<double>(n)};
  const Place place = place_at(parameter, static_cast<std::int32_t>(P), static_cast<std::int32_t>(c), {});
  Factor factor;
  factor.kind = kind;
  factor.parameter = takes_parameter(kind) ? 0 : -1;
  return value_at(factor, place).value_or(-999);
}

// Number of the indices 0 .. n - 1 with this owner, and their sum.
struct Owned {
  std::int64_t count = 0, sum = 0;
};
Owned owned(std::int64_t n, std::int64_t c, const std::function<std::int64_t(std::int64_t)>& owner) {
  Owned all;
  for (std::int64_t k = 0; k < n; ++k)
    if (owner(k) == c) {
      ++all.count;
      all.sum += k;
    }
  return all;
}

void for_all(const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& check) {
  for (std::int64_t P = 1; P <= 9; ++P)
    for (std::int64_t n = 0; n <= 40; ++n)
      for (std::int64_t c = 0; c < P; ++c) check(n, P, c);
}

TEST(Features, ACyclicDistributionCountsAndSumsItsIndices) {
  for_all([](auto n, auto P, auto c) {
    const Owned mine = owned(n, c, [&](auto k) { return k % P; });
    EXPECT_EQ(value(Kind::block_cyclic, n, P, c), mine.count) << n << " " << P << " " << c;
    EXPECT_EQ(value(Kind::index_sum, n, P, c), mine.sum) << n << " " << P << " " << c;
  });
}

TEST(Features, ABlockWithTheRestToTheFirstHoldsAsMuchAsACyclicDistribution) {
  for_all([](auto n, auto P, auto c) {
    EXPECT_EQ(value(Kind::block_cyclic, n, P, c), n / P + (c < n % P ? 1 : 0));
  });
}

TEST(Features, AnEvenBlockHoldsTheIndicesBetweenItsBounds) {
  // Index k belongs to the c with floor(c n / P) <= k < floor((c + 1) n / P).
  for_all([](auto n, auto P, auto c) {
    const auto owner = [&](auto k) {
      std::int64_t o = 0;
      while ((o + 1) * n / P <= k) ++o;
      return o;
    };
    EXPECT_EQ(value(Kind::block_even, n, P, c), owned(n, c, owner).count) << n << " " << P << " " << c;
  });
}

TEST(Features, BlocksOfTheRoundedUpQuotientMayLeaveTheLastProcessesEmpty) {
  for_all([](auto n, auto P, auto c) {
    const std::int64_t size = (n + P - 1) / P;
    EXPECT_EQ(value(Kind::block_ceil, n, P, c), owned(n, c, [&](auto k) { return k / size; }).count);
  });
  EXPECT_EQ(value(Kind::block_ceil, 5, 4, 3), 0);
}

TEST(Features, BlocksOfTheRoundedDownQuotientGiveTheRestToTheLast) {
  for_all([](auto n, auto P, auto c) {
    const auto owner = [&](auto k) { return n / P == 0 ? P - 1 : std::min(k / (n / P), P - 1); };
    EXPECT_EQ(value(Kind::block_last, n, P, c), owned(n, c, owner).count);
  });
}

TEST(Features, ABinomialTreesChildrenAreThoseWhoseLowestBitLeadsToTheirParent) {
  for (std::int64_t P = 1; P <= 40; ++P)
    for (std::int64_t c = 0; c < P; ++c) {
      std::int64_t children = 0;
      for (std::int64_t r = 1; r < P; ++r) children += (r & (r - 1)) == c;
      EXPECT_EQ(value(Kind::tree_children, 0, P, c), children) << P << " " << c;
    }
}

TEST(Features, LogarithmsAreThoseOfPowersOfTwoAroundTheProcessCount) {
  for (std::int64_t P = 1; P <= 70; ++P) {
    std::int64_t down = 0, up = 0;
    while ((std::int64_t{2} << down) <= P) ++down;
    while ((std::int64_t{1} << up) < P) ++up;
    EXPECT_EQ(value(Kind::floor_log2, 0, P, 0), down);
    EXPECT_EQ(value(Kind::ceil_log2, 0, P, 0), up);
  }
}

TEST(Features, QuotientsRemaindersAndEndsFollowTheirDefinition) {
  for_all([](auto n, auto P, auto c) {
    EXPECT_EQ(value(Kind::quotient_floor, n, P, c), n / P);
    EXPECT_EQ(value(Kind::quotient_ceil, n, P, c), n / P + (n % P > 0));
    EXPECT_EQ(value(Kind::remainder, n, P, c), n % P);
    EXPECT_EQ(value(Kind::smaller, n, P, c), std::min(n, P));
    EXPECT_EQ(value(Kind::first, n, P, c), c == 0);
    EXPECT_EQ(value(Kind::not_first, n, P, c), c != 0);
    EXPECT_EQ(value(Kind::second, n, P, c), c == 1);
    EXPECT_EQ(value(Kind::last, n, P, c), c + 1 == P);
    EXPECT_EQ(value(Kind::not_last, n, P, c), c + 1 != P);
    EXPECT_EQ(value(Kind::odd, n, P, c), c & 1);
    EXPECT_EQ(value(Kind::several, n, P, c), P != 1);
  });
}

TEST(Features, ARootHasAValueOnlyWhereItIsWhole) {
  const double nine[]{9}, ten[]{10}, cube[]{1'000'000};
  Factor root{Kind::root, {}, 0, 0, 0, 2};
  EXPECT_EQ(value_at(root, place_at(nine, 1, 0, {})), 3);
  EXPECT_EQ(value_at(root, place_at(ten, 1, 0, {})), std::nullopt);
  root.divisor = 3;
  EXPECT_EQ(value_at(root, place_at(cube, 1, 0, {})), 100);
}

TEST(Features, AShiftLooksAtTheNeighbourAroundTheRing) {
  // 7 rows cyclic over 3: 3, 2, 2.
  const double seven[]{7};
  Factor factor{Kind::block_cyclic, {}, 0, 0, 1, 0};
  EXPECT_EQ(value_at(factor, place_at(seven, 3, 2, {})), 3);
  factor.shift = -1;
  EXPECT_EQ(value_at(factor, place_at(seven, 3, 0, {})), 2);
}

TEST(Features, AProductThatOverflowsHasNoValue) {
  const double large[]{1e9};
  Feature cube{{3}, {}};
  EXPECT_EQ(value_at(cube, place_at(large, 1, 0, {})), std::nullopt);
  EXPECT_EQ(value_at(Feature{{2}, {}}, place_at(large, 1, 0, {})), 1'000'000'000'000'000'000);
}

TEST(Features, EveryFeaturesExpressionHasTheFeaturesValue) {
  // Two implementations of the same definition: whole-number arithmetic, and exact evaluation of the model's
  // expression.
  const Design design = testing::full_design({"n", "m"}, {{3, 16, 27}, {5, 8}}, {1, 2, 3, 4, 6, 12});
  const auto features = make_features(design, true);
  ASSERT_GT(features.size(), 1000u);
  std::size_t compared = 0;
  std::vector<symbolic::ExactBinding> symbols;
  std::vector<const Cell*> cells;
  for (std::size_t i = 0; i < design.cells.size(); i += 11) {
    const Place& place = design.cells[i].place;
    const auto binding =
        testing::symbols_at(design, design.groups[design.cells[i].group].parameters,
                            static_cast<std::int32_t>(place.p), static_cast<std::int32_t>(place.r));
    symbols.emplace_back();
    for (const auto& [name, v] : binding)
      symbols.back().emplace(name, symbolic::Rational(static_cast<std::int64_t>(v)));
    cells.push_back(&design.cells[i]);
  }
  for (const Feature& feature : features) {
    const auto expression = expression_of(feature, design.parameters);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto whole = value_at(feature, cells[i]->place);
      const auto exact = symbolic::evaluate_exactly(expression, symbols[i]);
      if (!whole || !exact) continue;  // log2 of a number that is not a power of two has no exact value
      ++compared;
      ASSERT_EQ(exact->denominator(), 1);
      ASSERT_EQ(exact->numerator(), *whole)
          << symbolic::to_text(expression) << " at p = " << cells[i]->place.p
          << ", r = " << cells[i]->place.r;
    }
  }
  EXPECT_GT(compared, features.size() * cells.size() / 2);
}

TEST(Features, FeaturesComeCheapestFirstAndWithoutTheRankWhenItIsNotAsked) {
  const Design design = testing::full_design({"n"}, {{4, 9, 16}}, {1, 2, 3});
  const auto all = make_features(design, true), plain = make_features(design, false);
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LE(all[i - 1].bits, all[i].bits);
  for (const Feature& feature : plain) {
    ASSERT_FALSE(feature.uses_rank);
    for (const Factor& factor : feature.factors) ASSERT_FALSE(depends_on_rank(factor.kind));
  }
  EXPECT_LT(plain.size(), all.size());
}

TEST(Features, AParameterThatNeverVariedOrIsNoWholeNumberDoesNotEnter) {
  const Design design = testing::full_design({"fixed", "real", "n"}, {{7}, {0.5, 1.5}, {4, 9, 16}}, {1, 2});
  for (const Feature& feature : make_features(design, true)) {
    EXPECT_FALSE(feature.involves(0));
    EXPECT_FALSE(feature.involves(1));
  }
}

TEST(Features, PartsNameWhatDependsOnAVariable) {
  const Feature rows{{1, 0}, {Factor{Kind::block_cyclic, {}, 1}}};  // n * rows of m
  EXPECT_TRUE(rows.involves(0));
  EXPECT_TRUE(rows.involves(1));
  EXPECT_TRUE(rows.involves(2));  // p
  const Feature square{{2, 0}, {}};
  EXPECT_FALSE(square.involves(2));
  EXPECT_EQ(square.part_of(0), (Feature{{2, 1}, {}}).part_of(0));
  EXPECT_NE(square.part_of(0), (Feature{{1, 0}, {}}).part_of(0));
  EXPECT_EQ(square.part_of(2), "");
}

double bits_of(const Design& design, Kind kind, int parameter) {
  for (const Feature& feature : make_features(design, true))
    if (feature.factors.size() == 1 && feature.factors[0].kind == kind &&
        feature.factors[0].parameter == parameter && feature.factors[0].axis == Axis{} &&
        feature.factors[0].offset == 0 && feature.degrees == std::vector<int>{0, 0})
      return feature.bits;
  return 0;
}

TEST(Features, ANumberOfIterationsCostsMoreWhereItIsDivided) {
  Design design = testing::full_design({"n", "steps"}, {{20, 30, 45}, {10, 17, 25}}, {1, 2, 3});
  const double part = bits_of(design, Kind::quotient_floor, 1);
  EXPECT_EQ(bits_of(design, Kind::quotient_floor, 0), part);
  design.repeats = {false, true};
  EXPECT_EQ(bits_of(design, Kind::quotient_floor, 1), part + 6);
  EXPECT_EQ(bits_of(design, Kind::quotient_floor, 0), part);
  EXPECT_EQ(bits_of(design, Kind::fixed_floor, 1), bits_of(design, Kind::fixed_floor, 0))
      << "every k-th iteration is not divided among processes";
}

}  // namespace
}  // namespace parcast::program
