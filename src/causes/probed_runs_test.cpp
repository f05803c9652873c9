// SPDX-License-Identifier: Apache-2.0
#include "causes/probed_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "causes/overheads.h"

namespace parcast::causes {
namespace {

using recording::PhaseKind;
using recording::RankRecording;
using recording::Recording;

/// Returns a rank with phases one after the other, with these lengths in nanoseconds.
RankRecording rank_of(
    std::int32_t number,
    const std::vector<std::tuple<PhaseKind, std::uint32_t, std::int64_t, double, double>>& phases) {
  RankRecording rank;
  rank.rank = number;
  rank.phase_names = {"multiply", "shift", "end", "computation"};
  std::int64_t at = 100;
  for (const auto& [kind, name, length, operations, quantums] : phases) {
    rank.phases.push_back({kind, name, at, at + length, operations, quantums});
    at += length;
  }
  return rank;
}

Recording recording_of(std::vector<RankRecording> ranks) {
  Recording made;
  made.program = "made";
  made.parameters = {{"n", 7}};
  made.processes = static_cast<std::int32_t>(ranks.size());
  made.ranks = std::move(ranks);
  return made;
}

using enum PhaseKind;

// By hand: 1,000 ns on one process. On two processes 2 x 520 ns of computing, 60 and 30 ns of communication,
// 20 and 50 ns idle: 600 ns each.
TEST(ProbedRuns, OverheadsAreThoseOfThePhasesTold) {
  const std::vector<Recording> recordings{
      recording_of({rank_of(0, {{computation, 0, 600, 60, 6}, {computation, 0, 400, 40, 0}})}),
      recording_of(
          {rank_of(0, {{computation, 0, 520, 50, 3}, {communication, 1, 60, 0, 9}, {idle, 2, 20, 0, 0}}),
           rank_of(1, {{computation, 3, 520, 50, 3}, {communication, 1, 30, 0, 9}, {idle, 2, 50, 0, 0}})})};
  ASSERT_TRUE(all_given_phases(recordings));
  const auto runs = probed_runs(recordings);
  ASSERT_TRUE(runs) << to_string(runs.error());
  ASSERT_EQ(runs->runs[0].phases.size(), 1u);
  EXPECT_EQ(runs->runs[0].phases[0].values[0], 100);
  EXPECT_EQ(runs->runs[0].phases[0].values[1], 6);
  const Phase& shift = runs->runs[1].phases[1];
  EXPECT_EQ(shift.name, "shift");
  EXPECT_TRUE(std::isnan(shift.values[0]));
  EXPECT_EQ(shift.values[1], 9);
  EXPECT_EQ(runs->runs[1].phases[3].name, "");  // the name is the same as the kind
  const auto sequential = sequential_of(*runs, runs->runs[1]);
  ASSERT_TRUE(sequential);
  const Overheads all = overheads(runs->runs[1], *sequential);
  EXPECT_NEAR(ratio_of(all, Kind::computation), 1.04, 1e-12);
  EXPECT_NEAR(ratio_of(all, Kind::communication), 0.09, 1e-12);
  EXPECT_NEAR(ratio_of(all, Kind::idle), 0.07, 1e-12);
  EXPECT_NEAR(all.efficiency, 1 / 1.2, 1e-12);
  EXPECT_NEAR(all.speedup, 1000.0 / 600, 1e-12);
}

TEST(ProbedRuns, WhatPhasesUsedAreEvents) {
  Recording one = recording_of(
      {rank_of(0, {{computation, 0, 600, 60, 6}, {communication, 1, 400, 0, 9}, {idle, 2, 5, 0, 0}})});
  one.ranks[0].finalised = true;
  one.ranks[0].phase_samples = {{0,
                                 {.minor_faults = 11,
                                  .major_faults = 12,
                                  .voluntary_switches = 13,
                                  .involuntary_switches = 14,
                                  .cache_misses = 15}}};
  const auto runs = probed_runs({one});
  ASSERT_TRUE(runs) << to_string(runs.error());
  std::map<std::string, double> of_multiply, of_shift;
  for (std::size_t i = 0; i < runs->variables.size(); ++i) {
    if (runs->variables[i].role != Role::event) continue;
    of_multiply[runs->variables[i].name] = runs->runs[0].phases[0].values[i];
    of_shift[runs->variables[i].name] = runs->runs[0].phases[1].values[i];
    EXPECT_TRUE(std::isnan(runs->runs[0].phases[2].values[i]));
  }
  EXPECT_EQ(of_multiply,
            (std::map<std::string, double>{
                {"page_faults", 11}, {"major_faults", 12}, {"context_switches", 27}, {"cache_misses", 15}}));
  EXPECT_EQ(of_shift,
            (std::map<std::string, double>{
                {"page_faults", 0}, {"major_faults", 0}, {"context_switches", 0}, {"cache_misses", 0}}));
  one.ranks[0].phase_samples.clear();
  for (const Phase& phase : probed_runs({one})->runs[0].phases)
    for (std::size_t i = 2; i < phase.values.size(); ++i) EXPECT_TRUE(std::isnan(phase.values[i]));
}

TEST(ProbedRuns, AProcessThatToldNothingIsNoProbe) {
  EXPECT_FALSE(
      all_given_phases({recording_of({rank_of(0, {{computation, 0, 600, 60, 6}}), rank_of(1, {})})}));
}

TEST(ProbedRuns, AMissingProcessIsAnError) {
  Recording half = recording_of({rank_of(0, {{computation, 0, 600, 60, 6}})});
  half.processes = 2;
  const auto runs = probed_runs({half});
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().where, "made on 2 processes");
}

}  // namespace
}  // namespace parcast::causes
