// SPDX-License-Identifier: Apache-2.0
#include "explain/selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "statistics/distribution.h"

namespace parcast::explain {
namespace {

const double kZ = statistics::normal_quantile(0.95);

/// `shared` and `own`: standard deviations of the logarithm.
predict::Prediction prediction(double seconds, double shared, double own) {
  predict::Prediction out;
  const auto with = [&](double sigma) { return predict::Estimate{seconds, seconds * std::exp(-kZ * sigma), seconds * std::exp(kZ * sigma), 0.9, "s", Origin::fitted}; };
  out.seconds = with(std::hypot(shared, own));
  out.of_program = with(shared);
  return out;
}

TEST(Selection, OfTwoMachinesIsTheNormalProbabilityOfTheirDifference) {
  const Selection selection = select_machine({prediction(1.2, 0, 0.1), prediction(1.0, 0, 0.2)});
  ASSERT_EQ(selection.choices.size(), 2u);
  EXPECT_EQ(selection.choices[0].prediction, 1u);
  EXPECT_NEAR(selection.choices[0].probability_best, statistics::normal_probability(std::log(1.2) / std::hypot(0.1, 0.2)), 0.003);
  EXPECT_NEAR(selection.choices[0].probability_best + selection.choices[1].probability_best, 1, 1e-12);
  EXPECT_DOUBLE_EQ(selection.choices[1].slower, 1.2);
}

TEST(Selection, WhatErrsAlikeOnAllMachinesDoesNotBlurTheirOrder) {
  // As large as it may be: the nearer of the two stays the faster, by its own error alone.
  const Selection selection = select_machine({prediction(1.0, 0.5, 0.02), prediction(1.05, 0.5, 0.02)});
  EXPECT_TRUE(selection.shared);
  EXPECT_NEAR(selection.choices[0].probability_best, statistics::normal_probability(std::log(1.05) / std::hypot(0.02, 0.02)), 0.003);
  // Where the engine does not tell it apart, everything counts as independent.
  auto apart = std::vector{prediction(1.0, 0.5, 0.02), prediction(1.05, 0.5, 0.02)};
  apart[0].of_program.reset();
  const Selection blurred = select_machine(apart);
  EXPECT_FALSE(blurred.shared);
  EXPECT_NEAR(blurred.choices[0].probability_best, statistics::normal_probability(std::log(1.05) / (std::sqrt(2) * std::hypot(0.5, 0.02))), 0.003);
}

TEST(Selection, AlikeMachinesShareWhatIsToBeWon) {
  for (const double own : {0.0, 0.3}) {
    const Selection selection = select_machine({prediction(2, 0.1, own), prediction(2, 0.1, own), prediction(2, 0.1, own)});
    for (const Choice& choice : selection.choices) EXPECT_NEAR(choice.probability_best, 1.0 / 3, 0.003) << own;
  }
}

TEST(Selection, SidesOfAnIntervalCountApart) {
  // The second may be far longer, hardly shorter: it seldom wins against a sure time just below it.
  predict::Prediction sure = prediction(0.98, 0, 0), skewed = prediction(1.0, 0, 0.01);
  skewed.seconds.high = 5;
  const Selection selection = select_machine({sure, skewed});
  EXPECT_NEAR(selection.choices[1].probability_best, statistics::normal_probability(std::log(0.98) / 0.01), 0.003);
}

TEST(Selection, IsTheSameEveryTime) {
  const auto machines = std::vector{prediction(1.0, 0.1, 0.1), prediction(1.1, 0.2, 0.1), prediction(0.9, 0, 0.4)};
  const Selection a = select_machine(machines), b = select_machine(machines);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(a.choices[i].probability_best, b.choices[i].probability_best);
  EXPECT_TRUE(select_machine({}).choices.empty());
}

}  // namespace
}  // namespace parcast::explain
