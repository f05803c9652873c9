// SPDX-License-Identifier: Apache-2.0
#include "statistics/grouped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "statistics/distribution.h"
#include "statistics/grouped_component.h"
#include "statistics/random.h"
#include "statistics/reference_data.h"
#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

// Dense matrices with the inverse by Gauss and Jordan: the slow reference for the fast implementation.
using Dense = std::vector<std::vector<double>>;

Dense zeros(std::size_t rows, std::size_t columns) {
  return Dense(rows, std::vector<double>(columns, 0.0));
}

Dense product(const Dense& a, const Dense& b) {
  Dense out = zeros(a.size(), b[0].size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < b.size(); ++k)
      for (std::size_t j = 0; j < b[0].size(); ++j) out[i][j] += a[i][k] * b[k][j];
  return out;
}

Dense transposed(const Dense& a) {
  Dense out = zeros(a[0].size(), a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[0].size(); ++j) out[j][i] = a[i][j];
  return out;
}

struct Inverse {
  Dense matrix;
  double log_determinant = 0;
};

Inverse inverse(Dense a) {
  const std::size_t n = a.size();
  Inverse out{zeros(n, n), 0};
  for (std::size_t i = 0; i < n; ++i) out.matrix[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]), std::swap(out.matrix[k], out.matrix[pivot]);
    out.log_determinant += std::log(std::abs(a[k][k]));
    const double first = a[k][k];
    for (std::size_t j = 0; j < n; ++j) a[k][j] /= first, out.matrix[k][j] /= first;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j)
        a[i][j] -= factor * a[k][j], out.matrix[i][j] -= factor * out.matrix[k][j];
    }
  }
  return out;
}

GroupedData eight_runs() {
  GroupedData data;
  data.design = Matrix(8, 2);
  const std::vector<double> x{1, 9, 2, 7, 4, 6, 8, 5, 16, 3, 3, 9, 5, 12, 12, 2};
  data.design.values = x;
  data.response = {21, 19.5, 20, 29, 41, 14, 33, 29.5};
  data.groups = {0, 0, 0, 1, 1, 2, 2, 2};
  return data;
}

struct Slow {
  Dense coefficients, covariance;  // over sigma^2
  double squares = 0, log_likelihood = 0;
  Dense variance_inverse, residuals;
};

Slow slow_fit(const GroupedData& data, const std::vector<double>& means, double typical,
              const Spreads& spreads) {
  const std::size_t n = data.response.size();
  Dense v = zeros(n, n), x = zeros(n, data.design.columns), y = zeros(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    y[i][0] = data.response[i];
    for (std::size_t j = 0; j < data.design.columns; ++j) x[i][j] = data.design(i, j);
    const double level = spreads.level;
    v[i][i] = (means[i] * means[i] + level * level) / (1 + level * level / (typical * typical));
    for (std::size_t k = 0; k < n; ++k)
      if (data.groups[i] == data.groups[k])
        v[i][k] += spreads.between * spreads.between * means[i] * means[k];
  }
  Slow out;
  const Inverse whole = inverse(v);
  out.variance_inverse = whole.matrix;
  const Dense left = product(transposed(x), whole.matrix);
  const Inverse information = inverse(product(left, x));
  out.covariance = information.matrix;
  out.coefficients = product(information.matrix, product(left, y));
  out.residuals = y;
  const Dense fitted = product(x, out.coefficients);
  for (std::size_t i = 0; i < n; ++i) out.residuals[i][0] -= fitted[i][0];
  out.squares = product(transposed(out.residuals), product(whole.matrix, out.residuals))[0][0];
  const auto degrees = static_cast<double>(n - data.design.columns);
  out.log_likelihood = -0.5 * whole.log_determinant + 0.5 * information.log_determinant * -1 -
                       0.5 * degrees * std::log(out.squares);
  return out;
}

const std::vector<double> kMeans{20, 20, 19, 30, 40, 15, 30, 30};

class AtSpreads : public testing::TestWithParam<Spreads> {};

TEST_P(AtSpreads, IsGeneralisedLeastSquaresOfTheWholeMatrix) {
  const GroupedData data = eight_runs();
  const auto fast = fit_at(data, kMeans, kMeans, 25, GetParam());
  ASSERT_TRUE(fast);
  const Slow slow = slow_fit(data, kMeans, 25, GetParam());
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(fast->fit.coefficients[j], slow.coefficients[j][0], 1e-12);
  const double variance = slow.squares / 6;
  EXPECT_NEAR(fast->fit.residual_standard_error, std::sqrt(variance), 1e-12);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(fast->fit.covariance(i, j), variance * slow.covariance[i][j], 1e-13);
  const Spreads other{0, 0};
  const auto base = fit_at(data, kMeans, kMeans, 25, other);
  ASSERT_TRUE(base);
  EXPECT_NEAR(fast->log_likelihood - base->log_likelihood,
              slow.log_likelihood - slow_fit(data, kMeans, 25, other).log_likelihood, 1e-11);
}

