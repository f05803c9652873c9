// SPDX-License-Identifier: Apache-2.0
#include "fit/correlation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::fit {
namespace {

const Points kPoints{{1, 4}, {2, 4}, {8, 1}};

TEST(Correlation, DecaysWithTheDoublingsOfAllArguments) {
  const Correlation correlation(kPoints);
  EXPECT_DOUBLE_EQ(correlation(kRelations[1], kPoints[0], kPoints[1]), std::exp(-1 / kRelations[1].range));
  EXPECT_DOUBLE_EQ(correlation(kRelations[1], kPoints[0], kPoints[2]), std::exp(-5 / kRelations[1].range));
  const double a = std::sqrt(3.0) * 3 / kRelations[2].range, b = std::sqrt(3.0) * 2 / kRelations[2].range;
  EXPECT_NEAR(correlation(kRelations[2], kPoints[0], kPoints[2]), (1 + a) * (1 + b) * std::exp(-a - b),
              1e-15);
}

TEST(Correlation, AnArgumentThatCanBeZeroCountsFromItsSmallestPositiveValue) {
  const Points points{{0}, {4}, {12}};
  const Correlation correlation(points);
  EXPECT_DOUBLE_EQ(correlation(kRelations[1], points[0], points[1]),
                   std::exp(-1 / kRelations[1].range));  // 0 + 4 and 4 + 4
  EXPECT_DOUBLE_EQ(correlation(kRelations[1], points[0], points[2]),
                   std::exp(-2 / kRelations[1].range));  // 0 + 4 and 12 + 4
}

TEST(Correlation, WhiteningUndoesTheCovariance) {
  const auto correlation = correlations(kPoints, Correlation(kPoints), kRelations[1]);
  const std::vector<double> noise{1, 0.5, 2};
  const double share = 0.7;
  const Whitening whitening(correlation, noise, share);
  // L^-1 K L'^-1 is the identity matrix: whitening all columns, then all rows of the result.
  std::vector<std::vector<double>> rows(3, std::vector<double>(3));
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < 3; ++i)
      column.push_back(share * correlation[i * 3 + j] + (i == j ? (1 - share) * noise[i] : 0));
    whitening.apply(column);
    for (std::size_t i = 0; i < 3; ++i) rows[i][j] = column[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    whitening.apply(rows[i]);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(rows[i][j], i == j ? 1 : 0, 1e-12);
  }
}

TEST(Correlation, TheDeterminantIsThatOfTwoByTwo) {
  const Points points{{1}, {2}};
  const Whitening whitening(correlations(points, Correlation(points), kRelations[1]),
                            std::vector<double>{1, 1}, 0.5);
  const double off = 0.5 * std::exp(-1 / kRelations[1].range);
  EXPECT_NEAR(whitening.log_determinant(), 0.5 * std::log(1 - off * off), 1e-12);
}

TEST(Correlation, TheTransposedSolutionCompletesTheInverse) {
  const std::vector<double> noise{1, 1, 1};
  const auto correlation = correlations(kPoints, Correlation(kPoints), kRelations[2]);
  const Whitening whitening(correlation, noise, 0.7);
  const std::vector<double> wanted{3, -1, 2};
  std::vector<double> x(3, 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      x[i] += (0.7 * correlation[i * 3 + j] + (i == j ? 0.3 : 0)) * wanted[j];
  whitening.apply(x);
  whitening.apply_transposed(x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], wanted[i], 1e-12);
}

}  // namespace
}  // namespace parcast::fit
