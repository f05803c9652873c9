// SPDX-License-Identifier: Apache-2.0
#include "statistics/growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "statistics/growth_search.h"
#include "statistics/least_squares.h"
#include "statistics/log_error.h"
#include "statistics/random.h"

namespace parcast::statistics {
namespace {

GrowthData sampled(const std::vector<double>& sizes, const std::vector<double>& processes,
                   const std::function<double(double, double)>& time, double noise = 0,
                   std::uint64_t seed = 1) {
  Random random(seed);
  GrowthData data;
  data.arguments = {"n", "p"};
  for (const double n : sizes)
    for (const double p : processes) {
      data.points.push_back({n, p});
      data.values.push_back(time(n, p) * std::exp(noise * random.normal()));
    }
  return data;
}

const std::vector<double> kSizes{100, 200, 400};
const std::vector<double> kProcesses{1, 2};

/// The time at p = 64 from times at 1, 2 and 4, where growth with p costs `nats` per degree.
GrowthPrediction at_64(const std::vector<double>& times, double nats) {
  GrowthData data;
  data.arguments = {"p"};
  data.points = {{1}, {2}, {4}};
  data.values = times;
  GrowthOptions options;
  options.rare_degrees = {1}, options.nats_per_rare_degree = nats;
  const double point[] = {64};
  return fit_growth(data, options)->predict(point, 0.9);
}

TEST(Growth, WithARareQuantityNeedsEvidence) {
  const std::vector<double> noise{1, 1.03, 1.02}, growth{1, 2, 4};
  EXPECT_LT(at_64(noise, 4).high, at_64(noise, 0).high);
  EXPECT_NEAR(at_64(noise, 4).value, 1.02, 0.05);
  EXPECT_NEAR(at_64(growth, 4).value, 64, 13);
}

// 100, 204 and 460 at n = 1, 2, 4: with 6 nats for each degree beyond the first the steeper laws have no
// part.
TEST(Growth, FasterThanTheDataNeedsEvidence) {
  const auto at_16 = [](double nats) {
    GrowthData data;
    data.arguments = {"n"};
    data.points = {{1}, {2}, {4}};
    data.values = {100, 204, 460};
    GrowthOptions options;
    options.data_degrees = {1}, options.usual_degrees = {1}, options.nats_per_steep_degree = nats;
    options.expected_relative_noise = 0.05;
    const double point[] = {16};
    return fit_growth(data, options)->predict(point, 0.9).value;
  };
  EXPECT_LT(at_16(6), at_16(0));
  EXPECT_NEAR(at_16(6), 1650, 150);
}

// At n^2 beyond a usual degree of 1 it is one degree; a half is free below it.
TEST(Growth, DegreesBeyondTheUsualOneCost) {
  GrowthOptions options;
  options.data_degrees = {1, 2}, options.usual_degrees = {1, 2}, options.nats_per_steep_degree = 3;
  EXPECT_DOUBLE_EQ(growth::steep_growth_cost({1, {2, 0}, {0, 0}}, options), 3);
  EXPECT_DOUBLE_EQ(growth::steep_growth_cost({1, {0.5, 0}, {0, 0}}, options), 0);
  EXPECT_DOUBLE_EQ(growth::steep_growth_cost({1, {1, 1}, {0, 0}}, options), 3);  // 1 + 2 for 2
  EXPECT_DOUBLE_EQ(growth::steep_growth_cost({1, {1, -1}, {0, 0}}, options), 0);
  options.usual_degrees[1] = INFINITY;
  EXPECT_DOUBLE_EQ(growth::steep_growth_cost({1, {0, 3}, {0, 0}}, options), 0);
}

// (n/p)^2 falls with p^-2, one degree below the least; n/p does not.
TEST(Growth, FallingFasterThanTheLeastDegreeCosts) {
  GrowthOptions options;
  options.rare_degrees = {-1}, options.nats_per_rare_degree = 2;
  EXPECT_DOUBLE_EQ(growth::rare_growth_cost({1, {2}, {0}}, options), 0);
  options.least_rare_degree = -1;
  EXPECT_DOUBLE_EQ(growth::rare_growth_cost({1, {1}, {0}}, options), 0);
  EXPECT_DOUBLE_EQ(growth::rare_growth_cost({1, {2}, {0}}, options), 2);
  EXPECT_DOUBLE_EQ(growth::rare_growth_cost({1, {-1}, {0}}, options), 2);  // growth with p
}

GrowthHypothesis power_of_p(double exponent) {
  return {.terms = {{1, {exponent}, {0}}}, .weight = 0.5};
}

// At p = 4, 1/p gives 0.25 and 1/sqrt(p) 0.5. Measured is 0.5, so the logarithms miss by ln 2 and 0. With
// errors of 0.3 and 0.4 (0.5 together) the first is z^2 = (0.6931/0.5)^2 = 1.9218 away:
// (1 + 1.9218/4)^-2.5 = 0.3749.
TEST(Growth, RoughObservationsDecideBetweenLaws) {
  GrowthModel model{.arguments = {"p"}, .hypotheses = {power_of_p(-1), power_of_p(-0.5)}, .log_evidence = 7};
  model.ranges = {{1, 2, 2}};
  const RoughGroup at_4{{{4}}, {0.5}};
  weigh_by_rough(model, std::vector{at_4}, {0.3, 0.4});
  ASSERT_EQ(model.hypotheses.size(), 2u);
  const auto& halved =
      model.hypotheses[0].terms[0].exponents[0] == -1 ? model.hypotheses[0] : model.hypotheses[1];
  EXPECT_NEAR(halved.weight, 0.3749 / 1.3749, 1e-4);
  EXPECT_NEAR(model.log_evidence, 7 + std::log(1.3749 / 2), 1e-4);
}

// Both values of the group are twice those of 1/p: the shared error explains that once, 0.3 and 0.1/sqrt(2)
// together 0.3082. Their own errors are 0: (1 + (0.6931/0.3082)^2 / 4)^-2.5 = 0.1296.
TEST(Growth, AGroupSharesOneErrorOfScale) {
  GrowthModel model{.arguments = {"p"}, .hypotheses = {power_of_p(-1)}, .log_evidence = 0};
  model.hypotheses[0].weight = 1;
  model.ranges = {{1, 2, 2}};
  weigh_by_rough(model, std::vector<RoughGroup>{{{{4}, {8}}, {0.5, 0.25}}}, {0.3, 0.1});
  EXPECT_NEAR(model.log_evidence, std::log(0.1296), 2e-3);
  EXPECT_DOUBLE_EQ(model.hypotheses[0].weight, 1);
}

double square_over_p(double n, double p) {
  return 2e-6 + 3e-11 * n * n / p;
}

TEST(Growth, ArgumentsOfPowersStandInParenthesesOnlyWhereNeeded) {
  const GrowthHypothesis hypothesis{.terms = {{2, {1.5, 2}, {0, 1}}}};
  EXPECT_EQ(to_string(hypothesis, std::vector<std::string>{"n/p", "floor(n/p)"}),
            "2.000 (n/p)^(3/2) floor(n/p)^2 log2(floor(n/p))");
}

TEST(Growth, FindsTheFormulaOfExactData) {
  const auto model = fit_growth(sampled(kSizes, kProcesses, square_over_p));
  ASSERT_TRUE(model);
  const GrowthHypothesis& best = model->hypotheses.front();
  ASSERT_EQ(best.terms.size(), 2u);
  EXPECT_NEAR(best.terms[0].coefficient, 2e-6, 1e-17);
  EXPECT_NEAR(best.terms[1].coefficient, 3e-11, 1e-22);
  EXPECT_EQ(best.terms[1].exponents, (std::vector<double>{2, -1}));
  EXPECT_EQ(to_string(best, model->arguments), "2e-06 + 3e-11 n^2 p^-1");
  EXPECT_NEAR(model->predict(std::vector<double>{1600, 8}), square_over_p(1600, 8), 1e-15);
  EXPECT_LT(best.validation_error, 1e-10);
}

TEST(Growth, FindsLogarithmsAndHalfPowers) {
  const std::vector<double> sizes{64, 128, 256, 512, 1024};
  const auto logarithm =
      fit_growth(sampled(sizes, {1}, [](double n, double) { return 1e-8 * n * std::log2(n); }));
  const auto half = fit_growth(sampled(sizes, {1}, [](double n, double) { return 1e-8 * n * std::sqrt(n); }));
  ASSERT_TRUE(logarithm && half);
  EXPECT_EQ(logarithm->hypotheses[0].terms[0].exponents[0], 1);
  EXPECT_EQ(logarithm->hypotheses[0].terms[0].log_powers[0], 1);
  EXPECT_EQ(half->hypotheses[0].terms.back().exponents[0], 1.5);
}

TEST(Growth, TwoTermsAndAConstantFromManyPoints) {
  const auto time = [](double n, double p) { return 1e-5 + 1e-9 * n * n / p + 4e-8 * n; };
  const auto model = fit_growth(sampled({50, 100, 200, 400, 800}, {1, 2, 4}, time, 0.001));
  ASSERT_TRUE(model);
  const GrowthHypothesis& best = model->hypotheses.front();
  ASSERT_EQ(best.terms.size(), 3u);
  EXPECT_NEAR(model->predict(std::vector<double>{3200, 16}) / time(3200, 16), 1, 0.02);
}

TEST(Growth, AConstantStaysAConstant) {
  const auto model = fit_growth(sampled(
      kSizes, kProcesses, [](double, double) { return 5e-4; }, 0.01, 3));
  ASSERT_TRUE(model);
  const auto far = model->predict(std::vector<double>{1600, 2}, 0.9);
  EXPECT_NEAR(far.value / 5e-4, 1, 0.05);
}

TEST(Growth, OneObservationIsAConstantWithAWideInterval) {
  GrowthData data{{"n", "p"}, {{100, 2}}, {3e-3}, {}};
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->hypotheses.size(), 1u);
  EXPECT_DOUBLE_EQ(model->predict(std::vector<double>{100, 2}), 3e-3);
  const auto there = model->predict(std::vector<double>{100, 2}, 0.9);
  EXPECT_FALSE(there.unidentified);
  EXPECT_LT(there.low, 3e-3);
  EXPECT_GT(there.high, 3e-3);
  EXPECT_TRUE(model->predict(std::vector<double>{200, 2}, 0.9).unidentified);
}

TEST(Growth, TwoObservationsAllowOneCoefficient) {
  GrowthData data{{"n"}, {{100}, {200}}, {1e-3, 4e-3}, {}};
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  for (const GrowthHypothesis& h : model->hypotheses) EXPECT_EQ(h.terms.size(), 1u);
  EXPECT_EQ(model->hypotheses[0].terms[0].exponents[0], 2);
}

TEST(Growth, FivePointsAllowTwoCoefficients) {
  const auto model =
      fit_growth(sampled({10, 20, 30, 50, 80}, {1}, [](double n, double) { return 1 + n + 0.1 * n * n; }));
  ASSERT_TRUE(model);
  for (const GrowthHypothesis& h : model->hypotheses) EXPECT_LE(h.terms.size(), 2u);
}

TEST(Growth, AnArgumentThatNeverVariedIsNotGuessed) {
  const auto model = fit_growth(sampled(kSizes, {4}, square_over_p));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->ranges[1].distinct, 1u);
  for (const GrowthHypothesis& h : model->hypotheses)
    for (const GrowthTerm& term : h.terms) EXPECT_EQ(term.exponents[1], 0);
  EXPECT_TRUE(model->predict(std::vector<double>{200, 8}, 0.9).unidentified);
  EXPECT_FALSE(model->predict(std::vector<double>{800, 4}, 0.9).unidentified);
}

