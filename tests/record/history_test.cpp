// SPDX-License-Identifier: Apache-2.0
// Tests which classes of segments take a token, based on their own history.
#include "record/mpi/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

namespace parcast::record_tests {
namespace {

/// Durations of a class's segments with exclusive use of the memory, and concurrently with others.
struct Times {
  double held, free;
};

class History : public testing::Test {
 protected:
  struct Process {
    parcast_history history{};
    explicit Process(parcast_opinion* opinions) { history.opinions = opinions; }
    parcast_class* of(const void* site, std::uint32_t region = 0) {
      bool fresh;
      return parcast_class_of(&history, site, region, &fresh);
    }
  };

  /// Executes it as it requests; a letter for each execution: T with the token, F free on trial, . free.
  static std::string run(parcast_class* of, Times times, int executions, bool vain = false) {
    std::string wishes;
    for (int i = 0; i < executions; ++i) {
      const parcast_wish wish = parcast_class_wish(of);
      const bool held = wish == PARCAST_WISH_TOKEN;
      const double time = held ? times.held : times.free;
      const parcast_execution execution{time, time, held, held && vain, held && vain};
      parcast_class_ran(of, &execution);
      wishes += held ? 'T' : wish == PARCAST_WISH_FREE ? 'F' : '.';
    }
    return wishes;
  }

  std::array<parcast_opinion, PARCAST_CLASSES> opinions_{};
  std::unique_ptr<Process> one_ = std::make_unique<Process>(opinions_.data());
  const int here_ = 0, there_ = 0;
};

const std::string kTrial = "TTTFFFTTTFFF";

TEST_F(History, ShortSegmentsNeverTakeATokenHoweverMuchSlowerTheyAre) {
  EXPECT_EQ(run(one_->of(&here_), {20e3, 60e3}, 1000), std::string(1000, '.'));
  EXPECT_EQ(parcast_class_slowdown(one_->of(&here_)), 1);
}

TEST_F(History, SegmentsThatWouldKeepTheOthersWaitingForTooLongNeverTakeAToken) {
  EXPECT_EQ(run(one_->of(&here_), {100e6, 300e6}, 100), std::string(100, '.'));
}

TEST_F(History, LongOnesThatNeighboursSlowTakeIt) {
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1.3e6}, 2 + 12 + 64 + 12 + 128 + 1),
            ".." + kTrial + std::string(64, 'T') + kTrial + std::string(128, 'T') + "T");
  EXPECT_NEAR(parcast_class_slowdown(one_->of(&here_)), 1.3, 1e-6);
}

TEST_F(History, LongOnesThatNeighboursDoNotSlowLeaveIt) {
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1.02e6}, 2 + 12 + 64 + 12 + 128),
            ".." + kTrial + std::string(64, '.') + kTrial + std::string(128, '.'));
}

TEST_F(History, ThePauseBetweenTrialsGrowsTo4096Executions) {
  run(one_->of(&here_), {1e6, 1e6}, 2 + 7 * 12 + 64 + 128 + 256 + 512 + 1024 + 2048 + 4096);
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1e6}, 12 + 4096 + 12), kTrial + std::string(4096, '.') + kTrial);
}

TEST_F(History, TheFirstExecutionAfterAChangeCountsNotAndTheMedianOfTheRestDoes) {
  parcast_class* of = one_->of(&here_);
  run(of, {1e6, 1e6}, 2);
  const std::array<double, 12> times{9e6, 1e6, 1e6, 9e6, 1.2e6, 1.2e6, 9e6, 1e6, 5e6, 9e6, 1.2e6, 1.2e6};
  for (const double time : times) run(of, {time, time}, 1);
  EXPECT_NEAR(parcast_class_slowdown(of), 1.2, 1e-6);
}

