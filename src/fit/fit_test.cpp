// SPDX-License-Identifier: Apache-2.0
#include "fit/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <functional>

#include "fit/calibration.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace parcast::fit {
namespace {

using testing::Contains;
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

Kernel sampled(const std::string& metric, const Points& points, const Law& law, double noise = 0,
               std::uint64_t seed = 1, std::size_t repetitions = 1) {
  statistics::Random random(seed);
  Kernel kernel{"main", metric, "", points, {}};
  for (const auto& point : points) {
    kernel.values.emplace_back();
    for (std::size_t r = 0; r < repetitions; ++r)
      kernel.values.back().push_back(law(point) * std::exp(noise * random.normal()));
  }
  return kernel;
}

KernelFit fitted(const Kernel& kernel, const std::vector<std::string>& parameters, const Points& asked = {},
                 const Calibration& calibration = {}) {
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
  EXPECT_EQ(fitted(sampled("visits", crossed({{1, 10, 100}}), law), {"n"}, {}, {{0.001, 1}, 0, 1, 0}).tier,
            Origin::ambiguous);
  // Measured values have few digits, and two coefficients give three of them back by chance.
  EXPECT_EQ(fitted(sampled("time", crossed({{1, 10, 100}}), law), {"n"}, {}, {{0.001, 1}, 0, 1, 0}).tier,
            Origin::fitted);
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
    const KernelFit fit =
        fitted(sampled("time", crossed(values), law, 0.01, 3),
               {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}, {asked});
    EXPECT_NEAR(fit.predictions[0].value / law(asked), 1, 0.15) << count << " parameters: " << fit.expression;
    EXPECT_LE(fit.predictions[0].low, law(asked)) << count;
    EXPECT_GE(fit.predictions[0].high, law(asked)) << count;
  }
}