TEST(Growth, AValueThatIsKnownToGrowInProportionIsScaled) {
  GrowthData data;
  data.points = {{}, {}, {}};
  data.values = {2.1, 2.0, 1.9};
  GrowthOptions options;
  options.relative_error_per_doubling = 0.02;
  const auto constant = fit_growth(data, options);
  ASSERT_TRUE(constant);
  const GrowthModel scaled = in_proportion(*constant, "work", 50, 0.02);
  ASSERT_EQ(scaled.ranges.size(), 1u);
  EXPECT_TRUE(scaled.ranges[0].given);
  for (const double factor : {1.0, 4.0, 0.5}) {
    const double at = constant->predict({});
    EXPECT_NEAR(scaled.predict(std::vector<double>{50 * factor}), factor * at, 1e-12 * at);
    const auto interval = scaled.predict(std::vector<double>{50 * factor}, 0.9);
    const auto near = constant->predict({}, 0.9);
    EXPECT_FALSE(interval.unidentified);
    // the interval of the constant, and 2 % per doubling
    if (factor == 1) {
      EXPECT_NEAR(interval.low, near.low, 1e-12);
      EXPECT_NEAR(interval.high, near.high, 1e-12);
    } else {
      EXPECT_LT(interval.low, factor * near.low);
      EXPECT_GT(interval.high, factor * near.high);
    }
  }
}

