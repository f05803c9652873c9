// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/reference_data.h"

namespace parcast::statistics {
namespace {

// Correct decimal digits: -log10 of the relative error, at most 15.
double correct_digits(double found, double certified) {
  if (found == certified) return 15;
  return std::min(15.0,
                  -std::log10(std::abs(found - certified) / (certified == 0 ? 1 : std::abs(certified))));
}

double fewest_digits(const std::vector<double>& found, const std::vector<double>& certified) {
  double digits = 15;
  for (std::size_t i = 0; i < certified.size(); ++i)
    digits = std::min(digits, correct_digits(found[i], certified[i]));
  return digits;
}

class Certified : public testing::TestWithParam<reference::DataSet> {};

TEST_P(Certified, DigitsOfCoefficientsAndErrors) {
  const reference::DataSet& set = GetParam();
  const auto fit = fit_least_squares(set.design, set.response);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, set.design.columns);
  const double digits = fewest_digits(fit->coefficients, set.coefficients);
  EXPECT_GE(digits, set.digits);
  RecordProperty("digits", std::to_string(digits));
  if (set.residual_standard_error == 0) {
    EXPECT_LT(fit->residual_standard_error,
              1e-8 * *std::max_element(set.response.begin(), set.response.end()));
    return;
  }
  EXPECT_GE(fewest_digits(fit->standard_errors, set.standard_errors), set.error_digits);
  EXPECT_GE(correct_digits(fit->residual_standard_error, set.residual_standard_error), set.error_digits);
}

INSTANTIATE_TEST_SUITE_P(Nist, Certified, testing::ValuesIn(reference::all()),
                         [](const auto& instance) { return instance.param.name; });

Matrix permuted(const Matrix& a, const std::vector<std::size_t>& rows,
                const std::vector<std::size_t>& columns) {
  Matrix out(a.rows, a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) out(i, j) = a(rows[i], columns[j]);
  return out;
}

std::vector<std::size_t> shuffled(std::size_t n, std::size_t stride) {  // stride prime to n
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = (i * stride + 1) % n;
  return order;
}

TEST(LeastSquares, PermutedRowsAndColumnsGiveTheSameCoefficients) {
  for (const auto& set : {reference::longley(), reference::pontius(), reference::wampler(4)}) {
    const auto rows = shuffled(set.design.rows, set.design.rows == 21 ? 5 : 7);
    const auto columns = shuffled(set.design.columns, 2 + (set.design.columns == 6 ? 3 : 0));
    std::vector<double> response;
    for (const std::size_t i : rows) response.push_back(set.response[i]);
    const auto plain = fit_least_squares(set.design, set.response);
    const auto mixed = fit_least_squares(permuted(set.design, rows, columns), response);
    ASSERT_TRUE(plain && mixed);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      EXPECT_NEAR(mixed->coefficients[j] / plain->coefficients[columns[j]], 1, 1e-10) << set.name;
      EXPECT_NEAR(mixed->standard_errors[j] / plain->standard_errors[columns[j]], 1, 1e-10) << set.name;
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_NEAR(mixed->leverage[i], plain->leverage[rows[i]], 1e-10) << set.name;
  }
}

// A typical cost regression: operations, messages and bytes of runs of several sizes.
struct CostRuns {
  Matrix design{8, 3};
  std::vector<double> seconds;
};

CostRuns cost_runs() {
  CostRuns runs;
  for (std::size_t i = 0; i < 8; ++i) {
    const double n = 100.0 * static_cast<double>(i + 1);
    runs.design(i, 0) = 2 * n * n * n / (i % 2 ? 2 : 1);
    runs.design(i, 1) = 10 + n / 4 * static_cast<double>(i % 3);
    runs.design(i, 2) = 8 * n * n;
    runs.seconds.push_back(1e-9 * runs.design(i, 0) + 2e-6 * runs.design(i, 1) + 3e-10 * runs.design(i, 2) +
                           1e-3 * std::sin(static_cast<double>(7 * i)));
  }
  return runs;
}

TEST(LeastSquares, OtherUnitsGiveTheSameFit) {
  const CostRuns runs = cost_runs();
  const auto plain = fit_least_squares(runs.design, runs.seconds);
  const std::vector<double> units{1e-9, 1e6, 0.001 / 1024};
  Matrix scaled = runs.design;
  for (std::size_t i = 0; i < scaled.rows; ++i)
    for (std::size_t j = 0; j < scaled.columns; ++j) scaled(i, j) *= units[j];
  std::vector<double> microseconds = runs.seconds;
  for (double& y : microseconds) y *= 1e6;
  const auto other = fit_least_squares(scaled, microseconds);
  ASSERT_TRUE(plain && other);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(other->coefficients[j] * units[j] / 1e6 / plain->coefficients[j], 1, 1e-12);
    EXPECT_NEAR(other->standard_errors[j] * units[j] / 1e6 / plain->standard_errors[j], 1, 1e-12);
  }
  EXPECT_NEAR(other->condition / plain->condition, 1, 1e-12);
}

