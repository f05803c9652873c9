// SPDX-License-Identifier: Apache-2.0
// Data shared by kernels and hypotheses must not change results: each equals that of a separate computation,
// to the last bit.
#include <gtest/gtest.h>

#include <cmath>

#include "fit/model.h"
#include "fit/weighing.h"
#include "statistics/random.h"

namespace parcast::fit {
namespace {

Points grid(const std::vector<std::vector<double>>& values) {
  Points points{{}};
  for (const auto& list : values) {
    Points longer;
    for (const auto& point : points)
      for (const double x : list) {
        longer.push_back(point);
        longer.back().push_back(x);
      }
    points = longer;
  }
  return points;
}

Kernel kernel_on(const Points& points, std::uint64_t seed, double noise = 0.05, std::size_t repetitions = 1) {
  statistics::Random random(seed);
  Kernel kernel{"k" + std::to_string(seed), "time", "s", points, {}};
  const double slope = 2 * random.uniform() - 0.5, constant = random.uniform();
  for (const auto& point : points) {
    double value = constant;
    for (const double x : point) value += std::pow(x, slope) / static_cast<double>(point.size());
    kernel.values.emplace_back();
    for (std::size_t r = 0; r < repetitions; ++r)
      kernel.values.back().push_back(value * std::exp(noise * random.normal()));
  }
  return kernel;
}

std::vector<double> means_of(const Kernel& kernel) {
  std::vector<double> out;
  for (const auto& runs : kernel.values) out.push_back(of(Statistic::mean, runs));
  return out;
}

const std::vector<std::string> kNames{"n", "p"};
const Points kGrid = grid({{4, 8, 16, 32, 64, 128}, {1, 2, 4, 8}});

std::vector<std::vector<Factor>> some_factors(const Points& points) {
  std::vector<std::vector<Factor>> factors;
  for (std::size_t j = 0; j < points[0].size(); ++j) {
    const auto all = factors_of(points, j);
    factors.emplace_back();
    for (const Factor& each : all)
      if (each.log_power < 2 && std::fabs(each.exponent) == std::round(std::fabs(each.exponent)))
        factors.back().push_back(each);
  }
  return factors;
}

void expect_same(const Predicted& a, const Predicted& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(Sharing, KernelsOfTheSamePointsAreFittedAsIfEachStoodAlone) {
  const Layouts shared(kNames);
  const Calibration calibration;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Kernel kernel = kernel_on(kGrid, seed, 0.05, 1 + seed % 3);
    const Model together = validated_model_of(kernel, shared, Statistic::mean, calibration);
    const Model alone = validated_model_of(kernel, Layouts(kNames), Statistic::mean, calibration);
    EXPECT_EQ(together.validation_error, alone.validation_error);
    EXPECT_EQ(together.log_evidence(), alone.log_evidence());
    for (const std::vector<double>& point : {std::vector<double>{256, 8}, {128, 64}, {1024, 64}})
      expect_same(together.predict(point, 0.9), alone.predict(point, 0.9));
  }
}

TEST(Sharing, TermsOnSomeRowsAreThoseOfTheirPoints) {
  const auto factors = some_factors(kGrid);
  const Shapes all = products_of(kGrid, factors);
  std::vector<std::size_t> rows;
  Points fewer;
  for (std::size_t i = 0; i < kGrid.size(); ++i)
    if (kGrid[i][0] < 128) rows.push_back(i), fewer.push_back(kGrid[i]);
  const Shapes own = products_of(fewer, factors);
  ASSERT_EQ(own.size(), all.size());
  const std::vector<double> values = means_of(kernel_on(fewer, 3));
  const auto some = search({all, rows}, values, values, {}), alone = search(own, values, values, {});
  ASSERT_EQ(some.size(), alone.size());
  for (std::size_t s = 0; s < some.size(); ++s) {
    EXPECT_TRUE(some[s].same_terms(alone[s]));
    EXPECT_EQ(some[s].log_weight, alone[s].log_weight);
  }
}

TEST(Sharing, ALineAsksForNothingThatOtherPointsForbid) {
  // The first and the last line start at 1 and allow logarithms and negative powers, too; a line between them
  // starts at 0.
  const Points points{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {0, 2}, {2, 2},
                      {4, 2}, {8, 2}, {1, 4}, {2, 4}, {4, 4}, {8, 4}};
  Observed observed{points, {}, {}};
  for (const auto& point : points)
    observed.values.push_back(1 + (point[0] > 0 ? 5 / point[0] : 20) + 0.1 * point[1]);
  const auto layout = std::make_shared<const Layout>(points);
  const Design design = design_of(observed, layout, {});
  for (std::size_t t = 0; t < design.shapes->size(); ++t) {
    const auto term = design.shapes->term(t);
    EXPECT_GE(term.exponents[0], 0);
    EXPECT_EQ(term.log_powers[0], 0);
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_DOUBLE_EQ(design.shapes->at(t, i), statistics::shape_value(term, points[i]));
  }
}

TEST(Sharing, ASumExtendedIsTheSumFittedAtOnce) {
  // Compares the search, which uses products of columns, with one small problem for each sum.
  const Shapes shapes = products_of(kGrid, some_factors(kGrid));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<double> values = means_of(kernel_on(kGrid, seed));
    const Prior prior{0.05, 1};
    statistics::GrowthOptions options;
    options.expected_relative_noise = prior.relative_noise;
    options.expected_noise_weight = prior.weight;
    const statistics::growth::Evidence evidence(values.size(), options);
    for (const Sum& sum : search(shapes, values, values, prior)) {
      Orthogonal basis;
      basis.begin(std::vector<double>(values.size(), 1));
      for (const std::size_t term : sum.all()) {
        std::vector<double> column;
        double squares = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
          column.push_back(shapes.at(term, i) / values[i]), squares += column.back() * column.back();
        for (double& entry : column) entry *= std::sqrt(static_cast<double>(values.size()) / squares);
        ASSERT_TRUE(basis.add(column));
      }
      EXPECT_NEAR(
          sum.log_weight,
          evidence(sum.count, basis.residual_squares(), basis.log_determinant()) - cost_of(shapes, sum.all()),
          1e-6);
    }
  }
}

TEST(Sharing, HypothesesLeftHalfwayWouldNotHaveMattered) {
  const Layout layout(kGrid);
  const PointSet& set = layout.all();
  const Shapes shapes = products_of(kGrid, some_factors(kGrid));
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<double> values = means_of(kernel_on(kGrid, seed, seed % 2 ? 0.3 : 0.01));
    const std::vector<Sum> sums = search(shapes, values, values, {});
    const Values observed(values, {});
    Weighing together(observed, set, shapes, sums, {});
    together.relative_to(values);
    std::vector<Weighed> all = together.weigh(set.whitenings, false), each;
    for (std::size_t k = 0; k < kRelations.size(); ++k)
      for (std::size_t s = 0; s < sums.size(); ++s) {
        Weighing alone(observed, set, shapes, std::span(sums).subspan(s, 1), {});
        alone.relative_to(values);
        for (Weighed weighed : alone.weigh(std::span(set.whitenings).subspan(k, 1), false)) {
          // was weighed as the first
          weighed.weight += std::log(kRelations[k].weight) - std::log(kRelations[0].weight);
          weighed.relation = k, weighed.sum = s;
          each.push_back(weighed);
        }
      }
    ASSERT_LT(all.size(), each.size());  // some were left out
    normalise(all);
    normalise(each);
    ASSERT_EQ(all.size(), each.size());
    for (std::size_t h = 0; h < all.size(); ++h) {
      EXPECT_EQ(all[h].sum, each[h].sum);
      EXPECT_EQ(all[h].relation, each[h].relation);
      EXPECT_EQ(all[h].coefficients, each[h].coefficients);
      EXPECT_NEAR(all[h].weight, each[h].weight, 1e-12);
    }
  }
}