TEST(Growth, AZeroArgumentHasNoNegativePowers) {
  GrowthData data{{"k"}, {{0}, {1}, {2}, {4}, {8}, {16}}, {2, 5, 8, 14, 26, 50}, {}};  // 2 + 3 k
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->predict(std::vector<double>{100}), 302, 1e-9);
  for (const GrowthHypothesis& h : model->hypotheses)
    EXPECT_TRUE(std::isfinite(evaluate(h, std::vector<double>{0})));
}

TEST(Growth, WeightsSumToOneBestFirst) {
  const auto model = fit_growth(sampled(kSizes, kProcesses, square_over_p, 0.02, 5));
  ASSERT_TRUE(model);
  double sum = 0;
  for (std::size_t i = 0; i < model->hypotheses.size(); ++i) {
    sum += model->hypotheses[i].weight;
    if (i > 0) EXPECT_GE(model->hypotheses[i - 1].weight, model->hypotheses[i].weight);
    for (const GrowthTerm& term : model->hypotheses[i].terms) EXPECT_GT(term.coefficient, 0);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Growth, IntervalsWidenWithDistanceAndLevel) {
  const auto model = fit_growth(sampled(kSizes, kProcesses, square_over_p, 0.02, 6));
  ASSERT_TRUE(model);
  double before = 0;
  for (const double n : {400.0, 800.0, 1600.0, 6400.0}) {
    const auto p = model->predict(std::vector<double>{n, 2}, 0.9);
    EXPECT_GT(p.high / p.low, before);
    EXPECT_NEAR(p.distance, std::log2(n / 400), 1e-12);
    EXPECT_LE(p.low, p.value);
    EXPECT_GE(p.high, p.value);
    EXPECT_GT(p.low, 0);
    before = p.high / p.low;
    const auto wider = model->predict(std::vector<double>{n, 2}, 0.99);
    EXPECT_LT(wider.low, p.low);
    EXPECT_GT(wider.high, p.high);
  }
}

TEST(Growth, OtherUnitsOfTimeScaleTheAnswer) {
  GrowthData data = sampled(kSizes, kProcesses, square_over_p, 0.02, 7);
  const auto seconds = fit_growth(data);
  for (double& v : data.values) v *= 1e6;
  const auto microseconds = fit_growth(data);
  ASSERT_TRUE(seconds && microseconds);
  const std::vector<double> point{1600, 8};
  const auto a = seconds->predict(point, 0.9);
  const auto b = microseconds->predict(point, 0.9);
  EXPECT_NEAR(b.value / 1e6 / a.value, 1, 1e-6);
  EXPECT_NEAR(b.low / 1e6 / a.low, 1, 1e-6);
  EXPECT_NEAR(b.high / 1e6 / a.high, 1, 1e-6);
}

TEST(Growth, TheOrderOfObservationsDoesNotMatter) {
  GrowthData data = sampled(kSizes, kProcesses, square_over_p, 0.02, 8);
  const auto forward = fit_growth(data);
  std::reverse(data.points.begin(), data.points.end());
  std::reverse(data.values.begin(), data.values.end());
  const auto backward = fit_growth(data);
  ASSERT_TRUE(forward && backward);
  EXPECT_NEAR(forward->predict(std::vector<double>{1600, 4}, 0.9).high /
                  backward->predict(std::vector<double>{1600, 4}, 0.9).high,
              1, 1e-6);
}

TEST(Growth, DerivedArgumentsNameOneShapeOnce) {
  GrowthData data = sampled(kSizes, kProcesses, square_over_p, 0.01, 9);
  data.arguments.push_back("rows");  // per process: n / p
  for (auto& point : data.points) point.push_back(point[0] / point[1]);
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  const std::vector<double> point{1600, 4, 400};
  EXPECT_NEAR(model->predict(point) / square_over_p(1600, 4), 1, 0.06);
  int squares = 0;
  for (const GrowthHypothesis& h : model->hypotheses)
    if (h.terms.size() == 2 && !h.fitted_exponents &&
        std::abs(shape_value(h.terms[1], point) / (1600.0 * 1600 / 4) - 1) < 1e-9)
      ++squares;
  EXPECT_EQ(squares, 1);
}

TEST(Growth, APrecisePointCountsMore) {
  GrowthData data = sampled({100, 200, 400, 800}, {1}, [](double n, double) { return 1e-6 * n; });
  data.values[1] *= 1.3;
  data.relative_errors = {0.005, 0.3, 0.005, 0.005};
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->predict(std::vector<double>{3200, 1}) / 3.2e-3, 1, 0.03);
}