TEST(Fit, PredictionsOfPositiveQuantitiesArePositive) {
  // Falls so steeply that a straight line would be negative at the next point.
  const KernelFit fit =
      fitted({"", "time", "s", {{1}, {2}, {4}, {8}}, {{100}, {40}, {10}, {0.5}}}, {"p"}, {{64}, {1024}});
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

// Student's t exceeds 6.3138 with 5 % probability for one degree of freedom, 2.3534 for three.
TEST(Fit, OfASinglePointTheNoiseAloneIsKnown) {
  const Kernel once{"main", "time", "s", {{4}}, {{10}}};
  const Predicted one = fitted(once, {"p"}, {{4}}).predictions.at(0);
  EXPECT_NEAR(one.value, 10, 1e-12);
  EXPECT_NEAR(one.low, 10 * std::exp(-6.3138 * 0.03 * std::sqrt(2)), 1e-3);
  EXPECT_NEAR(one.high, 10 * std::exp(6.3138 * 0.03 * std::sqrt(2)), 1e-3);
  const KernelFit thrice = fitted({"main", "time", "s", {{4}}, {{9, 10, 11}}}, {"p"}, {{4}});
  ASSERT_GT(thrice.run_error, 0);
  EXPECT_NEAR(thrice.predictions[0].high, 10 * std::exp(2.3534 * thrice.run_error * std::sqrt(4.0 / 3)),
              1e-2);
}

TEST(Fit, AnUnvariedParameterIsFlaggedWhereItIsAskedElsewhere) {
  const Kernel kernel =
      sampled("time", {{2, 100}, {4, 100}, {8, 100}, {16, 100}}, [](const auto& x) { return 64 / x[0]; });
  const KernelFit fit = fitted(kernel, {"p", "n"}, {{32, 100}, {32, 200}});
  EXPECT_FALSE(fit.predictions[0].unidentified);
  EXPECT_TRUE(fit.predictions[1].unidentified);
  EXPECT_EQ(fit.predictions[0].value, fit.predictions[1].value);
}

TEST(Fit, LastPointsCarryOnWhatNoFormulaExplains) {
  // Constant except for a lasting step: the answer follows the last points, not the mean of all (1.43).
  const KernelFit fit = fitted({"",
                                "time",
                                "s",
                                {{1}, {2}, {4}, {8}, {16}, {32}, {64}},
                                {{1}, {1.01}, {0.99}, {1}, {2.01}, {1.99}, {2}}},
                               {"p"}, {{128}});
  EXPECT_GT(fit.predictions[0].value, 1.8);
}

TEST(Fit, ATimeThatIsACountTimesACostIsFoundInItsFactors) {
  // The noise of the times hides their law; the count is exact at every point, and the cost of one is about
  // constant.
  const Points points = crossed({kFive});
  const auto count = [](const std::vector<double>& x) { return x[0] * x[0] * x[0] + 1000 * x[0]; };
  Measurements data{{"n"}, {}, {}};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    data.kernels.push_back(sampled(
        "time", points, [&](const auto& x) { return 1e-6 * count(x); }, 0.1, seed));
    data.kernels.push_back(sampled("visits", points, count));
    for (std::size_t k = data.kernels.size() - 2; k < data.kernels.size(); ++k)
      data.kernels[k].callpath = "k" + std::to_string(seed);
  }
  Options options;
  options.asked = {{1024}};
  const auto errors = [&] {
    std::vector<double> out;
    const auto fits = fit_all(data, options);
    for (std::size_t k = 0; k < data.kernels.size(); k += 2)
      out.push_back(std::fabs(std::log(fits->kernels[k].predictions[0].value / (1e-6 * count({1024})))));
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
    data.kernels.push_back(sampled(
        "time", crossed({kFive}),
        [&](const auto& x) { return 1 + std::pow(x[0], 0.1 * static_cast<double>(k % 20)); }, 0.05, k + 1,
        3));
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
  Kernel kernel = sampled(
      "time", crossed({kFive, {1, 2, 4}}), [](const auto& x) { return x[0] + 5 / x[1]; }, 0.03, 9);
  const KernelFit before = fitted(kernel, {"n", "p"}, {{256, 8}});
  std::reverse(kernel.points.begin(), kernel.points.end());
  std::reverse(kernel.values.begin(), kernel.values.end());
  const KernelFit after = fitted(kernel, {"n", "p"}, {{256, 8}});
  EXPECT_EQ(before.expression, after.expression);
  EXPECT_NEAR(before.predictions[0].value / after.predictions[0].value, 1, 1e-9);
}

TEST(Fit, AnotherUnitOfTimeScalesTheAnswer) {
  Kernel kernel = sampled(
      "time", crossed({kFive}), [](const auto& x) { return 1 + 20 / x[0]; }, 0.03, 2);
  const Predicted seconds = fitted(kernel, {"p"}, {{256}}).predictions[0];
  for (auto& runs : kernel.values)
    for (double& v : runs) v *= 1e6;
  const Predicted micro = fitted(kernel, {"p"}, {{256}}).predictions[0];
  EXPECT_NEAR(micro.value / seconds.value, 1e6, 1e-1);
  EXPECT_NEAR(micro.low / seconds.low, 1e6, 1e-1);
}

// n^2 up to 16, from 32 on 40 n. Beyond the break only the points there are used; below it all.
TEST(Fit, BeyondABreakTheLastRegimeAnswers) {
  const auto law = [](const std::vector<double>& x) { return x[0] < 32 ? x[0] * x[0] : 40 * x[0]; };
  const Kernel kernel = sampled("time", crossed({{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}}), law, 0.02, 3);
  const KernelFit fit = fitted(kernel, {"n"}, {{2048}, {4}});
  ASSERT_TRUE(fit.regime);
  EXPECT_EQ(fit.regime->first_after, 32);
  Kernel beyond = kernel;
  beyond.points.erase(beyond.points.begin(), beyond.points.begin() + 5);
  beyond.values.erase(beyond.values.begin(), beyond.values.begin() + 5);
  const KernelFit alone = fitted(beyond, {"n"}, {{2048}});
  EXPECT_EQ(fit.expression, alone.expression);
  EXPECT_DOUBLE_EQ(fit.predictions[0].value, alone.predictions[0].value);
  EXPECT_DOUBLE_EQ(fit.predictions[0].high, alone.predictions[0].high);
  EXPECT_TRUE(fit.regime->followed);
  EXPECT_EQ(fit.regime->missing, 0u);
  EXPECT_NEAR(fit.predictions[0].value / law({2048}), 1, 0.1);
  EXPECT_DOUBLE_EQ(fit.predictions[0].distance, 2);
  EXPECT_NEAR(fit.predictions[1].value / law({4}), 1, 0.1);
  EXPECT_EQ(fit.predictions[1].distance, 0);
}

TEST(Fit, ARegimeOfThreePointsIsToldToNeedAFourth) {
  const auto law = [](const std::vector<double>& x) { return x[0] < 128 ? x[0] : 10 * x[0]; };
  const KernelFit fit = fitted(
      sampled("time", crossed({{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}}), law, 0.02, 5), {"n"}, {{2048}});
  ASSERT_TRUE(fit.regime);
  EXPECT_EQ(fit.regime->first_after, 128);
  EXPECT_FALSE(fit.regime->followed);
  EXPECT_EQ(fit.regime->missing, 1u);
}

// Constant up to 64 bytes, in proportion beyond. Three values beyond are enough where the change is known.
TEST(Fit, AKnownChangeOfGrowthPartsTheData) {
  const Kernel kernel = sampled("time", crossed({{8, 16, 32, 64, 128, 256, 512}}),
                                [](const auto& x) { return x[0] <= 64 ? 2 : 0.5 * x[0]; });
  Options options;
  options.asked = {{32}, {100}, {2048}};
  options.changes = {{"bytes", 64}};
  const auto fit = fit_kernel(kernel, {"bytes"}, options);
  ASSERT_TRUE(fit);
  ASSERT_TRUE(fit->regime);
  EXPECT_EQ(fit->regime->given, 64);
  EXPECT_EQ(fit->regime->last_before, 64);
  EXPECT_EQ(fit->regime->first_after, 128);
  EXPECT_EQ(fit->regime->slope_before, 0);
  EXPECT_NEAR(fit->regime->slope_after, 1, 1e-12);
  EXPECT_EQ(fit->predictions[0].value, 2);
  EXPECT_NEAR(fit->predictions[1].value, 50, 1);
  EXPECT_NEAR(fit->predictions[2].value, 1024, 40);
  // Another parameter's change, and one beyond the data, part nothing.
  options.changes = {{"ranks", 64}, {"bytes", 1024}};
  const auto whole = fit_kernel(kernel, {"bytes"}, options);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->regime && whole->regime->given);
  EXPECT_THAT(whole->warnings,
              Contains(HasSubstr("the growth changes at bytes = 1024, as given, and no value lies beyond")));
  options.changes = {{"bytes", 0}};
  EXPECT_FALSE(fit_kernel(kernel, {"bytes"}, options));
}

