// SPDX-License-Identifier: Apache-2.0
#include "fit/crossed.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "fit/fit.h"
#include "statistics/random.h"

namespace parcast::fit {
namespace {

Points crossed(const std::vector<double>& processes, const std::vector<double>& sizes) {
  Points points;
  for (const double p : processes)
    for (const double n : sizes) points.push_back({p, n});
  return points;
}

TEST(Crossed, FewProcessesWithASize) {
  EXPECT_TRUE(is_crossed(crossed({1, 2, 4}, {100, 200, 300}), {true, false}));
  EXPECT_TRUE(is_crossed(crossed({1, 8}, {5, 7, 10}), {true, false}));
  EXPECT_FALSE(
      is_crossed(crossed({1, 2, 4, 8}, {100, 200, 300}), {true, false}));  // enough values to rank powers
  EXPECT_FALSE(is_crossed(crossed({1, 2, 4}, {100, 200, 300}), {false, false}));
  EXPECT_FALSE(is_crossed(crossed({1, 2, 4}, {1, 2}), {true, true}));
  EXPECT_FALSE(is_crossed(crossed({1, 2, 4}, {0, 100}), {true, false}));
  EXPECT_FALSE(is_crossed(crossed({0.5, 2, 4}, {10, 100}), {true, false}));
  EXPECT_FALSE(is_crossed({{1}, {2}}, {}));
}

// The terms p^exponent log2(p)^log_power n^of_size, after the constant.
Shapes shapes_of(const std::vector<std::array<double, 3>>& terms) {
  Shapes shapes;
  shapes.arguments = 2;
  shapes.processes = {true, false};
  shapes.exponents = {0, 0};
  shapes.log_powers = {0, 0};
  shapes.cost = {0};
  for (const auto& [exponent, log_power, of_size] : terms) {
    shapes.exponents.insert(shapes.exponents.end(), {exponent, of_size});
    shapes.log_powers.insert(shapes.log_powers.end(), {static_cast<int>(log_power), 0});
    shapes.cost.push_back(0);
  }
  return shapes;
}

TEST(Crossed, ComputingWithSmallerMessagesCostsNothingMore) {
  const Shapes shapes = shapes_of({{-1, 0, 3}, {0, 1, 1}, {0, 1, 4}, {1, 0, 2}});
  const auto cost = [&](std::vector<std::size_t> terms) { return cost_of_crossed(shapes, terms); };
  EXPECT_EQ(cost({1, 2}), 0);                // n^3 / p + n log2 p
  EXPECT_EQ(cost({0, 1, 2}), 0);             // the constant is free
  EXPECT_GT(cost({1}), 0);                   // nearly all programs send messages
  EXPECT_GT(cost({2}), cost({1}));           // none only sends messages
  EXPECT_GT(cost({1, 3}), cost({1, 2}));     // n^4 in messages, n^3 in computing
  EXPECT_GT(cost({1, 2, 4}), cost({1, 2}));  // two kinds of messages
  EXPECT_GT(cost({1, 2, 3}), cost({1, 2, 4}));
}

TEST(Crossed, ProcessesShareTheComputingThatGrowsFastest) {
  const Shapes shapes = shapes_of({{-1, 0, 2}, {0, 0, 1}, {0, 0, 3}, {0, 1, 1}});
  const auto cost = [&](std::vector<std::size_t> terms) { return cost_of_crossed(shapes, terms); };
  EXPECT_GT(cost({2, 4}), cost({1, 4}));        // n on each process, nothing shared
  EXPECT_GT(cost({1, 3, 4}), cost({1, 2, 4}));  // a shared n^2 and n^3, or n, on each
}

KernelFit fitted(const Points& points, const std::function<double(double, double)>& law, double noise,
                 const Points& asked) {
  statistics::Random random(5);
  Kernel kernel{"", "time", "s", points, {}};
  for (const auto& point : points)
    kernel.values.push_back({law(point[0], point[1]) * std::exp(noise * random.normal())});
  Options options;
  options.asked = asked;
  auto fit = fit_kernel(kernel, {"p", "n"}, options);
  EXPECT_TRUE(fit);
  return *std::move(fit);
}

void expect_near(const Predicted& at, double truth, double relative) {
  EXPECT_NEAR(at.value / truth, 1, relative);
  EXPECT_LE(at.low, truth);
  EXPECT_GE(at.high, truth);
}

// On 16 processes at n = 800: 2e-9 * 800^3 / 16 + 1e-3 * 800 * 4 = 0.064 + 3.2 s.
TEST(Crossed, MessagesThatOneProcessDoesNotSendAreNoGrowthOfTheWhole) {
  const auto law = [](double p, double n) { return 2e-9 * n * n * n / p + 1e-3 * n * std::log2(p); };
  const KernelFit fit = fitted(crossed({1, 2, 4}, {200, 300, 450}), law, 0.02, {{4, 800}, {16, 800}});
  expect_near(fit.predictions[0], 0.256 + 1.6, 0.15);
  expect_near(fit.predictions[1], 3.264, 0.25);
}

// A law outside the list: half a second on several processes. 1e-6 * 800^2 / 16 + 0.5 = 0.54 s. The answer is
// below it, because log2(p) / p falls from 4 processes on.
TEST(Crossed, AStepFromOneProcessToSeveralIsNotContinued) {
  const auto law = [](double p, double n) { return 1e-6 * n * n / p + (p > 1 ? 0.5 : 0); };
  const KernelFit fit = fitted(crossed({1, 2, 4}, {200, 300, 450}), law, 0.02, {{16, 800}});
  expect_near(fit.predictions[0], 0.54, 0.5);
}

// 1e-6 * 800^2 / 16 = 0.04 s.
TEST(Crossed, PerfectScalingGoesOn) {
  const auto law = [](double p, double n) { return 1e-6 * n * n / p; };
  const KernelFit fit = fitted(crossed({1, 2, 4}, {200, 300, 450}), law, 0.02, {{16, 800}});
  expect_near(fit.predictions[0], 0.04, 0.15);
}

// p^(1/2) fits these times best; no formula may continue it.
TEST(Crossed, NoFormulaOfATimeHasAFractionalPowerOfProcesses) {
  const auto law = [](double p, double n) { return 1e-6 * n * n * std::sqrt(p); };
  const KernelFit fit = fitted(crossed({1, 2, 4}, {200, 300, 450}), law, 0.02, {{64, 450}});
  for (const Formula& formula : fit.formulas)
    for (const char* power : {"p^0.", "p^(", "p^-0.", "p^1."})
      EXPECT_EQ(formula.text.find(power), std::string::npos) << formula.text;
  // between the logarithm and the line through 1, 1.41, 2 on 1, 2, 4 processes: 4 and 22
  EXPECT_GT(fit.predictions[0].value / (1e-6 * 450 * 450), 2.5);
  EXPECT_LT(fit.predictions[0].value / (1e-6 * 450 * 450), 22);
}

// Halos of square blocks: a count follows its formula, whatever its powers.
TEST(Crossed, ACountKeepsItsFractionalPower) {
  Kernel kernel{"", "bytes", "B", crossed({1, 4, 16}, {256, 512, 1024}), {}};
  for (const auto& point : kernel.points) kernel.values.push_back({32 * point[1] / std::sqrt(point[0])});
  Options options;
  options.asked = {{64, 2048}};
  const auto fit = fit_kernel(kernel, {"p", "n"}, options);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->tier, Origin::exact);
  EXPECT_NEAR(fit->predictions[0].value, 8192, 1e-6);  // 32 * 2048 / 8
}

TEST(Crossed, TheLargestPointsWerePredictedFromTheRest) {
  const auto law = [](double p, double n) { return 1e-6 * n * n / p; };
  const KernelFit fit = fitted(crossed({1, 2, 4}, {200, 300, 450}), law, 0.02, {});
  ASSERT_TRUE(fit.validation_error);
  EXPECT_LT(*fit.validation_error, 0.15);
  EXPECT_GT(*fit.validation_error, 0.001);
}

}  // namespace
}  // namespace parcast::fit