TEST(Growth, RefusesWhatItCannotFitAndSaysWhere) {
  GrowthData data = sampled(kSizes, kProcesses, square_over_p);
  EXPECT_FALSE(fit_growth(GrowthData{}));
  GrowthData negative = data;
  negative.values[2] = -1;
  EXPECT_EQ(fit_growth(negative).error().where, "observation 3");
  GrowthData argument = data;
  argument.points[4][1] = -2;
  EXPECT_EQ(fit_growth(argument).error().what, "p is negative or not finite");
  GrowthData ragged = data;
  ragged.points[0].pop_back();
  EXPECT_FALSE(fit_growth(ragged));
}

TEST(Growth, OptionsLimitExponentsTermsAndConstant) {
  GrowthOptions options;
  options.exponents = {{1, 3}, {-1, 0}};
  options.largest_log_power = {0, 0};
  options.maximal_terms = 1;
  options.constant_allowed = false;
  const auto model = fit_growth(sampled(kSizes, kProcesses, square_over_p, 0.02, 4), options);
  ASSERT_TRUE(model);
  for (const GrowthHypothesis& h : model->hypotheses) {
    if (h.fitted_exponents) continue;
    ASSERT_EQ(h.terms.size(), 1u);
    EXPECT_TRUE(h.terms[0].exponents[0] == 0 || h.terms[0].exponents[0] == 1 || h.terms[0].exponents[0] == 3);
    EXPECT_NE(h.terms[0].exponents, (std::vector<double>{0, 0}));
  }
}

