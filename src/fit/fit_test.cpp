// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "fit/calibration.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace parcast::fit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using Law = std::function<double(const std::vector<double>&)>;

Points crossed(const std::vector<std::vector<double>>& values) {
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

Kernel sampled(const std::string& metric, const Points& points, const Law& law, double noise = 0, std::uint64_t seed = 1,
               std::size_t repetitions = 1) {
  statistics::Random random(seed);
  Kernel kernel{"main", metric, "", points, {}};
  for (const auto& point : points) {
    kernel.values.emplace_back();
    for (std::size_t r = 0; r < repetitions; ++r) kernel.values.back().push_back(law(point) * std::exp(noise * random.normal()));
  }
  return kernel;
}

KernelFit fitted(const Kernel& kernel, const std::vector<std::string>& parameters, const Points& asked = {}, const Calibration& calibration = {}) {
  Options options;
  options.asked = asked;
  auto fit = fit_kernel(kernel, parameters, options, calibration);
  EXPECT_TRUE(fit);
  return *std::move(fit);
}

const std::vector<double> kFive{4, 8, 16, 32, 64};

TEST(Fit, ExactValuesGiveTheirFormula) {
  const auto law = [](const std::vector<double>& x) { return 2 + 0.5 * x[0] * x[0]; };
  const KernelFit fit = fitted(sampled("time", crossed({kFive}), law), {"n"}, {{256}}, {{0.001, 1}, 0, 1, 0});
  EXPECT_EQ(fit.expression, "2.000 + 0.5000 n^2");
  EXPECT_EQ(fit.tier, Origin::exact);
  EXPECT_NEAR(fit.predictions[0].value / law({256}), 1, 1e-3);
  EXPECT_DOUBLE_EQ(fit.predictions[0].distance, 2);
}

TEST(Fit, ThreePointsReproducedByTwoCoefficientsAreNotConfirmed) {
  const auto law = [](const std::vector<double>& x) { return 2 + 0.5 * x[0]; };
  EXPECT_EQ(fitted(sampled("time", crossed({{1, 10, 100}}), law), {"n"}, {}, {{0.001, 1}, 0, 1, 0}).tier, Origin::ambiguous);
}

TEST(Fit, OneToFourParameters) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  const std::vector<double> three{2, 4, 8};
  for (std::size_t count = 1; count <= 4; ++count) {
    const auto law = [&](const std::vector<double>& x) {
      double value = x[0] * x[0];
      if (count > 1) value /= x[1];
      if (count > 2) value *= x[2];
      return count > 3 ? value + 10 * x[3] : value;
    };
    std::vector<std::vector<double>> values(count, count == 1 ? kFive : three);
    const std::vector<double> asked(count, 32);
    const KernelFit fit = fitted(sampled("time", crossed(values), law, 0.01, 3), {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}, {asked});
    EXPECT_NEAR(fit.predictions[0].value / law(asked), 1, 0.15) << count << " parameters: " << fit.expression;
    EXPECT_LE(fit.predictions[0].low, law(asked)) << count;
    EXPECT_GE(fit.predictions[0].high, law(asked)) << count;
  }
}

TEST(Fit, PredictionsOfPositiveQuantitiesArePositive) {
  // Falls so steeply that a straight line would be negative at the next point.
  const KernelFit fit = fitted({"", "time", "s", {{1}, {2}, {4}, {8}}, {{100}, {40}, {10}, {0.5}}}, {"p"}, {{64}, {1024}});
  for (const Predicted& each : fit.predictions) {
    EXPECT_GT(each.low, 0);
    EXPECT_GE(each.value, each.low);
    EXPECT_GE(each.high, each.value);
  }
}

TEST(Fit, AKernelThatIsZeroEverywhereIsTheConstantZero) {
  const KernelFit fit = fitted({"", "time", "s", {{1}, {2}, {4}}, {{0}, {0}, {0}}}, {"p"}, {{64}});
  EXPECT_EQ(fit.expression, "0");
  EXPECT_EQ(fit.predictions[0].value, 0);
  EXPECT_EQ(fit.predictions[0].high, 0);
}

TEST(Fit, NothingPositiveIsSaid) {
  const KernelFit fit = fitted({"", "time", "s", {{1}, {2}}, {{-1}, {-2}}}, {"p"}, {{64}});
  EXPECT_EQ(fit.tier, Origin::unknown);
  EXPECT_THAT(fit.warnings.back(), HasSubstr("nothing to fit"));
  EXPECT_THAT(fit.predictions, SizeIs(0));
}

