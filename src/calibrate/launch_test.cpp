// SPDX-License-Identifier: Apache-2.0
#include "calibrate/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace parcast::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path log_path() {
  return std::filesystem::temp_directory_path() / "parcast-launch-test.log";
}

TEST(LaunchWords, FollowQuotesAndPutInTheCount) {
  EXPECT_THAT(launch_words("mpirun -n {p}", 4).value(), ElementsAre("mpirun", "-n", "4"));
  EXPECT_THAT(launch_words("srun --ntasks={p} 'a b' \"c\"d e\\ f ''", 12).value(),
              ElementsAre("srun", "--ntasks=12", "a b", "cd", "e f", ""));
}

TEST(LaunchWords, SayWhatIsWrong) {
  EXPECT_THAT(launch_words("", 1).error().what, HasSubstr("empty"));
  EXPECT_THAT(launch_words("mpirun -n 4", 1).error().hint, HasSubstr("{p}"));
  EXPECT_THAT(launch_words("mpirun '-n {p}", 1).error().what, HasSubstr("quote"));
}

TEST(Launch, ReturnsWhenTheProgramHasSucceeded) {
  int waits = 0;
  EXPECT_TRUE(launch({"sh", "-c", "sleep 0.1"}, log_path(), 10, [&] { ++waits; }));
  EXPECT_GE(waits, 1);
}

TEST(Launch, AFailureCarriesTheCodeAndTheEndOfTheErrors) {
  const auto result = launch({"sh", "-c", "echo not enough slots >&2; exit 7"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("ended with code 7"));
  EXPECT_THAT(result.error().hint, HasSubstr("it printed last:\n  not enough slots"));
  EXPECT_THAT(result.error().hint, HasSubstr("mpirun --oversubscribe -n {p}"));
}

TEST(Launch, WhatFailsWithoutAWordIsToBeRunByHand) {
  const auto result = launch({"sh", "-c", "exit 1"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().hint, HasSubstr("it printed nothing\n  run it by hand to see more: sh -c exit 1"));
}

TEST(Launch, AProgramThatIsNotThereIsNamed) {
  const auto result = launch({"no-such-launcher-here"}, log_path(), 10, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(to_string(result.error()), HasSubstr("no-such-launcher-here"));
}

TEST(Launch, PatienceEnds) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = launch({"sleep", "30"}, log_path(), 0.2, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("without a result"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace parcast::calibrate