TEST(LeastSquares, ALineByHand) {
  // x = 0 1 2 3, y = 1 3 4 6: slope 8/5, intercept 11/10, squared residuals 1/5 over 2 degrees of freedom.
  const std::vector<double> y{1, 3, 4, 6};
  const auto fit = fit_least_squares(reference::powers({0, 1, 2, 3}, 1), y);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0], 1.1, 1e-14);
  EXPECT_NEAR(fit->coefficients[1], 1.6, 1e-14);
  EXPECT_NEAR(fit->residual_standard_error, std::sqrt(0.1), 1e-14);
  EXPECT_NEAR(fit->covariance(1, 1), 0.1 / 5, 1e-14);
  EXPECT_NEAR(fit->covariance(0, 1), -0.1 * 1.5 / 5, 1e-14);
  EXPECT_NEAR(fit->leverage[0], 0.7, 1e-14);  // 1/4 + 1.5^2/5
  EXPECT_EQ(fit->degrees_of_freedom, 2u);
  EXPECT_TRUE(fit->high_leverage.empty());
  const auto mean = mean_interval(*fit, std::vector<double>{1, 4}, 0.9);
  const auto next = observation_interval(*fit, std::vector<double>{1, 4}, 0.9);
  ASSERT_TRUE(mean && next);
  const double t = student_t_quantile(0.95, 2);
  EXPECT_NEAR(mean->value, 7.5, 1e-13);
  EXPECT_NEAR(mean->high - mean->value, t * std::sqrt(0.1 * 1.5), 1e-13);  // 1/4 + 2.5^2/5
  EXPECT_NEAR(next->value - next->low, t * std::sqrt(0.1 * 2.5), 1e-13);
}

TEST(LeastSquares, AWeightOfTwoIsTheRowTwice) {
  const Matrix once = reference::powers({1, 2, 4, 7}, 1);
  const Matrix twice = reference::powers({1, 2, 2, 4, 7}, 1);
  LeastSquaresOptions weights;
  weights.weights = {1, 2, 1, 1};
  const auto a = fit_least_squares(once, std::vector<double>{1, 5, 6, 9}, weights);
  const auto b = fit_least_squares(twice, std::vector<double>{1, 5, 5, 6, 9});
  ASSERT_TRUE(a && b);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(a->coefficients[j], b->coefficients[j], 1e-13);
  EXPECT_NEAR(a->leverage[1], 2 * b->leverage[1], 1e-13);
}

TEST(LeastSquares, ARowOfWeightZeroCountsForNothing) {
  LeastSquaresOptions weights;
  weights.weights = {1, 1, 0, 1};
  const auto fit =
      fit_least_squares(reference::powers({1, 2, 3, 4}, 1), std::vector<double>{1, 2, 99, 4.3}, weights);
  const auto without = fit_least_squares(reference::powers({1, 2, 4}, 1), std::vector<double>{1, 2, 4.3});
  ASSERT_TRUE(fit && without);
  EXPECT_EQ(fit->degrees_of_freedom, 1u);
  EXPECT_NEAR(fit->coefficients[1], without->coefficients[1], 1e-14);
  EXPECT_EQ(fit->leverage[2], 0);
  EXPECT_NEAR(fit->residuals[2], 99 - fit->coefficients[0] - 3 * fit->coefficients[1], 1e-12);
}