TEST(Fit, BeyondAKnownChangeTwoValuesAreTooFew) {
  Options options;
  options.changes = {{"bytes", 128}};
  const auto fit =
      fit_kernel(sampled("time", crossed({{32, 64, 128, 256, 512}}), [](const auto& x) { return x[0]; }),
                 {"bytes"}, options);
  ASSERT_TRUE(fit && fit->regime);
  EXPECT_FALSE(fit->regime->followed);
  EXPECT_EQ(fit->regime->missing, 1u);
}

// The mean falls as 1/p, the largest rank does not. Where noise or formulas would cross, no rank is below the
// mean.
TEST(Fit, TheLargestRankStandsBesideTheMeanAndIsNeverBelow) {
  Measurements data{{"p"}, {}, {}};
  data.kernels.push_back(sampled(
      "time", crossed({kFive}), [](const auto& x) { return 64 / x[0]; }, 0.01, 1));
  data.kernels.push_back(sampled(
      "time_max", crossed({kFive}), [](const auto& x) { return 1 + 64 / x[0]; }, 0.01, 2));
  data.kernels.back().largest_of = "time";
  data.kernels.push_back(sampled("size", crossed({kFive}), [](const auto& x) { return x[0] * x[0]; }));
  // the mean exceeds it from p = 71 on
  data.kernels.push_back(sampled("size_max", crossed({kFive}), [](const auto&) { return 5000.0; }));
  data.kernels.back().largest_of = "size";
  Options options;
  options.asked = {{64}, {256}};
  const auto fits = fit_all(data, options);
  ASSERT_TRUE(fits);
  const KernelFit &mean = fits->kernels[0], &most = fits->kernels[1];
  EXPECT_EQ(mean.largest, "time_max");
  EXPECT_EQ(most.largest_of, "time");
  ASSERT_TRUE(mean.predictions[1].largest);
  EXPECT_NEAR(mean.predictions[1].value, 0.25, 0.03);
  EXPECT_NEAR(mean.predictions[1].largest->value, 1.25, 0.1);
  EXPECT_EQ(mean.predictions[1].largest->value, most.predictions[1].value);
  EXPECT_FALSE(most.predictions[1].largest);
  EXPECT_NEAR(fits->kernels[3].predictions[0].value, 5000, 1);
  EXPECT_NEAR(fits->kernels[3].predictions[1].value, 65536, 10);
  EXPECT_THAT(fits->kernels[3].warnings, Contains(HasSubstr("falls below the mean's")));
}