// Student's t with one degree of freedom leaves 5 % above 6.3138, with three 2.3534.
TEST(Fit, OfASinglePointTheNoiseAloneIsKnown) {
  const Kernel once{"main", "time", "s", {{4}}, {{10}}};
  const Predicted one = fitted(once, {"p"}, {{4}}).predictions.at(0);
  EXPECT_NEAR(one.value, 10, 1e-12);
  EXPECT_NEAR(one.low, 10 * std::exp(-6.3138 * 0.03 * std::sqrt(2)), 1e-3);
  EXPECT_NEAR(one.high, 10 * std::exp(6.3138 * 0.03 * std::sqrt(2)), 1e-3);
  const KernelFit thrice = fitted({"main", "time", "s", {{4}}, {{9, 10, 11}}}, {"p"}, {{4}});
  ASSERT_GT(thrice.run_error, 0);
  EXPECT_NEAR(thrice.predictions[0].high, 10 * std::exp(2.3534 * thrice.run_error * std::sqrt(4.0 / 3)), 1e-2);
}

TEST(Fit, AnUnvariedParameterIsFlaggedWhereItIsAskedElsewhere) {
  const Kernel kernel = sampled("time", {{2, 100}, {4, 100}, {8, 100}, {16, 100}}, [](const auto& x) { return 64 / x[0]; });
  const KernelFit fit = fitted(kernel, {"p", "n"}, {{32, 100}, {32, 200}});
  EXPECT_FALSE(fit.predictions[0].unidentified);
  EXPECT_TRUE(fit.predictions[1].unidentified);
  EXPECT_EQ(fit.predictions[0].value, fit.predictions[1].value);
}

TEST(Fit, LastPointsCarryOnWhatNoFormulaExplains) {
  // Constant but for a step that lasts: the answer follows the last points, not the mean of all (1.43).
  const KernelFit fit = fitted({"", "time", "s", {{1}, {2}, {4}, {8}, {16}, {32}, {64}}, {{1}, {1.01}, {0.99}, {1}, {2.01}, {1.99}, {2}}}, {"p"}, {{128}});
  EXPECT_GT(fit.predictions[0].value, 1.8);
}

TEST(Fit, ATimeThatIsACountTimesACostIsFoundInItsFactors) {
  // Times so noisy that they hide their law; the count is exact at every point, and one time costs about the same.
  const Points points = crossed({kFive});
  const auto count = [](const std::vector<double>& x) { return x[0] * x[0] * x[0] + 1000 * x[0]; };
  Measurements data{{"n"}, {}, {}};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    data.kernels.push_back(sampled("time", points, [&](const auto& x) { return 1e-6 * count(x); }, 0.1, seed));
    data.kernels.push_back(sampled("visits", points, count));
    for (std::size_t k = data.kernels.size() - 2; k < data.kernels.size(); ++k) data.kernels[k].callpath = "k" + std::to_string(seed);
  }
  Options options;
  options.asked = {{1024}};
  const auto errors = [&] {
    std::vector<double> out;
    const auto fits = fit_all(data, options);
    for (std::size_t k = 0; k < data.kernels.size(); k += 2) out.push_back(std::fabs(std::log(fits->kernels[k].predictions[0].value / (1e-6 * count({1024})))));
    return out;
  };
  const auto fits = fit_all(data, options);
  std::size_t factored = 0;
  for (std::size_t k = 0; k < data.kernels.size(); k += 2)
    if (fits->kernels[k].count == "visits") {
      ++factored;
      EXPECT_THAT(fits->kernels[k].expression, HasSubstr("(1000 n + 1.000 n^3) * "));
    }
  EXPECT_GE(factored, 20u);
  const double with = statistics::median(errors());
  options.factored = false;
  EXPECT_LT(with, 0.5 * statistics::median(errors()));
  EXPECT_EQ(fit_all(data, options)->kernels[0].count, "");
}

