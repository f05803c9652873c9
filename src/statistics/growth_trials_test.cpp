// SPDX-License-Identifier: Apache-2.0
// Accuracy of fit_growth in its most frequent use: three problem sizes on one and two processes, noise of a
// few per cent, and a prediction at four times the size. Seeded, so that a change of these figures means a
// change of the method.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <functional>

#include "statistics/growth.h"
#include "statistics/random.h"
#include "statistics/summary.h"

namespace parcast::statistics {
namespace {

struct Truth {
  const char* name;
  std::function<double(double, double)> work;
};

const std::vector<Truth> kTruths{
    {"n^2/p", [](double n, double p) { return n * n / p; }},
    {"n^3/p", [](double n, double p) { return n * n * n / p; }},
    {"n (n/p)", [](double n, double p) { return n * (n / p); }},
    {"n/p", [](double n, double p) { return n / p; }},
    {"n^2", [](double n, double) { return n * n; }},
    {"n^3", [](double n, double) { return n * n * n; }},
};

struct Outcome {
  std::vector<double> errors;
  int covered = 0;
  int asked = 0;
  double seconds = 0;
};

void try_once(const Truth& truth, const std::vector<double>& sizes, double constant_share, double noise,
              std::uint64_t seed, Outcome& outcome) {
  Random random(seed);
  const double unit = truth.work(sizes[1], 1);
  const auto time = [&](double n, double p) {
    return 1e-3 * (constant_share / (1 - constant_share) + truth.work(n, p) / unit);
  };
  GrowthData data{{"n", "p"}, {}, {}, {}};
  for (const double n : sizes)
    for (const double p : {1.0, 2.0}) {
      data.points.push_back({n, p});
      data.values.push_back(time(n, p) * std::exp(noise * random.normal()));
    }
  const std::clock_t start = std::clock();
  const auto model = fit_growth(data);
  outcome.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(model);
  for (const double p : {2.0, 8.0}) {
    const double exact = time(4 * sizes.back(), p);
    const auto predicted = model->predict(std::vector<double>{4 * sizes.back(), p}, 0.9);
    outcome.errors.push_back(std::abs(predicted.value / exact - 1));
    outcome.covered += predicted.low <= exact && exact <= predicted.high;
    ++outcome.asked;
  }
}

Outcome trials(double noise, int repeats) {
  Outcome outcome;
  std::uint64_t seed = 1;
  for (const Truth& truth : kTruths)
    for (const auto& sizes : {std::vector<double>{100, 200, 400}, std::vector<double>{64, 96, 128}})
      for (const double share : {0.0, 0.1, 0.3})
        for (int i = 0; i < repeats; ++i) try_once(truth, sizes, share, noise, ++seed, outcome);
  return outcome;
}

double coverage(const Outcome& outcome) {
  return static_cast<double>(outcome.covered) / outcome.asked;
}

TEST(GrowthTrials, FourTimesTheSizeFromNoiseOfTwoPerCent) {
  const Outcome outcome = trials(0.02, 15);  // 540 fits
  EXPECT_LT(median(outcome.errors), 0.03);
  EXPECT_LT(quantile(outcome.errors, 0.9), 0.15);
  EXPECT_GE(coverage(outcome), 0.85);
  EXPECT_LE(coverage(outcome), 0.98);
  RecordProperty("median_error", std::to_string(median(outcome.errors)));
  RecordProperty("coverage", std::to_string(coverage(outcome)));
  RecordProperty("milliseconds_per_fit", std::to_string(1e3 * outcome.seconds / 540));
}

TEST(GrowthTrials, NoiseOfFivePerCentKeepsTheCoverage) {
  const Outcome outcome = trials(0.05, 10);
  EXPECT_LT(median(outcome.errors), 0.08);
  EXPECT_GE(coverage(outcome), 0.85);
  RecordProperty("median_error", std::to_string(median(outcome.errors)));
  RecordProperty("coverage", std::to_string(coverage(outcome)));
}

TEST(GrowthTrials, SmallNoiseGivesSmallErrors) {
  const Outcome outcome = trials(0.002, 5);
  EXPECT_LT(median(outcome.errors), 0.003);
  EXPECT_GE(coverage(outcome), 0.9);
}

}  // namespace
}  // namespace parcast::statistics
