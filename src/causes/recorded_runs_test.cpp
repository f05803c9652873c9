// SPDX-License-Identifier: Apache-2.0
#include "causes/recorded_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "causes/efficiencies.h"
#include "causes/overheads.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Pattern;
using recording::RankRecording;
using recording::Recording;

constexpr std::uint16_t kSend = 0, kBegin = 1, kEndMark = 2, kInit = 3, kFinalize = 4, kAllreduce = 5;

Event event(std::uint16_t call, std::uint32_t region, std::int64_t enter, std::int64_t exit,
            std::int64_t compute, std::int64_t stolen = 0) {
  Event made;
  made.call = call;
  made.region = region;
  made.enter = enter;
  made.exit = exit;
  made.compute = compute;
  made.stolen = stolen;
  return made;
}

Recording recording_of(std::vector<RankRecording> ranks) {
  Recording made;
  made.program = "made";
  made.parameters = {{"n", 7}};
  made.processes = static_cast<std::int32_t>(ranks.size());
  made.calls = {{"MPI_Send", CallClass::send, Pattern::none},
                {"begin", CallClass::region_begin, Pattern::none},
                {"end", CallClass::region_end, Pattern::none},
                {"MPI_Init", CallClass::initialise, Pattern::none},
                {"MPI_Finalize", CallClass::finalise, Pattern::none},
                {"MPI_Allreduce", CallClass::collective, Pattern::allreduce}};
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].rank = static_cast<std::int32_t>(i);
  made.ranks = std::move(ranks);
  return made;
}

RankRecording rank_of(std::vector<Event> events, std::int64_t wall) {
  RankRecording rank;
  rank.regions = {"", "main", "main/solve"};
  rank.events = std::move(events);
  rank.wall = wall;
  return rank;
}

double nanoseconds(const causes::Run& run, std::int32_t process, const std::string& phase) {
  double sum = 0;
  for (const Phase& p : run.phases)
    if (p.process == process && to_string(PhaseClass{p.kind, p.name}) == phase) sum += p.seconds * 1e9;
  return sum;
}

// By hand: 10 ns computed outside, 5 in main, 20 of 25 in solve. A send of 7, of which 2 are stolen. Then 3
// more in solve, 4 in main, and 6 outside until the end.
TEST(RecordedRuns, TimeFallsToTheRegionThatIsOpen) {
  Event send = event(kSend, 2, 40, 47, 20, 2);
  send.message = {1, 0, 800};
  const auto runs = recorded_runs({recording_of(
      {rank_of({event(kInit, 0, -50, 0, 30), event(kBegin, 1, 10, 10, 10), event(kBegin, 2, 15, 15, 5), send,
                event(kEndMark, 2, 50, 50, 3), event(kEndMark, 1, 54, 54, 4)},
               60)})});
  ASSERT_TRUE(runs.ok());
  const causes::Run& run = runs->runs[0];
  EXPECT_EQ(run.parameters.at("n"), 7);
  EXPECT_NEAR(nanoseconds(run, 0, "computation"), 16, 1e-9);
  EXPECT_NEAR(nanoseconds(run, 0, "computation main"), 9, 1e-9);
  EXPECT_NEAR(nanoseconds(run, 0, "computation main/solve"), 23, 1e-9);
  EXPECT_NEAR(nanoseconds(run, 0, "communication main/solve/MPI_Send"), 5, 1e-9);
  EXPECT_NEAR(nanoseconds(run, 0, "idle off the processor"), 7, 1e-9);
  EXPECT_NEAR(longest(run) * 1e9, 60, 1e-9);
  for (const Phase& phase : run.phases)
    if (phase.kind == Kind::communication) EXPECT_EQ(phase.values[0], 800);
}

TEST(RecordedRuns, PhasesTileEveryRankAndBothViewsSumToTheRun) {
  statistics::Random random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<RankRecording> ranks;
    for (int rank = 0; rank < 4; ++rank) {
      std::vector<Event> events;
      std::int64_t at = 0;
      for (int i = 0; i < 30; ++i) {
        const auto gap = static_cast<std::int64_t>(1 + random.below(1000)),
                   inside = static_cast<std::int64_t>(random.below(1000));
        events.push_back(event(random.below(2) ? kSend : kAllreduce,
                               static_cast<std::uint32_t>(random.below(3)), at + gap, at + gap + inside,
                               static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(gap) + 20)),
                               static_cast<std::int64_t>(random.below(100))));
        at += gap + inside;
      }
      events.push_back(event(kFinalize, 0, at + 500, at + 9000, 400));
      ranks.push_back(rank_of(std::move(events), at + 500));
    }
    const Recording recording = recording_of(std::move(ranks));
    const auto runs = recorded_runs({recording});
    ASSERT_TRUE(runs.ok()) << to_string(runs.error());
    const causes::Run& run = runs->runs[0];
    const std::vector<double> seconds = seconds_by_process(run);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(seconds[i] * 1e9, static_cast<double>(recording.ranks[i].wall), 1e-6);
    const Overheads x = overheads(run, {1, Sequential::Basis::measured, 1});
    const double total = 4 * longest(run);
    EXPECT_NEAR(
        (seconds_of(x, Kind::computation) + seconds_of(x, Kind::communication) + seconds_of(x, Kind::idle)) /
            total,
        1, 1e-12);
    const auto pop = efficiencies(run);
    ASSERT_TRUE(pop.ok());
    EXPECT_NEAR((pop->useful_seconds + pop->imbalance_seconds + pop->communication_seconds) / total, 1,
                1e-12);
  }
}

TEST(RecordedRuns, WhatRegionsUseStandsBesideTheirComputing) {
  RankRecording rank = rank_of({event(kSend, 1, 10, 20, 10)}, 20);
  recording::Usage usage;
  usage.region = 1;
  usage.minor_faults = 12;
  usage.major_faults = 3;
  usage.voluntary_switches = 4;
  usage.involuntary_switches = 5;
  rank.usage = {usage};
  const auto runs = recorded_runs({recording_of({rank})});
  ASSERT_TRUE(runs.ok());
  for (const Phase& phase : runs->runs[0].phases) {
    if (phase.kind != Kind::computation) continue;
    EXPECT_EQ(phase.values[2], 12);
    EXPECT_EQ(phase.values[3], 3);
    EXPECT_EQ(phase.values[4], 9);
    EXPECT_TRUE(std::isnan(phase.values[5]));
    EXPECT_TRUE(std::isnan(phase.values[0]));
  }
}

TEST(RecordedRuns, MissingProcessesAreAnError) {
  Recording recording = recording_of({rank_of({event(kSend, 1, 10, 20, 10)}, 20)});
  recording.processes = 2;
  const auto runs = recorded_runs({recording});
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(runs.error().what, "1 of 2 processes are in the recording");
}

}  // namespace
}  // namespace parcast::causes