TEST(Sharing, ABaseCutBackIsAsIfNothingHadBeenAdded) {
  const Shapes shapes = products_of(kGrid, some_factors(kGrid));
  const auto column = [&](std::size_t term) {
    std::vector<double> out;
    for (std::size_t i = 0; i < kGrid.size(); ++i) out.push_back(shapes.at(term, i));
    return out;
  };
  const std::vector<double> values = means_of(kernel_on(kGrid, 1));
  Orthogonal cut, straight;
  cut.begin(values);
  for (const std::size_t term : {0u, 3u, 5u}) cut.add(column(term));
  cut.keep(1);
  cut.add(column(4));
  straight.begin(values);
  for (const std::size_t term : {0u, 4u}) straight.add(column(term));
  EXPECT_EQ(cut.coefficients(), straight.coefficients());
  EXPECT_EQ(cut.residual_squares(), straight.residual_squares());
  EXPECT_EQ(cut.log_determinant(), straight.log_determinant());
}

TEST(Sharing, RowsWhitenedInPiecesAreThoseWhitenedAtOnce) {
  const Layout layout(kGrid);
  for (const auto& whitening : layout.all().whitenings) {
    std::vector<double> whole = means_of(kernel_on(kGrid, 2)), pieces = whole;
    whitening->apply(whole);
    double* column = pieces.data();
    for (const std::size_t first : {0u, 7u, 14u, 21u})
      whitening->apply_rows({&column, 1}, first, std::min<std::size_t>(first + 7, pieces.size()));
    EXPECT_EQ(pieces, whole);
  }
}

TEST(Sharing, WhatAFoldKnowsOfItsPointsIsWhatTheyTell) {
  const Layout layout(kGrid);
  const std::vector<double> values = means_of(kernel_on(kGrid, 5));
  ASSERT_EQ(layout.folds().size(), 2u);
  for (const Fold& fold : layout.folds()) {
    Observed rest{fold.rest.points, {}, {}};
    for (const std::size_t i : fold.kept) rest.values.push_back(values[i]);
    for (std::size_t k = 0; k < fold.left_out.size(); ++k) {
      const auto& point = kGrid[fold.left_out[k]];
      ASSERT_TRUE(fold.continuations[k]);
      EXPECT_EQ(fold.continuations[k]->of(rest.values), continuation(rest.points, point)->of(rest.values));
      for (std::size_t i = 0; i < fold.kept.size(); ++i)
        EXPECT_DOUBLE_EQ(fold.related[2][k][i],
                         kRelations[2].share * Correlation(kGrid)(kRelations[2], point, kGrid[fold.kept[i]]));
    }
  }
}

}  // namespace
}  // namespace parcast::fit