TEST(PowerLaw, IsExactOnAPowerLaw) {
  const auto time = [](double n, double p) { return 1e-7 * std::pow(n, 1.83) * std::pow(p, -0.9); };
  const auto model = fit_growth(sampled(kSizes, kProcesses, time));
  ASSERT_TRUE(model);
  const GrowthHypothesis& best = model->hypotheses.front();
  EXPECT_TRUE(best.fitted_exponents);
  EXPECT_NEAR(best.terms[0].exponents[0], 1.83, 1e-10);
  EXPECT_NEAR(best.terms[0].exponents[1], -0.9, 1e-10);
  EXPECT_NEAR(model->predict(std::vector<double>{1600, 16}) / time(1600, 16), 1, 1e-9);
}

TEST(Basis, AgreesWithTheRegression) {
  Random random(2);
  Matrix design(9, 4);
  for (double& v : design.values) v = 1 + random.uniform();
  std::vector<double> y;
  for (int i = 0; i < 9; ++i) y.push_back(random.uniform());
  growth::Basis basis(y);
  std::vector<double> scratch(9);
  double trial_squares = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < 9; ++i) column.push_back(design(i, j));
    if (const auto trial = basis.with(column, scratch)) trial_squares = trial->residual_squares;
    ASSERT_TRUE(basis.add(column));
    if (j == 0) EXPECT_NEAR(trial_squares, basis.residual_squares(), 1e-14);
  }
  const auto fit = fit_least_squares(design, y);
  ASSERT_TRUE(fit);
  const auto c = basis.coefficients();
  const Matrix inverse = basis.inverse_triangle();
  const double variance = fit->residual_standard_error * fit->residual_standard_error;
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(c[j], fit->coefficients[j], 1e-12);
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += inverse(j, k) * inverse(j, k);
    EXPECT_NEAR(sum * variance / fit->covariance(j, j), 1, 1e-11);
  }
  EXPECT_NEAR(basis.residual_squares(), variance * 5, 1e-13);
}