// A new time of group 1 with mean 10, by the joint distribution of it and the rows (universal kriging).
TEST_P(AtSpreads, AnotherTimeOfAGroupIsTheConditionalOne) {
  const GroupedData data = eight_runs();
  const auto fast = fit_at(data, kMeans, kMeans, 25, GetParam());
  ASSERT_TRUE(fast);
  const Slow slow = slow_fit(data, kMeans, 25, GetParam());
  const double mean = 10, square = GetParam().between * GetParam().between;
  const std::vector<double> row{3, 1.5};
  Dense related = zeros(8, 1), x = zeros(8, 2);
  for (std::size_t i = 0; i < 8; ++i) {
    x[i] = {data.design(i, 0), data.design(i, 1)};
    if (data.groups[i] == 1) related[i][0] = square * mean * kMeans[i];
  }
  const Dense weights = product(slow.variance_inverse, related);
  const double shift = product(transposed(weights), slow.residuals)[0][0];
  EXPECT_NEAR(mean * fast->effect[1], shift, 1e-12);
  EXPECT_NEAR(mean * mean * fast->effect_variance[1],
              square * mean * mean - product(transposed(related), weights)[0][0], 1e-7);
  Dense direction = product(transposed(x), weights);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_NEAR(mean * fast->effect_of_columns[1][j], direction[j][0], 1e-11) << row[j];
}

INSTANTIATE_TEST_SUITE_P(Several, AtSpreads,
                         testing::Values(Spreads{0, 0}, Spreads{0, 3}, Spreads{20, 0.5}, Spreads{5, 40}),
                         [](const auto& instance) { return "Case" + std::to_string(instance.index); });

// Balanced groups about one mean. Restricted maximum likelihood then equals the analysis of variance (Searle,
// Casella, McCulloch 1992): the ratio of variances is (MSB / MSW - 1) / r, and the variance of the mean MSB /
// n.
TEST(Grouped, BalancedGroupsGiveTheAnalysisOfVariance) {
  GroupedData data;
  data.response = {10.2, 9.9, 10.4, 11.3, 11.0, 11.6, 9.2, 9.5, 9.1, 10.6, 10.9, 10.4};
  data.design = Matrix(12, 1);
  std::ranges::fill(data.design.values, 1.0);
  for (std::size_t i = 0; i < 12; ++i) data.groups.push_back(i / 3);
  const double grand = std::accumulate(data.response.begin(), data.response.end(), 0.0) / 12;
  double within = 0, between = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    const double mean = (data.response[3 * g] + data.response[3 * g + 1] + data.response[3 * g + 2]) / 3;
    between += 3 * (mean - grand) * (mean - grand) / 3;
    for (std::size_t i = 0; i < 3; ++i) within += std::pow(data.response[3 * g + i] - mean, 2) / 8;
  }
  const std::vector<double> means(12, 1.0);
  const double ratio = std::sqrt((between / within - 1) / 3);
  const auto best = fit_at(data, means, means, 1, {0, ratio});
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->fit.coefficients[0], grand, 1e-13);
  EXPECT_NEAR(best->fit.standard_errors[0], std::sqrt(between / 12), 1e-13);
  EXPECT_NEAR(best->fit.residual_standard_error, std::sqrt(within), 1e-13);
  for (const double other : {0.97 * ratio, 1.03 * ratio})
    EXPECT_LT(fit_at(data, means, means, 1, {0, other})->log_likelihood, best->log_likelihood);
}

TEST(Grouped, PlainFitsHaveTheCertifiedCoefficientsAndErrors) {
  for (const auto& set : {reference::longley(), reference::norris()}) {
    GroupedData data{set.design, set.response, {}};
    for (std::size_t i = 0; i < set.response.size(); ++i) data.groups.push_back(i % 3);
    const auto fit = fit_grouped(data, {.plain = true});
    ASSERT_TRUE(fit) << set.name;
    for (std::size_t j = 0; j < set.coefficients.size(); ++j) {
      EXPECT_NEAR(fit->coefficients[j] / set.coefficients[j], 1, 1e-10) << set.name;
      EXPECT_NEAR(fit->standard_errors[j] / set.standard_errors[j], 1, 1e-9) << set.name;
    }
    EXPECT_NEAR(fit->noise_constant / set.residual_standard_error, 1, 1e-9) << set.name;
  }
}

