// SPDX-License-Identifier: Apache-2.0
#include "symbolic/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>

#include "symbolic/random_expression.h"

namespace parcast::symbolic {
namespace {

const Expression n = symbol("n", SymbolKind::parameter);
const Expression m = symbol("m", SymbolKind::parameter);
const Expression p = symbol("p", SymbolKind::processes);
const Expression k = symbol("k", SymbolKind::loop_index);
const Expression j = symbol("j", SymbolKind::loop_index);

TEST(FlatProgram, EvaluatesColumns) {
  const auto program = FlatProgram::compile(std::array{n / p + 1, n * p, n}, std::array{n, p}).value();
  EXPECT_EQ(program.input_count(), 2u);
  EXPECT_EQ(program.output_count(), 3u);
  const std::array points{10.0, 20.0, 30.0, 4.0, 5.0, 6.0};
  std::array<double, 9> results{};
  program.evaluate(points, 3, results);
  EXPECT_THAT(results, testing::ElementsAre(3.5, 5, 6, 40, 100, 180, 10, 20, 30));
}

TEST(FlatProgram, ComputesCommonPartsOnce) {
  const Expression shared = ceil(n / p) * log2(p);
  const auto one = FlatProgram::compile(std::array{shared}, std::array{n, p}).value();
  const auto three =
      FlatProgram::compile(std::array{shared, shared + 1, 2 * shared}, std::array{n, p}).value();
  EXPECT_EQ(three.instruction_count(), one.instruction_count() + 2);
}

TEST(FlatProgram, AcrossTileEdgesAndForNoPoints) {
  const auto program = FlatProgram::compile(std::array{power(n, 3) - 2 * n}, std::array{n}).value();
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{127}, std::size_t{128},
                                  std::size_t{129}, std::size_t{1000}}) {
    std::vector<double> points(count), results(count, -1);
    for (std::size_t i = 0; i < count; ++i) points[i] = static_cast<double>(i);
    program.evaluate(points, count, results);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(results[i], points[i] * points[i] * points[i] - 2 * points[i]);
  }
}

TEST(FlatProgram, ValuesThatDoNotExistAreNotANumber) {
  const std::vector<Expression> outputs{1 / n,
                                        log2(n),
                                        power(n, Rational::of(1, 2)),
                                        modulo(m, n),
                                        min(1 / n, m),
                                        max(m, log2(n)),
                                        conditional(1 / n, m, m + 1),
                                        conditional(m, m, 1 / n),
                                        power(m, 1000),
                                        series(k, 1, m * 1'000'000'000, floor(n / k))};
  const auto program = FlatProgram::compile(outputs, std::array{n, m}).value();
  std::vector<double> results(outputs.size());
  program.evaluate(std::array{0.0, 2.0}, 1, results);
  EXPECT_TRUE(std::isnan(results[0]));
  EXPECT_TRUE(std::isnan(results[1]));
  EXPECT_EQ(results[2], 0);
  EXPECT_TRUE(std::isnan(results[3]));
  EXPECT_TRUE(std::isnan(results[4]));
  EXPECT_TRUE(std::isnan(results[5]));
  EXPECT_TRUE(std::isnan(results[6]));
  EXPECT_EQ(results[7], 2);  // the branch without a value is not taken
  EXPECT_EQ(results[8], std::pow(2.0, 1000));
  EXPECT_TRUE(std::isnan(results[9]));
}

TEST(FlatProgram, OverflowIsNotANumber) {
  const auto program = FlatProgram::compile(std::array{n * n}, std::array{n}).value();
  std::array<double, 1> result{};
  program.evaluate(std::array{1e200}, 1, result);
  EXPECT_TRUE(std::isnan(result[0]));
}

TEST(FlatProgram, SeriesWithOtherBoundsAtEveryPoint) {
  const Expression nest = series(k, 1, n, floor(m / k) + series(j, k, m, floor(j / (k + 1)) * log2(j + n)));
  const auto program = FlatProgram::compile(std::array{nest, nest * nest}, std::array{n, m}).value();
  std::vector<double> points;
  for (int i = 0; i < 300; ++i) points.push_back(i % 13 - 3);
  for (int i = 0; i < 300; ++i) points.push_back(i % 7);
  std::vector<double> results(600);
  program.evaluate(points, 300, results);
  for (std::size_t i = 0; i < 300; ++i) {
    double wanted = 0;
    const double n_value = points[i], m_value = points[300 + i];
    for (double a = 1; a <= n_value; ++a) {
      wanted += std::floor(m_value / a);
      for (double b = a; b <= m_value; ++b) wanted += std::floor(b / (a + 1)) * std::log2(b + n_value);
    }
    ASSERT_NEAR(results[i], wanted, 1e-9 * (1 + wanted)) << n_value << " " << m_value;
    ASSERT_EQ(results[i], evaluate(nest, {{"n", n_value}, {"m", m_value}}).value());
  }
}

TEST(FlatProgram, WhatDoesNotDependOnTheIndexIsComputedOutside) {
  // With a million terms, a logarithm per term would be visible in the number of instructions inside the
  // loop. This test compares the value.
  const Expression sum = series(k, 1, n, floor(n / k) / (log2(n + 2) + k));
  const auto program = FlatProgram::compile(std::array{sum}, std::array{n}).value();
  std::array<double, 1> result{};
  program.evaluate(std::array{50.0}, 1, result);
  EXPECT_EQ(result[0], evaluate(sum, {{"n", 50}}).value());
}

TEST(FlatProgram, ManyRegistersAreReused) {
  Expression chain = n;
  std::vector<Expression> outputs;
  for (int i = 1; i <= 60; ++i) chain = floor(chain / (i + 1)) + log2(power(chain, 2) + i);
  const auto program = FlatProgram::compile(std::array{chain}, std::array{n}).value();
  std::array<double, 3> results{};
  program.evaluate(std::array{1.0, 50.0, 1e6}, 3, results);
  EXPECT_EQ(results[0], evaluate(chain, {{"n", 1}}).value());
  EXPECT_EQ(results[1], evaluate(chain, {{"n", 50}}).value());
  EXPECT_EQ(results[2], evaluate(chain, {{"n", 1e6}}).value());
}

TEST(FlatProgram, RunsInSeveralThreadsAtOnce) {
  const auto program =
      FlatProgram::compile(std::array{n * log2(n) + series(k, 1, 10, floor(n / k))}, std::array{n}).value();
  std::vector<double> points(1000);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<double>(i + 1);
  std::vector<std::vector<double>> results(4, std::vector<double>(points.size()));
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { program.evaluate(points, points.size(), result); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(FlatProgram, UnknownSymbolsAreNamed) {
  const auto program = FlatProgram::compile(std::array{n + m}, std::array{n});
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.error().what, testing::HasSubstr("'m'"));
  EXPECT_FALSE(FlatProgram::compile(std::array{n}, std::array{n + 1}).ok());
}

}  // namespace
}  // namespace parcast::symbolic