TEST_F(History, AllProcessesJudgeTogether) {
  Process other(opinions_.data());
  run(one_->of(&here_), {1e6, 0.98e6}, 14);  // a disturbed trial
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1e6}, 1), ".");
  run(other.of(&here_), {1e6, 1.3e6}, 14);
  EXPECT_NEAR(parcast_class_slowdown(one_->of(&here_)), 1.14, 1e-6);
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1.3e6}, 1), ".");  // 0.11 above 1.03, standard error 0.16
  Process third(opinions_.data());
  run(third.of(&here_), {1e6, 1.3e6}, 14);
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1.3e6}, 1), "T");  // 0.163 above, standard error 0.107
}

TEST_F(History, ClassesAreApartBySiteAndRegion) {
  run(one_->of(&here_, 1), {1e6, 1.3e6}, 14);
  EXPECT_EQ(run(one_->of(&here_, 1), {1e6, 1.3e6}, 1), "T");
  EXPECT_EQ(run(one_->of(&here_, 2), {1e6, 1.3e6}, 1), ".");
  EXPECT_EQ(run(one_->of(&there_, 1), {1e6, 1.3e6}, 1), ".");
}

TEST_F(History, WhoIsRobbedThriceGivesUpForAWhile) {
  parcast_class* of = one_->of(&here_);
  run(of, {1e6, 1.3e6}, 14);
  EXPECT_EQ(run(of, {1e6, 1.3e6}, 3, true), "TTT");
  EXPECT_EQ(run(of, {1e6, 1.3e6}, 128 + 12), std::string(128, '.') + kTrial);
}

TEST_F(History, WhoSleepsWithTheTokenGivesUpThoughItsSegmentsAreShort) {
  parcast_class* of = one_->of(&here_);
  const parcast_execution slept{10e3, 1e6, true, true, false};  // always: short ones hold the token, too
  for (int i = 0; i < 3; ++i) parcast_class_ran(of, &slept);
  EXPECT_EQ(of->state, PARCAST_CLASS_UNFIT);
}

TEST_F(History, WhatBecomesShortTakesNoTokenAnyMore) {
  parcast_class* of = one_->of(&here_);
  run(of, {1e6, 1.3e6}, 14);
  EXPECT_EQ(run(of, {1e3, 1e3}, 5), "TTT..");
}

TEST_F(History, ATrialThatNeverGetsItsTokenEnds) {
  parcast_class* of = one_->of(&here_);
  run(of, {1e6, 1e6}, 2);
  const parcast_execution free{1e6, 1e6, false, false, false};
  for (int i = 0; i < 4 * 12; ++i) parcast_class_ran(of, &free);
  EXPECT_EQ(run(of, {1e6, 1e6}, 64), std::string(64, '.'));
}

TEST_F(History, LongSegmentsOfWhichNothingIsKnownYetAreSuspect) {
  parcast_class* of = one_->of(&here_);
  EXPECT_FALSE(parcast_class_suspect(of, 20e3));
  EXPECT_TRUE(parcast_class_suspect(of, 1e6));
  run(of, {1e6, 1e6}, 14);
  EXPECT_FALSE(parcast_class_suspect(of, 1e6));
}

TEST_F(History, WithoutRoomForACommonJudgementAProcessHasItsOwn) {
  for (parcast_opinion& opinion : opinions_) opinion.key = 2;
  run(one_->of(&here_), {1e6, 1.3e6}, 14);
  EXPECT_EQ(run(one_->of(&here_), {1e6, 1.3e6}, 1), "T");
}

TEST_F(History, AFullTableIsNoError) {
  std::array<char, 10 * PARCAST_CLASSES> sites{};
  std::array<parcast_class*, sites.size()> classes{};
  for (std::size_t i = 0; i < sites.size(); ++i) classes[i] = one_->of(&sites[i]);
  const auto without = std::count(classes.begin(), classes.end(), nullptr);
  EXPECT_EQ(sites.size() - static_cast<std::size_t>(without), static_cast<std::size_t>(PARCAST_CLASSES));
  for (std::size_t i = 0; i < sites.size(); ++i) EXPECT_EQ(one_->of(&sites[i]), classes[i]);
}

}  // namespace
}  // namespace parcast::record_tests