TEST(Basis, RefusesADependentColumn) {
  growth::Basis basis(std::vector<double>{1, 2, 4});
  EXPECT_TRUE(basis.add(std::vector<double>{1, 1, 1}));
  EXPECT_FALSE(basis.add(std::vector<double>{3, 3, 3}));
  EXPECT_EQ(basis.size(), 1u);
  EXPECT_NEAR(basis.coefficients()[0], 7.0 / 3, 1e-15);
}

// The evidence is an integral over the coefficient and the noise. Here it is computed by brute force for a
// single column of ones.
TEST(Evidence, IsTheIntegralOverCoefficientAndNoise) {
  const std::vector<double> y{0.98, 1.01, 1.03, 0.99};
  GrowthOptions options;
  options.expected_relative_noise = 0.02;
  options.expected_noise_weight = 1;
  const auto integral = [&](double shift) {  // for data shifted by `shift`: a worse fit of a worse column
    double total = 0;
    for (double log_sigma = -8; log_sigma < 0; log_sigma += 0.02) {
      const double sigma = std::exp(log_sigma);
      // Scaled inverse chi-square density of sigma^2 with one degree: times d(sigma^2) = 2 sigma^2 d(log
      // sigma).
      const double prior = std::pow(sigma, -3) * std::exp(-0.5 * 4e-4 / (sigma * sigma)) * 2 * sigma * sigma;
      double over_coefficient = 0;
      for (double z = -8; z < 8; z += 0.05) {
        const double c = 1.0025 + z * sigma / 2;
        double log_density = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
          const double r = y[i] + (i % 2 ? shift : -shift) - c;
          log_density -= 0.5 * r * r / (sigma * sigma) + std::log(sigma);
        }
        over_coefficient += std::exp(log_density) * 0.05 * sigma / 2;
      }
      total += prior * over_coefficient * 0.02;
    }
    return std::log(total);
  };
  const auto closed = [&](double shift) {
    std::vector<double> target = y;
    for (std::size_t i = 0; i < y.size(); ++i) target[i] += i % 2 ? shift : -shift;
    growth::Basis basis(target);
    basis.add(std::vector<double>{1, 1, 1, 1});
    return growth::Evidence(4, options)(1, basis.residual_squares(), basis.log_determinant());
  };
  EXPECT_NEAR(closed(0) - closed(0.1), integral(0) - integral(0.1), 1e-3);
}

