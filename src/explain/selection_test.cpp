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
  const auto with = [&](double sigma) {
    return predict::Estimate{
        seconds, seconds * std::exp(-kZ * sigma), seconds * std::exp(kZ * sigma), 0.9, "s", Origin::fitted};
  };
  out.seconds = with(std::hypot(shared, own));
  out.of_program = with(shared);
  return out;
}

TEST(Selection, OfTwoMachinesIsTheNormalProbabilityOfTheirDifference) {
  const Selection selection = select_machine({prediction(1.2, 0, 0.1), prediction(1.0, 0, 0.2)});
  ASSERT_EQ(selection.choices.size(), 2u);
  EXPECT_EQ(selection.choices[0].prediction, 1u);
  EXPECT_NEAR(selection.choices[0].probability_best,
              statistics::normal_probability(std::log(1.2) / std::hypot(0.1, 0.2)), 0.003);
  EXPECT_NEAR(selection.choices[0].probability_best + selection.choices[1].probability_best, 1, 1e-12);
  EXPECT_DOUBLE_EQ(selection.choices[1].slower, 1.2);
}

TEST(Selection, WhatErrsAlikeOnAllMachinesDoesNotBlurTheirOrder) {
  // The shared error is large, but only the own errors can change the order.
  const Selection selection = select_machine({prediction(1.0, 0.5, 0.02), prediction(1.05, 0.5, 0.02)});
  EXPECT_TRUE(selection.shared);
  EXPECT_NEAR(selection.choices[0].probability_best,
              statistics::normal_probability(std::log(1.05) / std::hypot(0.02, 0.02)), 0.003);
  // Without the program's share, all errors count as independent.
  auto apart = std::vector{prediction(1.0, 0.5, 0.02), prediction(1.05, 0.5, 0.02)};
  apart[0].of_program.reset();
  const Selection blurred = select_machine(apart);
  EXPECT_FALSE(blurred.shared);
  EXPECT_NEAR(blurred.choices[0].probability_best,
              statistics::normal_probability(std::log(1.05) / (std::sqrt(2) * std::hypot(0.5, 0.02))), 0.003);
}

TEST(Selection, AlikeMachinesShareWhatIsToBeWon) {
  for (const double own : {0.0, 0.3}) {
    const Selection selection =
        select_machine({prediction(2, 0.1, own), prediction(2, 0.1, own), prediction(2, 0.1, own)});
    for (const Choice& choice : selection.choices)
      EXPECT_NEAR(choice.probability_best, 1.0 / 3, 0.003) << own;
  }
}

TEST(Selection, AnOutdoneMachineIsNeverTheFastest) {
  const Selection selection = select_machine(
      {prediction(1.0, 0, 0.2), prediction(1.01, 0, 0.2), prediction(1.02, 0, 0.2)}, {false, true, false});
  EXPECT_EQ(selection.choices[1].prediction, 1u);
  EXPECT_EQ(selection.choices[1].probability_best, 0);
  EXPECT_NEAR(selection.choices[0].probability_best,
              statistics::normal_probability(std::log(1.02) / std::hypot(0.2, 0.2)), 0.003);
}

TEST(Selection, SidesOfAnIntervalCountApart) {
  // The second may be far longer, but hardly shorter: it seldom wins against a certain time just below it.
  predict::Prediction sure = prediction(0.98, 0, 0), skewed = prediction(1.0, 0, 0.01);
  skewed.seconds.high = 5;
  const Selection selection = select_machine({sure, skewed});
  EXPECT_NEAR(selection.choices[1].probability_best, statistics::normal_probability(std::log(0.98) / 0.01),
              0.003);
}

TEST(Selection, IsTheSameEveryTime) {
  const auto machines =
      std::vector{prediction(1.0, 0.1, 0.1), prediction(1.1, 0.2, 0.1), prediction(0.9, 0, 0.4)};
  const Selection a = select_machine(machines), b = select_machine(machines);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(a.choices[i].probability_best, b.choices[i].probability_best);
  EXPECT_TRUE(select_machine({}).choices.empty());
}

