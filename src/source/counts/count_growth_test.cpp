// SPDX-License-Identifier: Apache-2.0
#include "source/counts/count_growth.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <functional>

namespace parcast::program {
namespace {

using Runs = std::vector<CountGrowth::Run>;
using Of = std::function<double(double n, double p)>;

// One variable changed at a time.
const Runs kOneAtATime{{2, {100}}, {2, {160}}, {4, {100}}};

std::optional<CountGrowth::Found> found(const Of& count, const Runs& runs = kOneAtATime,
                                        std::optional<double> most = {}) {
  std::vector<double> some, all;
  for (const CountGrowth::Run& run : runs) {
    // so large that noise is negligible
    some.push_back(1e9 * count(run.parameters[0], run.processes));
    all.push_back(1e9);
  }
  return CountGrowth({"N"}, runs).of(some, all, most);
}

double at(const std::optional<CountGrowth::Found>& found, double n, double p) {
  if (!found) return std::nan("");
  return symbolic::evaluate(found->ratio, {{"N", n}, {"p", p}}).value();
}

TEST(CountGrowth, PowersOfASizeAndOfTheProcessCountAreToldFromOneChangeEach) {
  EXPECT_NEAR(at(found([](double n, double p) { return 3 * n * n / p; }), 800, 8), 3 * 640000 / 8, 1e-3);
  EXPECT_NEAR(at(found([](double n, double) { return 2 * n * n * n; }), 800, 8), 2 * 512e6, 1);
  EXPECT_NEAR(at(found([](double, double p) { return 7 * p; }), 800, 8), 56, 1e-6);
  EXPECT_NEAR(at(found([](double n, double) { return n * std::log2(n); }), 1024, 8), 10240, 1e-3);
}

TEST(CountGrowth, WhatStaysTheSameDoesNotGrow) {
  const auto same = found([](double n, double p) { return 5 + (n > 100 ? 0.02 : 0) - (p > 2 ? 0.02 : 0); });
  ASSERT_TRUE(same);
  EXPECT_TRUE(same->constant);
  EXPECT_NEAR(at(same, 800, 8), 5, 0.02);
  // differences within the noise
  const auto few = CountGrowth({"N"}, kOneAtATime).of({9, 11, 8}, {1, 1, 1});
  ASSERT_TRUE(few);
  EXPECT_TRUE(few->constant);
  EXPECT_FALSE(found([](double n, double) { return n / 100; })->constant);
}

TEST(CountGrowth, SumsOfTwoTermsAreTold) {
  EXPECT_NEAR(at(found([](double n, double p) { return 5 * n * n / p + 7 * n; }), 800, 8), 405600,
              0.03 * 405600);
  EXPECT_NEAR(at(found([](double n, double) { return 2 * n + 30; }), 800, 8), 1630, 2);
  const Runs small{{2, {8}}, {2, {13}}, {4, {8}}};
  // the sum of N^3 and N^2
  EXPECT_NEAR(at(found([](double n, double) { return std::pow(n + 2, 3); }, small), 40, 8), 74088,
              0.1 * 74088);
  EXPECT_NEAR(at(found([](double n, double) { return n - 2; }, small), 40, 8), 38, 0.1);
}

TEST(CountGrowth, FormsThatAreAboutAsShortAreItsAlternatives) {
  // 3 N^2 / p exactly: any other form is longer. N^2.1 is N^2, or the sum of it and some N^3.
  EXPECT_TRUE(found([](double n, double p) { return 3 * n * n / p; })->alternatives.empty());
  const auto between = found([](double n, double) { return std::pow(n, 2.1); });
  ASSERT_TRUE(between);
  ASSERT_EQ(between->alternatives.size(), 2u);
  const auto far = [](const symbolic::Expression& form) {
    return symbolic::evaluate(form, {{"N", 640}, {"p", 16}}).value();
  };
  // N^2 times the mean of the rest
  EXPECT_NEAR(far(between->alternatives[0]) / (640.0 * 640 * std::pow(100 * 160 * 100, .1 / 3)), 1, 1e-6);
  EXPECT_GT(far(between->alternatives[1]), std::pow(640, 2.1))
      << "through all three points, and above beyond them";
}

TEST(CountGrowth, APartGrowsToNoMoreThanAll) {
  const Runs small{{2, {8}}, {2, {13}}, {4, {8}}};
  const auto part = found([](double n, double) { return (n - 1) / n; }, small, 1);
  EXPECT_NEAR(at(part, 40, 8), 39.0 / 40, 1e-3);
  const auto some = found([](double n, double) { return 0.1 * n / 13; }, small, 1);
  EXPECT_LE(at(some, 52, 16), 1.01);
}

TEST(CountGrowth, FewRunsAndWhatIsMissingInOneTellNothing) {
  EXPECT_FALSE(CountGrowth({"N"}, {{2, {100}}, {2, {160}}}).of({1, 2}, {1, 1}));
  EXPECT_FALSE(CountGrowth({"N"}, kOneAtATime).of({1, 0, 1}, {1, 1, 1}));
  EXPECT_FALSE(CountGrowth({"N"}, kOneAtATime).of({1, 1, 1}, {1, 1, 0}));
  EXPECT_FALSE(CountGrowth({"N"}, kOneAtATime).of({1, 1}, {1, 1}));
}

TEST(CountGrowth, SidesOfGridsAreNoSizes) {
  const auto grows = CountGrowth({"N", "rows"}, {{2, {100, 1}}, {2, {160, 1}}, {4, {100, 2}}})
                         .of({1e9, 1e9, 2e9}, {1, 1, 1});
  ASSERT_TRUE(grows);
  EXPECT_NEAR(symbolic::evaluate(grows->ratio, {{"N", 800}, {"rows", 17}, {"p", 8}}).value(), 4e9, 1);
}

TEST(CountGrowth, FacesBetweenProcessesFollowFromTheSidesOfTheirGrid) {
  const std::vector<std::string> names{"n", "P", "Q", "R"};
  const Runs runs{{2, {20, 2, 1, 1}}, {2, {33, 2, 1, 1}}, {4, {20, 2, 2, 1}}};
  const auto faces = [](const CountGrowth::Run& run) {
    return 3 - 1 / run.parameters[1] - 1 / run.parameters[2] - 1 / run.parameters[3];
  };
  std::vector<double> some, all;
  for (const CountGrowth::Run& run : runs) {
    some.push_back(1e6 * run.parameters[0] * run.parameters[0] * faces(run));
    all.push_back(1e6);
  }
  const auto grows = CountGrowth(names, runs).of(some, all);
  ASSERT_TRUE(grows);
  for (const auto& [P, Q, R] : {std::array{2, 2, 2}, std::array{8, 1, 1}, std::array{4, 4, 4}})
    EXPECT_NEAR(symbolic::evaluate(grows->ratio, {{"n", 160}, {"P", P}, {"Q", Q}, {"R", R}, {"p", P * Q * R}})
                    .value(),
                25600 * (3 - 1.0 / P - 1.0 / Q - 1.0 / R), 1);
}

TEST(CountGrowth, ProductsOfSizesThatChangeTogetherCostLittleMoreThanOne) {
  const auto area = CountGrowth({"X", "Y"}, {{2, {24, 28}}, {2, {40, 44}}, {4, {24, 28}}})
                        .of({672e6, 1760e6, 672e6}, {2, 2, 4});
  ASSERT_TRUE(area);
  EXPECT_NEAR(symbolic::evaluate(area->ratio, {{"X", 192}, {"Y", 224}, {"p", 8}}).value(), 43008e6 / 8, 1e3);
}

}  // namespace
}  // namespace parcast::program