TEST(LeastSquares, ResidualsAreOrthogonalToTheDesign) {
  const auto set = reference::longley();
  const auto fit = fit_least_squares(set.design, set.response);
  ASSERT_TRUE(fit);
  for (std::size_t j = 0; j < set.design.columns; ++j) {
    double product = 0;
    double size = 0;
    for (std::size_t i = 0; i < set.design.rows; ++i) {
      product += set.design(i, j) * fit->residuals[i];
      size += std::abs(set.design(i, j) * fit->residuals[i]);
    }
    EXPECT_LT(std::abs(product), 1e-12 * size);
  }
  EXPECT_NEAR(std::accumulate(fit->leverage.begin(), fit->leverage.end(), 0.0), 7, 1e-12);
}

// Columns 1 and 2 always occur as 2 : 1; column 3 is free.
Matrix aliased_design() {
  Matrix design(6, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    design(i, 0) = 2.0 * static_cast<double>(i + 1);
    design(i, 1) = static_cast<double>(i + 1);
    design(i, 2) = static_cast<double>((i * i) % 5);
  }
  return design;
}

TEST(LeastSquares, NamesAliasedColumnsAndPredictsInsideTheRowSpaceOnly) {
  const Matrix design = aliased_design();
  std::vector<double> y;
  for (std::size_t i = 0; i < 6; ++i) y.push_back(3 * design(i, 0) + 5 * design(i, 2));
  const auto fit = fit_least_squares(design, y);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 2u);
  EXPECT_EQ(fit->aliased, (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(fit->aliases.size(), 1u);
  const Alias& alias = fit->aliases[0];
  ASSERT_EQ(alias.columns.size(), 1u);
  EXPECT_NEAR(alias.factors[0], alias.column == 0 ? 2 : 0.5, 1e-13);
  EXPECT_TRUE(std::isnan(fit->standard_errors[0]) && std::isnan(fit->standard_errors[1]));
  EXPECT_NEAR(fit->coefficients[2], 5, 1e-12);
  const auto inside = predict(*fit, std::vector<double>{20, 10, 3});
  ASSERT_TRUE(inside);
  EXPECT_NEAR(*inside, 75, 1e-11);
  EXPECT_TRUE(mean_interval(*fit, std::vector<double>{20, 10, 3}, 0.9));
  const auto outside = predict(*fit, std::vector<double>{20, 11, 3});
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().hint.find("independently"), std::string::npos);
  EXPECT_FALSE(observation_interval(*fit, std::vector<double>{0, 1, 0}, 0.9));
}

TEST(LeastSquares, AColumnOfZerosIsNotIdentified) {
  Matrix design = reference::powers({1, 2, 3, 4}, 2);
  for (std::size_t i = 0; i < 4; ++i) design(i, 2) = 0;
  const auto fit = fit_least_squares(design, std::vector<double>{1, 2, 3, 5});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->rank, 2u);
  EXPECT_EQ(fit->aliased, (std::vector<std::size_t>{2}));
  EXPECT_FALSE(predict(*fit, std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(predict(*fit, std::vector<double>{1, 1, 0}));
}

TEST(LeastSquares, RefusesTooFewPoints) {
  const auto fit = fit_least_squares(reference::powers({1, 2}, 1), std::vector<double>{1, 2});
  ASSERT_FALSE(fit);
  EXPECT_NE(fit.error().what.find("2 observations are too few for 2 coefficients"), std::string::npos);
}

TEST(LeastSquares, RefusesBadInputAndSaysWhere) {
  const Matrix design = reference::powers({1, 2, 3}, 1);
  EXPECT_FALSE(fit_least_squares(design, std::vector<double>{1, 2}));
  EXPECT_EQ(fit_least_squares(design, std::vector<double>{1, INFINITY, 3}).error().where, "row 2");
  LeastSquaresOptions options;
  options.weights = {1, -1, 1};
  EXPECT_EQ(fit_least_squares(design, std::vector<double>{1, 2, 3}, options).error().where, "row 2");
}

TEST(LeastSquares, FlagsARowThatTheFitMustFollow) {
  const auto fit =
      fit_least_squares(reference::powers({1, 2, 3, 1000}, 1), std::vector<double>{1, 2, 2, 700});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->high_leverage, (std::vector<std::size_t>{3}));
}