TEST(Fit, ResultsDoNotDependOnTheNumberOfThreads) {
  Measurements data{{"p"}, {}, {}};
  for (std::uint64_t k = 0; k < 40; ++k)
    data.kernels.push_back(sampled("time", crossed({kFive}), [&](const auto& x) { return 1 + std::pow(x[0], 0.1 * static_cast<double>(k % 20)); }, 0.05, k + 1, 3));
  Options options;
  options.asked = {{512}};
  options.threads = 1;
  const auto one = fit_all(data, options);
  options.threads = 4;
  const auto four = fit_all(data, options);
  ASSERT_TRUE(one && four);
  for (std::size_t k = 0; k < data.kernels.size(); ++k) {
    EXPECT_EQ(one->kernels[k].expression, four->kernels[k].expression);
    EXPECT_EQ(one->kernels[k].predictions[0].value, four->kernels[k].predictions[0].value);
    EXPECT_EQ(one->kernels[k].predictions[0].high, four->kernels[k].predictions[0].high);
  }
}

TEST(Fit, TheOrderOfPointsDoesNotMatter) {
  Kernel kernel = sampled("time", crossed({kFive, {1, 2, 4}}), [](const auto& x) { return x[0] + 5 / x[1]; }, 0.03, 9);
  const KernelFit before = fitted(kernel, {"n", "p"}, {{256, 8}});
  std::reverse(kernel.points.begin(), kernel.points.end());
  std::reverse(kernel.values.begin(), kernel.values.end());
  const KernelFit after = fitted(kernel, {"n", "p"}, {{256, 8}});
  EXPECT_EQ(before.expression, after.expression);
  EXPECT_NEAR(before.predictions[0].value / after.predictions[0].value, 1, 1e-9);
}

TEST(Fit, AnotherUnitOfTimeScalesTheAnswer) {
  Kernel kernel = sampled("time", crossed({kFive}), [](const auto& x) { return 1 + 20 / x[0]; }, 0.03, 2);
  const Predicted seconds = fitted(kernel, {"p"}, {{256}}).predictions[0];
  for (auto& runs : kernel.values)
    for (double& v : runs) v *= 1e6;
  const Predicted micro = fitted(kernel, {"p"}, {{256}}).predictions[0];
  EXPECT_NEAR(micro.value / seconds.value, 1e6, 1e-1);
  EXPECT_NEAR(micro.low / seconds.low, 1e6, 1e-1);
}

TEST(Fit, IntervalsOfGeneratedKernelsHold) {
  // Amdahl, a power law, logarithms and products, 5 % noise, asked at four times the largest point: a measurement there, with
  // noise of its own.
  const std::vector<Law> laws{[](const auto& x) { return 1 + 30 / x[0]; }, [](const auto& x) { return std::pow(x[0], 0.8); },
                              [](const auto& x) { return 2 + std::log2(x[0]); }, [](const auto& x) { return x[0] * std::log2(x[0]); },
                              [](const auto&) { return 5.0; }};
  int held = 0, asked = 0;
  std::vector<double> errors;
  for (const Law& law : laws)
    for (std::uint64_t seed = 1; seed <= 60; ++seed, ++asked) {
      statistics::Random random(1000 + seed);
      const Predicted at = fitted(sampled("time", crossed({kFive}), law, 0.05, seed), {"p"}, {{256}}).predictions[0];
      const double measured = law({256}) * std::exp(0.05 * random.normal());
      held += at.low <= measured && measured <= at.high;
      errors.push_back(std::fabs(at.value / law({256}) - 1));
    }
  EXPECT_GE(held, 0.85 * asked);
  EXPECT_LT(statistics::median(errors), 0.12);
}

TEST(Fit, RefusesRowsThatDoNotFit) {
  Options options;
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}, {2}}, {{1}}}, {"p"}, options));
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1, 2}}, {{1}}}, {"p"}, options));
  options.asked = {{-1}};
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"p"}, options));
  options.asked = {};
  options.level = 1;
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"p"}, options));
}

TEST(Calibration, WidthIsWhatTheScoresWouldHaveNeeded) {
  EXPECT_EQ(width_of({}, 1), 1);
  std::vector<double> twice, right;
  statistics::Random random(4);
  for (int i = 0; i < 4000; ++i) right.push_back(random.normal()), twice.push_back(2 * random.normal());
  EXPECT_NEAR(width_of(right, 1), 1, 0.05);
  EXPECT_NEAR(width_of(twice, 1), 2, 0.08);
  // Few scores say little: ten weigh as much as the opinion of no correction.
  EXPECT_NEAR(width_of(std::vector<double>(10, 2 * 1.6448536), 1), 1.5, 1e-6);
}

}  // namespace
}  // namespace parcast::fit