TEST(Growth, TheBoundOfAnEvidenceIsAboveItAndNear) {
  for (double x = 1e-20; x < 1e20; x *= 1.37) {
    EXPECT_LE(growth::log_from_below(x), std::log(x));
    EXPECT_GT(growth::log_from_below(x), std::log(x) - 0.06);
  }
  EXPECT_DOUBLE_EQ(growth::log_from_below(8), std::log(8));  // the bound is exact for integer powers of two
  GrowthOptions options;
  const growth::Evidence evidence(40, options);
  for (const std::size_t columns : {1u, 4u})
    for (double squares = 1e-12; squares < 1e6; squares *= 3) {
      const double exact = evidence(columns, squares, 2.5);
      EXPECT_GE(evidence.at_most(columns, squares, 2.5), exact);
      EXPECT_LT(evidence.at_most(columns, squares, 2.5), exact + 0.03 * 40.5);
      EXPECT_GE(evidence.most_squares(columns, 2.5, exact), squares);
      EXPECT_LE(evidence.most_squares(columns, 2.5, exact), squares * (1 + 1e-6) + 1e-9);
    }
}

TEST(Growth, FitsTheMeanAndNotTheSmallValues) {
  // A constant with large noise. The fit is the mean; least squares relative to the observed values would
  // give sum(1/y) / sum(1/y^2) = 1.2.
  const auto model = fit_growth({{}, {{}, {}}, {1, 3}, {}});
  ASSERT_TRUE(model);
  EXPECT_NEAR(model->hypotheses[0].terms[0].coefficient, 2, 1e-12);
}

TEST(Growth, EvidenceIsForTheArgumentThatExplains) {
  GrowthData right{{"x"}, {{1}, {2}, {3}, {4}, {5}, {6}}, {1.01, 1.99, 3.02, 3.98, 5.01, 5.99}, {}};
  GrowthData wrong = right;
  wrong.points = {{3}, {1}, {2}, {6}, {4}, {5}};
  const auto a = fit_growth(right), b = fit_growth(wrong);
  ASSERT_TRUE(a && b);
  EXPECT_GT(a->log_evidence, b->log_evidence + 5);
}

TEST(Growth, TermsStayWithinTheirDegree) {
  // x is already a square: at most x^1.5, times y^3 if y does not count, or x y if it does.
  GrowthData data{{"x", "y"}, {}, {}, {}};
  for (const double x : {1., 2., 3., 4.})
    for (const double y : {1., 2., 3.}) {
      data.points.push_back({x, y});
      data.values.push_back(std::pow(x, 3) * std::pow(y, 3));
    }
  GrowthOptions options;
  for (const double degree_of_y : {0., 1.}) {
    options.degrees = {2, degree_of_y};
    const auto model = fit_growth(data, options);
    ASSERT_TRUE(model);
    for (const auto& h : model->hypotheses)
      for (const auto& term : h.terms)
        EXPECT_LE(2 * std::max(0.0, term.exponents[0]) + degree_of_y * std::max(0.0, term.exponents[1]),
                  3 + 1e-9);
  }
  options.degrees.clear();
  const auto free = fit_growth(data, options);
  ASSERT_TRUE(free);
  EXPECT_EQ(free->hypotheses[0].terms.back().exponents, (std::vector<double>{3, 3}));
}

TEST(Growth, TermsFallNoFasterThanTheInverseOfASize) {
  // x = n^3 and y = n / 10 of one size n, and a number z that is no size: n^-4 is excluded, z^-1 is allowed.
  GrowthData data{{"x", "y", "z"}, {}, {}, {}};
  for (const double n : {10., 15., 22., 33., 50.})
    for (const double z : {1., 2., 3.}) {
      data.points.push_back({n * n * n, n / 10, z});
      data.values.push_back(1e4 * std::pow(n, -4) / z);
    }
  GrowthOptions options;
  options.exponents = {{-1, 0, 1}, {-1, 0, 1}, {-1, 0, 1}};
  const auto free = fit_growth(data, options);
  ASSERT_TRUE(free);
  EXPECT_EQ(free->hypotheses[0].terms.back().exponents, (std::vector<double>{-1, -1, -1}));
  options.size_degrees = {3, 1, 0};
  const auto bound = fit_growth(data, options);
  ASSERT_TRUE(bound);
  bool falls_with_size = false, falls_with_number = false;
  for (const auto& h : bound->hypotheses)
    for (const auto& term : h.terms) {
      const double of_size = 3 * term.exponents[0] + term.exponents[1];
      EXPECT_GE(of_size, -1 - 1e-9);
      falls_with_size |= of_size == -1, falls_with_number |= term.exponents[2] == -1;
    }
  EXPECT_TRUE(falls_with_size && falls_with_number);
}

