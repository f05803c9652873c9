// SPDX-License-Identifier: Apache-2.0
#include "study/advised.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::study {
namespace {

/// Runs of a program that takes 1e-6 N^2 / p seconds, a little uneven.
std::vector<Run> runs() {
  std::vector<Run> out;
  int i = 0;
  for (const double p : {1, 2, 4})
    for (const double n : {100, 200, 400}) {
      Run run{.values = {{"p", p}, {"N", n}}};
      run.is_done = true, run.processes = static_cast<int>(p);
      run.seconds = 1e-6 * n * n / p * (1 + 0.02 * ((i++ * 7) % 5 - 2));
      out.push_back(run);
    }
  return out;
}

NextAsked question() {
  NextAsked asked;
  asked.names = {"p", "N"};
  asked.ask = {{"p", 4}, {"N", 1600}};
  asked.most_processes = 4;
  return asked;
}

TEST(NextRun, LiesWithinTheCoresAndTheTime) {
  const auto next = next_run(runs(), question());
  ASSERT_TRUE(next) << to_string(next.error());
  ASSERT_TRUE(*next);
  EXPECT_LE((*next)->values.at("p"), 4);
  EXPECT_GT((*next)->narrower, 0.05);
  NextAsked shorter = question();
  shorter.seconds_left = (*next)->seconds / 2;
  const auto other = next_run(runs(), shorter);
  ASSERT_TRUE(other) << to_string(other.error());
  if (*other) EXPECT_LE((*other)->seconds, *shorter.seconds_left);
}

TEST(NextRun, FailedOnesAreNotProposedAgain) {
  NextAsked asked = question();
  const auto first = next_run(runs(), asked);
  ASSERT_TRUE(first && *first);
  asked.failed = {(*first)->values};
  const auto second = next_run(runs(), asked);
  ASSERT_TRUE(second);
  if (*second) EXPECT_NE((*second)->values, (*first)->values);
}

TEST(NextRun, IsARepetitionWhereThePointIsMeasured) {
  NextAsked asked = question();
  asked.ask = {{"p", 4}, {"N", 400}};
  const auto next = next_run(runs(), asked);
  ASSERT_TRUE(next);
  if (!*next) return;
  const bool measured = (*next)->values.at("N") <= 400 && std::fmod((*next)->values.at("N"), 100) == 0;
  EXPECT_EQ((*next)->repeat, measured ? 2 : 1);
}

TEST(NextRun, TimesOfSharedCoresTellNothing) {
  auto all = runs();
  for (auto& run : all) run.is_crowded = true;
  const auto next = next_run(all, question());
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().what, "no run had a core for each process");
}

TEST(NextRun, ValuesThatNeverVariedCannotBeProposed) {
  auto all = runs();
  std::erase_if(all, [](const auto& run) { return run.values.at("N") != 100; });
  EXPECT_FALSE(next_run(all, question()));  // asked about another N
}

}  // namespace
}  // namespace parcast::study