TEST(Selection, OfASweepStandingsAreThoseOfEachPoint) {
  // At the first point the second machine leads by ln 1.2 with errors of 0.1 and 0.2. At the second point the
  // first one takes half as long, with certainty.
  const Standings standings = standings_of(
      {prediction(1.2, 0, 0.1), prediction(1.0, 0, 0.2), prediction(3, 0, 0), prediction(6, 0, 0)}, 2);
  ASSERT_EQ(standings.each.size(), 4u);
  EXPECT_TRUE(standings.shared);
  const double second = statistics::normal_probability(std::log(1.2) / std::hypot(0.1, 0.2));
  EXPECT_NEAR(standings.each[0].probability_best, 1 - second, 0.015);
  EXPECT_NEAR(standings.each[1].probability_best, second, 0.015);
  EXPECT_DOUBLE_EQ(standings.each[0].slower, 1.2);
  EXPECT_DOUBLE_EQ(standings.each[1].slower, 1);
  EXPECT_DOUBLE_EQ(standings.each[2].probability_best, 1);
  EXPECT_DOUBLE_EQ(standings.each[3].probability_best, 0);
  EXPECT_DOUBLE_EQ(standings.each[3].slower, 2);
  EXPECT_TRUE(standings_of({prediction(1, 0, 0), prediction(2, 0, 0)}, 1).each.empty());
}

/// Returns a machine with only a latency, which has a relative error.
machine::Machine machine_of(double latency, double error) {
  machine::Machine out;
  out.name = "m";
  machine::Link link;
  link.latency = {latency, error, 10, Origin::measured};
  out.links["core"] = link;
  return out;
}

TEST(Selection, OfVariantsTheMachinesErrorBlursTheOrderByWhatTheyDifferInIt) {
  // Both have only errors of the latency: ln T_i moves by e_i times its relative error s. P = Phi(ln(1.02) /
  // (s |e_1 - e_2|)).
  constexpr double kError = 0.1;
  const machine::Machine machine = machine_of(1e-6, kError * 1e-6);
  const auto errs = [](double elasticity) {
    return predict::MachineErrors{{{"links.core.latency", elasticity / 1e-6}}, {}, 0};
  };
  for (const auto& [a, b] : {std::pair(1.0, 0.6), {0.5, 0.3}, {0.2, 0.9}}) {
    const Selection selection = select_variant(
        {prediction(1.0, 0, kError * a), prediction(1.02, 0, kError * b)}, {errs(a), errs(b)}, machine);
    EXPECT_TRUE(selection.shared);
    EXPECT_NEAR(selection.choices[0].probability_best,
                statistics::normal_probability(std::log(1.02) / (kError * std::abs(a - b))), 0.006)
        << a;
  }
  // Equal elasticities: the order is certain, whatever the latency is. On two machines it would not be.
  const auto alike = std::vector{prediction(1.0, 0, kError * 0.5), prediction(1.02, 0, kError * 0.5)};
  EXPECT_NEAR(select_variant(alike, {errs(0.5), errs(0.5)}, machine).choices[0].probability_best, 1, 1e-6);
  const Selection apart = select_variant(alike, {}, machine);
  EXPECT_FALSE(apart.shared);
  EXPECT_NEAR(apart.choices[0].probability_best,
              statistics::normal_probability(std::log(1.02) / (std::sqrt(2) * kError * 0.5)), 0.006);
}

TEST(Selection, OfVariantsWhatErrsInTheProgramsErrsApart) {
  // By hand: own errors 0.05 and 0.03; the misfit of a table adds 0.2 and 0.1 of the time: sqrt(0.1^2 +
  // 0.05^2 + 0.03^2).
  const auto table = [](double part) { return predict::MachineErrors{{}, {{"broadcast", part}}, 0}; };
  const Selection selection = select_variant({prediction(1.1, 0.2, 0.05), prediction(1.0, 0.1, 0.03)},
                                             {table(0.2), table(0.1)}, machine_of(1e-6, 0));
  EXPECT_EQ(selection.choices[0].prediction, 1u);
  EXPECT_NEAR(selection.choices[0].probability_best,
              statistics::normal_probability(std::log(1.1) / std::sqrt(0.01 + 0.0025 + 0.0009)), 0.006);
}

}  // namespace
}  // namespace parcast::explain