// Tries all supports: the best one with a nonnegative free solution is the bounded optimum.
std::vector<double> nonnegative_by_enumeration(const Matrix& design, const std::vector<double>& y) {
  std::vector<double> best(design.columns, 0.0);
  double smallest = std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
  for (unsigned set = 1; set < (1u << design.columns); ++set) {
    std::vector<std::size_t> kept;
    for (std::size_t j = 0; j < design.columns; ++j)
      if (set >> j & 1u) kept.push_back(j);
    Matrix part(design.rows, kept.size());
    for (std::size_t i = 0; i < design.rows; ++i)
      for (std::size_t k = 0; k < kept.size(); ++k) part(i, k) = design(i, kept[k]);
    const auto fit = fit_least_squares(part, y);
    if (!fit || *std::min_element(fit->coefficients.begin(), fit->coefficients.end()) < 0) continue;
    double squares = 0;
    for (const double r : fit->residuals) squares += r * r;
    if (squares >= smallest) continue;
    smallest = squares;
    best.assign(design.columns, 0.0);
    for (std::size_t k = 0; k < kept.size(); ++k) best[kept[k]] = fit->coefficients[k];
  }
  return best;
}

TEST(Nonnegative, AgreesWithTryingEverySupport) {
  unsigned long long state = 12345;
  const auto next = [&] {  // a small linear congruential sequence, -1 .. 1
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11) / 9007199254740992.0 * 2 - 1;
  };
  int bound_cases = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Matrix design(9, 5);
    for (double& v : design.values) v = next();
    std::vector<double> y(9);
    for (double& v : y) v = next();
    const auto oracle = nonnegative_by_enumeration(design, y);
    const auto fit = fit_nonnegative(design, y);
    if (!fit) {
      EXPECT_EQ(*std::max_element(oracle.begin(), oracle.end()), 0);
      continue;
    }
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(fit->coefficients[j], oracle[j], 1e-11);
    for (const std::size_t j : fit->bound) EXPECT_EQ(fit->coefficients[j], 0);
    bound_cases += !fit->bound.empty();
  }
  EXPECT_GT(bound_cases, 100);
}

TEST(Nonnegative, SaysWhichCostsItBoundToZero) {
  Matrix design(5, 2);
  std::vector<double> y;
  for (std::size_t i = 0; i < 5; ++i) {
    design(i, 0) = static_cast<double>(i + 1);
    design(i, 1) = static_cast<double>((i * 3) % 4);
    y.push_back(2 * design(i, 0) - 0.5 * design(i, 1));
  }
  const auto fit = fit_nonnegative(design, y);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->bound, (std::vector<std::size_t>{1}));
  EXPECT_EQ(fit->coefficients[1], 0);
  EXPECT_EQ(fit->standard_errors[1], 0);
  EXPECT_EQ(fit->degrees_of_freedom, 4u);
}

TEST(Nonnegative, IsTheFreeFitWhereThatIsNonnegative) {
  const auto set = reference::no_intercept_1();
  const auto fit = fit_nonnegative(set.design, set.response);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->bound.empty());
  EXPECT_GE(correct_digits(fit->coefficients[0], set.coefficients[0]), 14);
}

TEST(Nonnegative, RefusesAResponseThatNoColumnExplains) {
  EXPECT_FALSE(fit_nonnegative(reference::column({1, 2, 3}), std::vector<double>{-1, -2, -3.1}));
}

}  // namespace
}  // namespace parcast::statistics