TEST(Validation, OfAConstantByHand) {
  GrowthData data{{"n"}, {{1}, {1}, {1}, {1}}, {1, 1, 1, 2}, {}};
  const auto model = fit_growth(data);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->hypotheses.size(), 1u);
  // Every observation has the same expected value, so the fit to the rest is its mean: 4 / 3 when a 1 is left
  // out, 1 when the 2 is left out.
  const double one = 4. / 3 - 1;
  EXPECT_NEAR(model->hypotheses[0].validation_error, std::sqrt((3 * one * one + 0.25) / 4), 1e-14);
}

// Half of n, rounded down, beside n: whether two columns depend on each other is a matter of rounding, and so
// of their order.
TEST(Growth, ColumnsThatNearlyDependAreNoHypothesisWithFewerTerms) {
  GrowthData data;
  data.arguments = {"floor(n/px)", "n"};
  for (const auto& [half, n, error] : {std::tuple{48., 96., .003},
                                       {48., 96., .003},
                                       {48., 96., .003},
                                       {72., 145., .003},
                                       {72., 145., .003},
                                       {100., 201., .003},
                                       {48., 96., .153},
                                       {72., 145., .153},
                                       {100., 201., .153}}) {
    data.points.push_back({half, n});
    data.values.push_back(1.0000000000000002e-06);
    data.relative_errors.push_back(error);
  }
  GrowthOptions options;
  options.degrees = options.size_degrees = {1, 1};
  options.expected_relative_noise = 0.093322;
  options.expected_noise_weight = 2;
  const auto model = fit_growth(data, options);
  ASSERT_TRUE(model) << to_string(model.error());
  for (const GrowthHypothesis& h : model->hypotheses) {
    if (!h.fitted_exponents) EXPECT_EQ(h.factor.rows, h.terms.size());
    EXPECT_NEAR(evaluate(h, std::vector<double>{72, 145}), 1e-6, 1e-8);
  }
}

TEST(Growth, ALargeRelativeErrorIsNotAnExponent) {
  EXPECT_EQ(error_of_logarithm(0.03), 0.03);
  EXPECT_EQ(error_of_logarithm(0.5), 0.5);
  EXPECT_NEAR(error_of_logarithm(99.5), 0.5 + std::log(100), 1e-12);
}

// At p = 1 log2(p) vanishes, so the sum there is its small constant, with a relative error of 100 and more.
// That is no reason for a bound of 1e19.
TEST(Growth, AtOneProcessALogarithmBoundsNothing) {
  GrowthModel model;
  model.arguments = {"p"};
  model.ranges = {{2, 8, 3}};
  GrowthHypothesis h{.terms = {{1e-6, {0}, {0}}, {1, {0}, {1}}}, .weight = 1};
  h.factor = Matrix(2, 2);
  h.factor(0, 0) = 1e-2, h.factor(1, 1) = 0.1;
  h.relative_noise = 0.01, h.degrees_of_freedom = 4;
  model.hypotheses = {h};
  const GrowthPrediction at = model.predict(std::vector<double>{1}, 0.9);
  EXPECT_NEAR(at.value, 1e-6, 1e-9);
  EXPECT_LT(at.high, 1);
  EXPECT_GT(at.low, 0);
}

TEST(Growth, AnExtentBelowZeroHoldsNothing) {
  const GrowthTerm root{2, {0.5}, {0}};
  EXPECT_EQ(shape_value(root, std::vector<double>{-3}), 0);
  EXPECT_EQ(shape_value(root, std::vector<double>{9}), 3);
}

}  // namespace
}  // namespace parcast::statistics
