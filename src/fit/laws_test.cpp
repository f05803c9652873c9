// SPDX-License-Identifier: Apache-2.0
#include "fit/laws.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit.h"
#include "fit/model.h"

namespace parcast::fit {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Kernel kernel_of(const std::vector<double>& x, const std::vector<double>& y,
                 const std::string& metric = "time") {
  Kernel kernel{"", metric, "", {}, {}};
  for (std::size_t i = 0; i < x.size(); ++i) kernel.points.push_back({x[i]}), kernel.values.push_back({y[i]});
  return kernel;
}

KernelFit fitted(const Kernel& kernel, const Points& asked, const std::string& parameter = "p") {
  Options options;
  options.asked = asked;
  auto fit = fit_kernel(kernel, {parameter}, options);
  EXPECT_TRUE(fit);
  return *std::move(fit);
}

double logarithm_of(const Law& law, double x) {
  return std::log(law.at(x));
}

// Sum of squares of the numbers' distances from their mean.
double squares(const std::vector<double>& numbers) {
  double mean = 0, sum = 0;
  for (const double each : numbers) mean += each / static_cast<double>(numbers.size());
  for (const double each : numbers) sum += (each - mean) * (each - mean);
  return sum;
}

TEST(Laws, NamesThatCountProcesses) {
  for (const char* name : {"p", "P", "processes", "num_ranks", "MPI-ranks", "nprocs", "cores", "threads"})
    EXPECT_TRUE(counts_processes(name)) << name;
  for (const char* name : {"n", "size", "bytes", "pressure", "s", "steps"})
    EXPECT_FALSE(counts_processes(name)) << name;
}

TEST(Laws, SharesSumToOneAtTheLargestPointAndPriorWeightsToOne) {
  for (const auto& [laws, largest] :
       {std::pair(laws_of_processes(48), 48.0), std::pair(laws_of_sizes(4096), 4096.0)}) {
    double prior = 0;
    for (const Law& law : laws) {
      EXPECT_NEAR(law.at(largest), 1, 1e-12);
      prior += std::exp(law.log_prior);
    }
    EXPECT_NEAR(prior, 1, 1e-9);
  }
}

TEST(Laws, NoLawOfProcessesGrowsFasterThanItsLimitOrVanishesAtOneProcess) {
  for (const Law& law : laws_of_processes(64)) {
    EXPECT_LE(law.at(512), std::pow(8, kFastestLaw) * (1 + 1e-12));
    EXPECT_GT(law.at(1), 0);
  }
}

// With one parameter, the scale, and independent errors the evidence is proportional to
// (w0 e0^2 + S)^(-(w0 + n - 1) / 2), S the squares of logarithms about their mean.
TEST(Laws, WeightsFollowTheMissesOfEachLaw) {
  const std::vector<double> x{4, 8, 16}, y{1.05, 1, 0.97};
  const Model model = model_of(kernel_of(x, y), Layouts({"p"}), Statistic::mean, {});
  const auto misses = [&](const Law& law) {
    std::vector<double> out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(std::log(y[i]) - logarithm_of(law, x[i]));
    return squares(out);
  };
  std::vector<const Mixture::Part*> parts;
  for (const Mixture::Part& part : model.mixture->parts())
    if (part.errors == 0) parts.push_back(&part);
  ASSERT_GE(parts.size(), 3u);
  for (const Mixture::Part* part : parts) {
    const double evidence =
        -1.5 * std::log((0.0009 + misses(*part->law)) / (0.0009 + misses(*parts[0]->law)));
    EXPECT_NEAR(std::log(part->hypothesis.weight / parts[0]->hypothesis.weight),
                evidence + part->law->log_prior - parts[0]->law->log_prior, 1e-9);
  }
}

// A mean of n logarithms predicts another one with s sqrt(1 + 1 / n), s^2 = (w0 e0^2 + S) / (w0 + n - 1).
TEST(Laws, ALawPredictsAsAMeanOfLogarithms) {
  const std::vector<double> x{2, 4, 8}, y{4.1, 2, 1.02};
  const Model model = model_of(kernel_of(x, y), Layouts({"p"}), Statistic::mean, {});
  const std::vector<double> at{32};
  const auto components = model.mixture->at(model.mixture->place(at), 0);
  std::size_t checked = 0;
  for (std::size_t k = 0; k < model.mixture->parts().size(); ++k) {
    const Mixture::Part& part = model.mixture->parts()[k];
    if (part.errors != 0) continue;
    std::vector<double> logs;
    double mean = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      logs.push_back(std::log(y[i]) - logarithm_of(*part.law, x[i])), mean += logs.back() / 3;
    EXPECT_NEAR(components[k].location, mean + logarithm_of(*part.law, 32), 1e-12);
    EXPECT_NEAR(components[k].scale, std::sqrt((0.0009 + squares(logs)) / 3 * (1 + 1.0 / 3)), 1e-12);
    EXPECT_EQ(components[k].degrees, 3);
    ++checked;
  }
  EXPECT_GE(checked, 2u);
}

// Values that any of these laws gives back within a few percent: the interval spans them all.
TEST(Laws, TheIntervalOfThreePointsSpansLawsThatFitAlike) {
  const auto values = [](auto law) { return std::vector<double>{law(4.0), law(8.0), law(16.0)}; };
  const auto amdahl = [](double p) { return 1 + 20 / p; };
  const auto logarithm = [](double p) { return 0.7 + 20.6 / p + 0.08 * std::log2(p); };
  const auto linear = [](double p) { return 0.85 + 20.4 / p + 0.01 * p; };
  for (const double p : {4.0, 8.0, 16.0}) {
    EXPECT_NEAR(logarithm(p) / amdahl(p), 1, 0.03);
    EXPECT_NEAR(linear(p) / amdahl(p), 1, 0.03);
  }
  const Predicted at = fitted(kernel_of({4, 8, 16}, values(amdahl)), {{128}}).predictions[0];
  for (const double truth : {amdahl(128), logarithm(128), linear(128), 0.7 * amdahl(128)}) {
    EXPECT_LT(at.low, truth);
    EXPECT_GT(at.high, truth);
  }
}

// Three terms with cubes of p give these values back, and grow 512-fold.
TEST(Laws, ThreePointsThatRiseDoNotGrowAsACube) {
  const Predicted at = fitted(kernel_of({1, 2, 4}, {0.1, 0.1, 0.12}), {{32}}).predictions[0];
  EXPECT_LT(at.value, 0.12 * 8);
  EXPECT_LT(at.high, 0.12 * 64);
  EXPECT_GT(at.low, 0.12 / 8);
}

TEST(Laws, BeyondTheLargestProcessCountTheUpperSideIsWider) {
  const Model model = model_of(kernel_of({1, 2, 4}, {10, 5.2, 2.8}), Layouts({"p"}), Statistic::mean, {});
  const auto beyond = model.beyond_data({32});
  EXPECT_NEAR(beyond.middle, 3 * 0.04, 1e-12);
  EXPECT_NEAR(beyond.above / beyond.below, 0.65 / 0.35, 1e-12);
  EXPECT_EQ(model.beyond_data({4}).above, 0);
}

// The exponent from 4 to 8 is log2(7 / 18) = -1.36.
TEST(Laws, ASuperlinearLastSlopeIsNamedAndWidensDownwards) {
  const Kernel steep = kernel_of({2, 4, 8}, {40, 18, 7});
  const KernelFit fit = fitted(steep, {{16}});
  EXPECT_THAT(fit.warnings,
              Contains(HasSubstr("superlinear: from p = 4.000 to 8.000 the values fall as p^-1.36")));
  const auto beyond = model_of(steep, Layouts({"p"}), Statistic::mean, {}).beyond_data({16});
  EXPECT_EQ(beyond.below, beyond.above);
  EXPECT_THAT(fitted(kernel_of({2, 4, 8}, {40, 20, 9.5}), {{16}}).warnings,
              Not(Contains(HasSubstr("superlinear"))));
  EXPECT_THAT(fitted(steep, {{16}}, "n").warnings, Not(Contains(HasSubstr("superlinear"))));
}

TEST(Laws, AnIntervalBeyondTenTimesTheValueHasASentence) {
  const KernelFit fit = fitted(kernel_of({1, 2, 4}, {1, 3, 0.5}), {{4}, {4096}});
  ASSERT_GT(fit.predictions[1].high, 10 * fit.predictions[1].value);
  EXPECT_THAT(
      fit.warnings,
      Contains(HasSubstr("at p = 4096 the interval reaches beyond ten times its value: 3 values of p")));
}

TEST(Laws, ACountThatAFormulaGivesBackIsNotGuessedByLaws) {
  const KernelFit fit = fitted(kernel_of({1, 2, 4}, {120, 140, 180}, "visits"), {{64}});
  EXPECT_EQ(fit.tier, Origin::ambiguous);
  EXPECT_NEAR(fit.predictions[0].value / (100 + 20 * 64), 1, 0.01);
}

// log2(1) = 0: a law whose growing part vanishes there still has the other parts.
TEST(Laws, AtOneProcessLogarithmsBoundNothing) {
  const KernelFit fit = fitted(kernel_of({2, 4, 8}, {8, 11, 14}), {{1}});
  EXPECT_GT(fit.predictions[0].low, 1);
  EXPECT_LT(fit.predictions[0].high, 16);
}

TEST(Laws, FormulasAreOneOfEachFamilyWithItsWeight) {
  const KernelFit fit = fitted(kernel_of({1, 2, 4}, {100, 52, 28.1}), {{16}});
  double weight = 0;
  for (const Formula& formula : fit.formulas) weight += formula.weight;
  EXPECT_GT(weight, 0.8);
  EXPECT_LE(weight, 1 + 1e-9);
  EXPECT_LE(fit.formulas.size(), 5u);
  EXPECT_EQ(fit.tier, Origin::fitted);
}

}  // namespace
}  // namespace parcast::fit