TEST(Fit, IntervalsOfGeneratedKernelsHold) {
  // Amdahl, a power law, logarithms and products, 5 % noise, predicted at four times the largest point: a
  // measurement there, with its own noise.
  const std::vector<Law> laws{
      [](const auto& x) { return 1 + 30 / x[0]; }, [](const auto& x) { return std::pow(x[0], 0.8); },
      [](const auto& x) { return 2 + std::log2(x[0]); }, [](const auto& x) { return x[0] * std::log2(x[0]); },
      [](const auto&) { return 5.0; }};
  int held = 0, asked = 0;
  std::vector<double> errors;
  for (const Law& law : laws)
    for (std::uint64_t seed = 1; seed <= 60; ++seed, ++asked) {
      statistics::Random random(1000 + seed);
      const Predicted at =
          fitted(sampled("time", crossed({kFive}), law, 0.05, seed), {"p"}, {{256}}).predictions[0];
      const double measured = law({256}) * std::exp(0.05 * random.normal());
      held += at.low <= measured && measured <= at.high;
      errors.push_back(std::fabs(at.value / law({256}) - 1));
    }
  EXPECT_GE(held, 0.85 * asked);
  EXPECT_LT(statistics::median(errors), 0.12);
}

// A grid of 59 x 59 points of exact values: the dense correlation matrices of their errors took 1.6 GB.
TEST(Fit, MemoryGrowsInProportionToThePoints) {
  Kernel kernel{"", "time", "s", {}, {}};
  for (double p = 1; p < 60; ++p)
    for (double n = 1; n < 60; ++n) kernel.points.push_back({p, n}), kernel.values.push_back({p * n});
  const auto resident = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // kB
  };
  const long before = resident();
  Options options;
  options.asked = {{118, 59}};
  const auto fits = fit_all({{"p", "n"}, {kernel}, {}}, options);
  ASSERT_TRUE(fits);
  EXPECT_EQ(fits->kernels[0].expression, "1.0000 p n");
  EXPECT_EQ(fits->kernels[0].tier, Origin::exact);
  EXPECT_NEAR(fits->kernels[0].predictions[0].value, 118 * 59, 1e-6);
  EXPECT_LT(resident() - before, 400'000);  // 60,000 without a sanitizer
}

TEST(Fit, ManyPointsAnswerAsTheLawBehindThem) {
  statistics::Random random(11);
  const auto law = [](double p, double n) { return 0.01 + 1e-4 * n * n / p; };
  Kernel kernel{"", "time", "s", {}, {}};
  for (int i = 0; i < 20'000; ++i) {
    kernel.points.push_back({std::exp2(8 * random.uniform()), std::exp2(12 * random.uniform())});
    kernel.values.push_back(
        {law(kernel.points.back()[0], kernel.points.back()[1]) * std::exp(0.05 * random.normal())});
  }
  Options options;
  options.asked = {{64, 512}, {1024, 4096}, {256, 16384}};
  const auto fits = fit_all({{"p", "n"}, {kernel}, {}}, options);
  ASSERT_TRUE(fits);
  for (const Predicted& at : fits->kernels[0].predictions) {
    const double value = law(at.point[0], at.point[1]);
    EXPECT_NEAR(at.value / value, 1, 0.02);
    EXPECT_LT(at.low, value);
    EXPECT_GT(at.high, value);
  }
  EXPECT_NEAR(fits->kernels[0].relative_noise, 0.05, 0.005);
  const auto& warnings = fits->kernels[0].warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].substr(0, 90),
            "of 20,000 points what a formula misses is carried on by 512 groups of neighbours, and term");
}

