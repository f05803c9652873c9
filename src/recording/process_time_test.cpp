// SPDX-License-Identifier: Apache-2.0
// Concurrent threads of a process: their computing, calculated by hand.
#include "recording/process_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recording/region_sums.h"

namespace parcast::recording {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

enum Of : std::uint16_t { kInit, kBegin, kEnd, kReceive, kFinalise };

/// A process; times in nanoseconds.
class Process {
 public:
  Process() {
    recording.calls = {{"MPI_Init", CallClass::initialise},
                       {"begin", CallClass::region_begin},
                       {"end", CallClass::region_end},
                       {"MPI_Recv", CallClass::receive},
                       {"MPI_Finalize", CallClass::finalise}};
    recording.processes = 1;
    recording.ranks.emplace_back();
    rank().regions = {"", "work"};
    rank().cores = 64;
  }
  RankRecording& rank() { return recording.ranks.front(); }

  Process& add(std::uint16_t thread, Of call, std::int64_t enter, std::int64_t exit, std::int64_t compute) {
    Event event;
    event.thread = thread, event.call = call, event.enter = enter, event.exit = exit, event.compute = compute;
    event.region = call == kBegin || call == kEnd ? 1 : 0;
    rank().events.push_back(event);
    std::stable_sort(rank().events.begin(), rank().events.end(),
                     [](const Event& a, const Event& b) { return a.enter < b.enter; });
    return *this;
  }
  Process& until(std::int64_t wall) {
    rank().wall = wall;
    rank().finalised = true;
    return add(0, kFinalise, wall, wall + 10, 0);
  }

  Recording recording;
};

struct Seen {
  std::vector<double> since, shares;
  double all = 0;
};
Seen given(Process& process) {
  Seen out;
  for_each_computed(process.recording, process.rank(), [&](const Event&, auto, const Computed& computed) {
    out.since.push_back(computed.since), out.shares.push_back(computed.share);
  });
  out.all = computing_of(process.recording, process.rank());
  return out;
}

TEST(ProcessTime, OfOneThreadItIsWhatTheEventsTell) {
  Process process;
  process.add(0, kInit, -50, 0, 0).add(0, kReceive, 100, 150, 80).until(200);
  process.rank().events.back().compute = 50;
  const Seen out = given(process);
  EXPECT_THAT(out.since, ElementsAre(0, 80, 50));
  EXPECT_THAT(out.shares, ElementsAre(0, 80, 50));
  EXPECT_EQ(out.all, 130);
  EXPECT_EQ(said_of_threads(process.recording), "");
}

// The first thread computes from 0 to 1000, the second from 200 to 800; each gets half of the common time.
TEST(ProcessTime, ThreadsThatComputeAtTheSameTimeTakeOneTime) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 200, 200, 0)
      .add(1, kEnd, 800, 800, 600)
      .add(0, kReceive, 1000, 1100, 1000)
      .until(1100);
  const Seen out = given(process);
  EXPECT_THAT(out.since, ElementsAre(0, 200, 600, 200, 0));
  EXPECT_THAT(out.shares, ElementsAre(0, 0, 300, 700, 0));
  EXPECT_EQ(out.all, 1000);
  EXPECT_THAT(
      said_of_threads(process.recording),
      HasSubstr(
          "1 process has events of several threads: what threads compute at the same time counts once"));
}

// The first thread uses the processor for 100 of 1000, then waits for the second, which computes from 100 to
// 1000.
TEST(ProcessTime, WhatTheFirstThreadWaitsForOffTheProcessorCounts) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 100, 100, 0)
      .add(1, kEnd, 1000, 1000, 900)
      .add(0, kReceive, 1000, 1100, 100)
      .until(1100);
  EXPECT_THAT(given(process).all, DoubleNear(1000, 1e-9));
}

TEST(ProcessTime, ThreadsThatShareOneProcessorTakeTheLongestTime) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 0, 0, 0)
      .add(1, kEnd, 1000, 1000, 500)
      .add(0, kReceive, 1000, 1100, 500)
      .until(1100);
  EXPECT_THAT(given(process).all, DoubleNear(500, 1e-9));
}

// 700 of 1000 on the processor; 600 of these coincide with the second thread's computing, wherever they are.
TEST(ProcessTime, WhatHasNoRoomBesideOtherThreadsIsAtTheSameTime) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 100, 100, 0)
      .add(1, kEnd, 1000, 1000, 300)
      .add(0, kReceive, 1000, 1100, 700)
      .until(1100);
  const Seen out = given(process);
  EXPECT_THAT(out.all, DoubleNear(700, 1e-9));
  EXPECT_THAT(out.shares, ElementsAre(0, 0, DoubleNear(300, 1e-9), DoubleNear(400, 1e-9), 0));
}

TEST(ProcessTime, WithFewerCoresThanThreadsNothingTellsWhoWaitedForWhom) {
  Process process;
  process.rank().cores = 1;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 500, 500, 0)
      .add(1, kEnd, 1500, 1500, 500)
      .add(0, kReceive, 1000, 1500, 500)
      .until(1500);
  // half a processor from 0 to 1000; afterwards the first thread is in a call
  EXPECT_THAT(given(process).all, DoubleNear(500, 1e-9));
}

TEST(ProcessTime, WhatAThreadComputesWhileTheFirstIsInACallTakesNoTimeOfItsOwn) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 100, 100, 0)
      .add(0, kReceive, 200, 700, 200)
      .add(1, kEnd, 900, 900, 800)
      .until(1000);
  process.rank().events.back().compute = 300;
  EXPECT_THAT(given(process).all, DoubleNear(500, 1e-9));
}

