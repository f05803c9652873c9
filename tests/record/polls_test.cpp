// SPDX-License-Identifier: Apache-2.0
// Computing between polls that find nothing is recorded, although the polls are only counted.
#include <gtest/gtest.h>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

struct Ran {
  double worked = 0, compute = 0, seconds = 0, inside = 0, recording = 0;
  std::uint64_t events = 0, polls = 0;
};

Ran run(const std::string& what, Mpi mpi) {
  const Scratch scratch;
  const Outcome outcome = run_recorded(scratch, {1, program("polls", mpi) + " " + what, "", "", mpi});
  const auto recording = recorded(scratch);
  EXPECT_TRUE(recording) << outcome.errors;
  if (!recording || recording->ranks.empty() || !outcome.output.starts_with("worked ")) return {};
  const RankRecording& rank = recording->ranks[0];
  Ran ran{std::stod(outcome.output.substr(7)) * 1e-9,
          static_cast<double>(rank.total_compute) * 1e-9,
          static_cast<double>(rank.wall) * 1e-9,
          0,
          seconds_recording(rank),
          event_count(rank),
          0};
  const auto sums = sums_by_call(rank, recording->calls);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::string& name = recording->calls[i].name;
    if (name == "MPI_Test") ran.polls += sums[i].calls;
    if (name != "MPI_Init" && name != "MPI_Finalize") ran.inside += sums[i].inside * 1e-9;
  }
  return ran;
}

class Polls : public testing::TestWithParam<Mpi> {};

TEST_P(Polls, WorkBetweenThemIsComputing) {
  const Ran ran = run("working", GetParam());
  EXPECT_EQ(ran.polls, 40000u);
  EXPECT_LT(ran.events, 5000u);  // they are counted, except those after a switch
  EXPECT_GT(ran.worked, 0.028);
  // Another process may have had the processor while the program read its clock.
  EXPECT_GT(ran.compute, 0.028);
  EXPECT_LT(ran.compute, 1.3 * ran.worked);
}

TEST_P(Polls, LoopsThatOnlyPollDoNotCompute) {
  const Ran ran = run("waiting", GetParam());
  EXPECT_GT(ran.polls, 10000u);
  EXPECT_GE(ran.seconds, 0.02);
  EXPECT_LT(ran.compute, 0.2 * ran.seconds);
}

// The recorder's own time for a poll that it only counts is neither the program's computing nor time in its
// calls. The parts sum to the run's time, except the time that other processes had the processor.
TEST_P(Polls, WhatTheRecorderTakesForThemIsItsOwn) {
  const Ran ran = run("busy", GetParam());
  EXPECT_EQ(ran.polls, 1000000u);
  EXPECT_LT(ran.events, 50000u);
  EXPECT_GT(ran.recording, 1e6 * 5e-9);
  EXPECT_LT(ran.recording, 0.9 * ran.seconds);
  EXPECT_LT(ran.compute + ran.inside + ran.recording, 1.03 * ran.seconds);
}

INSTANTIATE_TEST_SUITE_P(Families, Polls, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace parcast::record_tests