// x = 1 2 3 4, y = 3 5 4 8 through the origin: b = 57 / 30, residuals 1.1 1.2 -1.7 0.4, s^2 = 5.7 / 3 = 1.9.
TEST(Grouped, PlainIntervalsAreStudentsByHand) {
  GroupedData data{Matrix(4, 1), {3, 5, 4, 8}, {0, 0, 1, 1}};
  data.design.values = {1, 2, 3, 4};
  const auto fit = fit_grouped(data, {.plain = true});
  ASSERT_TRUE(fit);
  const double t = 2.353363434801823;  // 95 % point for 3 degrees of freedom
  const std::vector<double> five{5};
  const auto mean = fit->mean(five, 0.9), fresh = fit->new_group(five, 0.9),
             same = fit->same_group(five, 1, 0.9);
  ASSERT_TRUE(mean && fresh && same);
  EXPECT_NEAR(mean->value, 9.5, 1e-13);
  EXPECT_NEAR(mean->high - mean->value, t * std::sqrt(1.9 * 25 / 30), 1e-12);
  EXPECT_NEAR(fresh->high - fresh->value, t * std::sqrt(1.9 * (1 + 25.0 / 30)), 1e-12);
  EXPECT_NEAR(same->value - same->low, fresh->value - fresh->low, 1e-12);
  EXPECT_NEAR(fit->leverage[3], 16.0 / 30, 1e-14);
  EXPECT_NEAR(fit->standardized[2], -1.7 / std::sqrt(1.9 * (1 - 9.0 / 30)), 1e-13);
  EXPECT_NEAR(fit->cooks_distance[0], 1.1 * 1.1 / 1.9 * (1.0 / 30) / std::pow(29.0 / 30, 2), 1e-13);
}

// Two costs, and programs that differ by a few percent, as their models do.
GroupedData generated(std::uint64_t seed, std::size_t programs, std::size_t runs, double between,
                      double noise) {
  Random random(seed);
  GroupedData data{Matrix(programs * runs, 2), {}, {}};
  for (std::size_t g = 0; g < programs; ++g) {
    const double effect = std::exp(between * random.normal()), mix = std::pow(10, 2 * random.uniform() - 1);
    for (std::size_t i = 0; i < runs; ++i) {
      const std::size_t row = g * runs + i;
      data.design(row, 0) = std::pow(10, 8 + 2 * random.uniform());
      data.design(row, 1) = mix * std::pow(10, 3 + 2 * random.uniform());
      const double mean = 1e-9 * data.design(row, 0) + 2e-5 * data.design(row, 1);
      data.response.push_back(mean * effect * (1 + noise * random.normal()));
      data.groups.push_back(g);
    }
  }
  return data;
}

TEST(Grouped, SpreadsOfManyProgramsAreFound) {
  const auto fit = fit_grouped(generated(3, 40, 8, 0.15, 0.03));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->between, 0.15, 0.04);
  EXPECT_NEAR(fit->noise_relative, 0.03, 0.005);
  EXPECT_NEAR(fit->coefficients[0], 1e-9, 4 * fit->standard_errors[0]);
  EXPECT_NEAR(fit->coefficients[1], 2e-5, 4 * fit->standard_errors[1]);
}

TEST(Grouped, AProgramThatIsKnownIsPredictedMoreSurelyThanANewOne) {
  const GroupedData data = generated(4, 5, 10, 0.2, 0.02);
  const auto fit = fit_grouped(data);
  ASSERT_TRUE(fit);
  const auto row = data.design.row(3);
  const auto same = fit->same_group(row, 0, 0.9), fresh = fit->new_group(row, 0.9),
             mean = fit->mean(row, 0.9);
  ASSERT_TRUE(same && fresh && mean);
  EXPECT_LT(3 * (same->high - same->low), fresh->high - fresh->low);
  EXPECT_LT(mean->high - mean->low, fresh->high - fresh->low);
  EXPECT_NEAR(same->value, data.response[3], 0.06 * data.response[3]);
}