TEST(ProcessTime, AThreadThatCallsMpiGoesOnWhileTheFirstIsInACall) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(0, kReceive, 0, 1000, 0)
      .add(1, kBegin, 100, 100, 0)
      .add(1, kReceive, 900, 950, 800)
      .until(1000);
  EXPECT_THAT(given(process).all, DoubleNear(800, 1e-9));
}

TEST(ProcessTime, WhatThreadsComputeOutsideOfTheRunIsNoneOfIt) {
  Process process;
  process.add(1, kBegin, -900, -900, 0)
      .add(0, kInit, -500, 0, 400)
      .add(1, kEnd, 100, 100, 1000)
      .until(200)
      .add(1, kBegin, 300, 300, 200)
      .add(1, kEnd, 900, 900, 600);
  process.rank().events[3].compute = 200;  // MPI_Finalize
  ASSERT_EQ(process.rank().events[3].call, kFinalise);
  EXPECT_EQ(given(process).all, 200);
}

TEST(ProcessTime, NeverExceedsTheRunWhateverThreadsTell) {
  Process process;
  process.add(0, kInit, -50, 0, 0);
  for (std::uint16_t thread = 1; thread < 60; ++thread)
    process.add(thread, kBegin, 0, 0, 0).add(thread, kReceive, 10 * thread, 600, 5000);
  process.add(0, kReceive, 599, 600, 70000).until(600);
  const Seen out = given(process);
  EXPECT_THAT(out.all, DoubleNear(599, 1e-6));
  double shares = 0;
  for (const double share : out.shares) shares += share;
  EXPECT_THAT(shares, DoubleNear(out.all, 1e-6));
}

TEST(ProcessTime, RegionsGetTheirPartAndCallsBesideTheFirstThreadTakeNoTime) {
  Process process;
  process.add(0, kInit, -50, 0, 0)
      .add(1, kBegin, 200, 200, 0)
      .add(1, kEnd, 800, 800, 600)
      .add(1, kReceive, 800, 900, 0)
      .add(0, kReceive, 1000, 1100, 1000)
      .until(1100);
  const auto sums = sums_by_region(process.recording, process.rank());
  EXPECT_EQ(sums[1].compute, 300);
  EXPECT_EQ(sums[0].compute, 700);
  EXPECT_EQ(sums[0].inside, 100);
  EXPECT_EQ(sums[0].calls, 2u);
  const auto first = first_thread_by_call(process.rank(), process.recording.calls);
  EXPECT_EQ(first[kReceive].inside, 100);
  EXPECT_EQ(sums_by_call(process.rank(), process.recording.calls)[kReceive].inside, 200);
  EXPECT_DOUBLE_EQ(count(process.recording).front().compute_seconds, 1e-6);
}

TEST(ProcessTime, WhatRecordingTakesIsAShareOfTheTimeOfAllThreads) {
  Process process;
  process.add(0, kInit, -50, 0, 0);
  for (std::uint16_t thread = 1; thread < 4; ++thread)
    for (std::int64_t i = 0; i < 10; ++i) process.add(thread, kReceive, 10 * i, 10 * i + 1, 0);
  process.until(100);
  process.rank().overhead_per_event = 5e-9;
  EXPECT_NEAR(recording_share(process.rank()), 32 * 5 / (4 * 100.0), 1e-12);
}

TEST(ProcessTime, WithoutAnOrderTheBusiestThreadAloneCounts) {
  Process process;
  process.add(0, kInit, -50, 0, 0).add(0, kReceive, 1000, 1100, 1000).until(1100);
  Chapter& chapter = process.rank().chapters.emplace_back();
  chapter.thread = 1, chapter.end = 1000, chapter.ordered = false;
  chapter.keys.resize(1);
  chapter.keys[0].call = kReceive;
  chapter.transitions.push_back({.from = -1, .to = 0, .count = 4, .time = 4000});
  EXPECT_EQ(given(process).all, 4000);
  EXPECT_EQ(threads_of(process.rank()), Threads::busiest_for_all);
  EXPECT_THAT(said_of_threads(process.recording),
              HasSubstr("the computing of its busiest thread alone counts"));
  EXPECT_EQ(sums_by_region(process.recording, process.rank())[0].compute, 4000);
  chapter.transitions[0].time = 900;
  EXPECT_EQ(given(process).all, 1000);
  EXPECT_EQ(sums_by_region(process.recording, process.rank())[0].compute, 1000);
}

TEST(ProcessTime, OfMoreEventsThanCanBeGoneThroughTheBusiestThreadCounts) {
  Process process;
  process.add(0, kInit, -50, 0, 0).add(0, kReceive, 1000, 1100, 1000).until(1100);
  Chapter& chapter = process.rank().chapters.emplace_back();
  chapter.thread = 1, chapter.end = 1000, chapter.ordered = true, chapter.events = UINT64_MAX;
  chapter.keys.resize(1);
  chapter.keys[0].call = kReceive;
  chapter.transitions.push_back({.from = -1, .to = 0, .count = 4, .time = 900});
  EXPECT_EQ(computing_of(process.recording, process.rank()), 1000);
  EXPECT_DOUBLE_EQ(count(process.recording).front().compute_seconds, 1e-6);
}

}  // namespace
}  // namespace parcast::recording