TEST(Fit, RefusesRowsThatDoNotFit) {
  Options options;
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}, {2}}, {{1}}}, {"p"}, options));
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1, 2}}, {{1}}}, {"p"}, options));
  options.asked = {{-1}};
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"p"}, options));
  options.asked = {{0}};  // no process; no size is a point
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"p"}, options));
  EXPECT_TRUE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"n"}, options));
  options.asked = {};
  options.level = 1;
  EXPECT_FALSE(fit_kernel({"f", "time", "", {{1}}, {{1}}}, {"p"}, options));
}

TEST(Calibration, BetweenNearAndFarChecksWidthsGoInProportion) {
  const Reach reach{1, 0.8, 2, 1.6};
  EXPECT_DOUBLE_EQ(reach.at(0.5), 0.8);
  EXPECT_DOUBLE_EQ(reach.at(1.5), 1.2);
  EXPECT_DOUBLE_EQ(reach.at(6), 1.6);
  EXPECT_DOUBLE_EQ((Reach{1, 0.8, 1, 3}.at(2)), 0.8);
}

// The growth of one parameter is a simple power, that of another saturates: only the second one's intervals
// must be wider.
TEST(Calibration, EachParameterHasItsOwnWidths) {
  std::vector<Kernel> kernels;
  for (std::uint64_t k = 0; k < 30; ++k) {
    const double at = std::exp2(2 + static_cast<double>(k % 5));
    kernels.push_back(sampled(
        "time", crossed({{1, 2, 4, 8, 16, 32}, {1, 2, 4, 8, 16}}),
        [&](const auto& x) { return x[0] / (1 + x[0] / at) / x[1]; }, 0.01, k + 1));
  }
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : kernels) all.push_back(&kernel);
  const Calibration found = calibrate(all, Layouts({"n", "p"}), Statistic::mean, 1);
  ASSERT_EQ(found.reaches.size(), 2u);
  EXPECT_DOUBLE_EQ(found.reaches.at(0).near, 1);
  EXPECT_DOUBLE_EQ(found.reaches.at(0).far, 2);
  EXPECT_GT(found.reaches.at(0).near_width, 1.5 * found.reaches.at(1).near_width);
  EXPECT_GT(found.reaches.at(0).far_width, found.reaches.at(0).near_width);
}

TEST(Calibration, WidthIsWhatTheScoresWouldHaveNeeded) {
  EXPECT_EQ(width_of({}, 1), 1);
  std::vector<double> twice, right;
  statistics::Random random(4);
  for (int i = 0; i < 4000; ++i) right.push_back(random.normal()), twice.push_back(2 * random.normal());
  EXPECT_NEAR(width_of(right, 1), 1, 0.05);
  EXPECT_NEAR(width_of(twice, 1), 2, 0.08);
  // Few scores are weak evidence: ten weigh as much as the prior of no correction.
  EXPECT_NEAR(width_of(std::vector<double>(10, 2 * 1.6448536), 1), 1.5, 1e-6);
}

TEST(Fit, AnswersBeyondTheRangeOfNumbersAreItsEnds) {
  // From 1e-20 to 1e20 in one doubling: twelve doublings further the straight line reaches 1e500.
  const KernelFit fit = fitted({"", "time", "s", {{1}, {2}}, {{1e-20}, {1e20}}}, {"p"}, {{8192}});
  for (const double number : {fit.predictions[0].value, fit.predictions[0].low, fit.predictions[0].high}) {
    EXPECT_GE(number, 1e-30);
    EXPECT_LE(number, 1e30);
  }
  EXPECT_TRUE(fit.predictions[0].cut);
  EXPECT_THAT(fit.warnings, Contains(HasSubstr("below 1e-30 or above 1e30")));
}

}  // namespace
}  // namespace parcast::fit