TEST(Grouped, OtherUnitsGiveTheSameAnswer) {
  GroupedData data = generated(5, 4, 7, 0.1, 0.03);
  const auto seconds = fit_grouped(data);
  for (double& y : data.response) y *= 1e6;
  for (std::size_t i = 0; i < data.design.rows; ++i) data.design(i, 1) /= 1024;
  const auto other = fit_grouped(data);
  ASSERT_TRUE(seconds && other);
  EXPECT_NEAR(other->coefficients[0] / seconds->coefficients[0], 1e6, 1e-3);
  EXPECT_NEAR(other->coefficients[1] / seconds->coefficients[1], 1024e6, 1);
  EXPECT_NEAR(other->between / seconds->between, 1, 1e-9);
  EXPECT_NEAR(
      other->new_group(data.design.row(0), 0.9)->high /
          seconds->new_group(std::vector<double>{data.design(0, 0), 1024 * data.design(0, 1)}, 0.9)->high,
      1e6, 1e-3);
}

// Ten runs of two programs. Where the disturbed run determines a cost alone, the robust errors must be large;
// otherwise they hardly grow.
TEST(Grouped, OneOutlierOfAHundredTimesMovesRobustCostsByLessThanTwoErrors) {
  int wide = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GroupedData data = generated(seed, 2, 5, 0.03, 0.03);
    const auto clean = fit_grouped(data, {.robust = true});
    data.response[seed % 10] *= seed % 2 ? 100 : 0.01;
    const auto robust = fit_grouped(data, {.robust = true});
    ASSERT_TRUE(clean && robust);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_LT(std::abs(robust->coefficients[j] - clean->coefficients[j]), 2 * robust->standard_errors[j])
          << "seed " << seed << ", column " << j;
    wide += robust->standard_errors[0] > 2.5 * clean->standard_errors[0] ||
                    robust->standard_errors[1] > 2.5 * clean->standard_errors[1]
                ? 1
                : 0;
    EXPECT_TRUE(std::ranges::find(robust->outliers, seed % 10) != robust->outliers.end()) << seed;
  }
  EXPECT_LE(wide, 4);
}

// Noise of 20 ms and of 3 %. If short times were clipped without a constant part, no constant noise would be
// found.
TEST(Grouped, RobustFitsFindHowMuchOfTheNoiseIsConstant) {
  std::vector<double> found, between;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GroupedData data = generated(seed, 6, 10, 0.12, 0.03);
    Random random(seed + 100);
    for (double& y : data.response) y = std::max(y + 2e-2 * random.normal(), 0.2 * y);
    const auto robust = fit_grouped(data, {.robust = true});
    ASSERT_TRUE(robust);
    found.push_back(robust->noise_constant), between.push_back(robust->between);
  }
  EXPECT_GT(median(found), 1e-2);
  EXPECT_LT(median(found), 4e-2);
  EXPECT_NEAR(median(between), 0.12, 0.04);
}

TEST(Grouped, ANegativeCostIsHeldAtZeroWhereAsked) {
  GroupedData data{Matrix(6, 2), {}, {0, 0, 0, 1, 1, 1}};
  for (std::size_t i = 0; i < 6; ++i) {
    data.design(i, 0) = static_cast<double>(10 * (i + 1));
    data.design(i, 1) = static_cast<double>((i * 3) % 5);
    data.response.push_back(2 * data.design(i, 0) - 1.5 * data.design(i, 1) +
                            0.1 * static_cast<double>(i % 2));
  }
  const auto free = fit_grouped(data), held = fit_grouped(data, {.nonnegative = true});
  ASSERT_TRUE(free && held);
  EXPECT_LT(free->coefficients[1], 0);
  EXPECT_EQ(held->coefficients[1], 0);
  EXPECT_EQ(held->bound, (std::vector<std::size_t>{1}));
  EXPECT_GT(held->coefficients[0], 1.8);
}

TEST(Grouped, AColumnThatOthersReplaceIsNamedAndPredictedWhereItKeepsToThem) {
  GroupedData data = eight_runs();
  Matrix wider(8, 3);
  for (std::size_t i = 0; i < 8; ++i)
    wider(i, 0) = data.design(i, 0), wider(i, 1) = data.design(i, 1),
             wider(i, 2) = 2 * data.design(i, 0) + data.design(i, 1);
  data.design = wider;
  const auto fit = fit_grouped(data);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->aliased, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(fit->new_group(std::vector<double>{1, 1, 3}, 0.9));
  EXPECT_FALSE(fit->new_group(std::vector<double>{1, 1, 4}, 0.9));
}

TEST(Grouped, RefusesTimesThatAreNotPositiveAndTooFewRows) {
  GroupedData data = eight_runs();
  data.response[2] = 0;
  EXPECT_FALSE(fit_grouped(data));
  GroupedData two{Matrix(2, 2), {1, 2}, {0, 1}};
  two.design.values = {1, 2, 2, 1};
  EXPECT_FALSE(fit_grouped(two));
}

}  // namespace
}  // namespace parcast::statistics
