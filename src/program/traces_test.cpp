// SPDX-License-Identifier: Apache-2.0
// Recordings with several threads a process, reduced.
#include "program/traces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parcast::program {
namespace {

using recording::CallClass;
using recording::Event;
using recording::Recording;

enum Of : std::uint16_t { kInit, kBegin, kEnd, kBarrier, kFinalise };
constexpr std::int64_t kMicro = 1000;

Event event(std::uint16_t thread, Of call, std::int64_t enter, std::int64_t exit, std::int64_t compute) {
  Event out;
  out.thread = thread, out.call = call, out.enter = kMicro * enter, out.exit = kMicro * exit, out.compute = kMicro * compute;
  out.region = call == kBegin || call == kEnd ? 1 : 0;
  return out;
}

/// Two processes with a parallel region of 5 ms on two threads, in microseconds from 0 to 6900.
Recording two_threads() {
  Recording out;
  out.program = "hybrid";
  out.processes = 2;
  out.calls = {{"MPI_Init", CallClass::initialise},
               {"parcast_region_begin", CallClass::region_begin},
               {"parcast_region_end", CallClass::region_end},
               {"MPI_Barrier", CallClass::collective, recording::Pattern::barrier},
               {"MPI_Finalize", CallClass::finalise}};
  for (std::int32_t number = 0; number < 2; ++number) {
    recording::RankRecording& rank = out.ranks.emplace_back();
    rank.rank = number;
    rank.finalised = rank.complete = true;
    rank.wall = 6900 * kMicro;
    rank.regions = {"", "parallel"};
    rank.sites.resize(1);
    rank.communicators.push_back({{0, 1}, {}, {}, {}});
    rank.events = {event(0, kInit, -100, 0, 0),           event(0, kBegin, 100, 100, 100),     event(1, kBegin, 110, 110, 0),
                   event(1, kEnd, 5090, 5090, 4980),      event(0, kEnd, 5100, 5100, 5000),    event(0, kBarrier, 5900, 5910, 800),
                   event(0, kFinalise, 6900, 6910, 990)};
  }
  return out;
}

TEST(Traces, ComputingOfThreadsAtTheSameTimeCountsOnce) {
  const Traces traces = reduce({two_threads()}, {0});
  ASSERT_EQ(traces.traces.size(), 2u);
  double all = 0;
  for (const auto& [id, totals] : traces.traces[0].transitions) all += totals.time.total;
  EXPECT_NEAR(all, 6.89e-3, 1e-12);
  for (const auto& [id, totals] : traces.traces[0].transitions) {
    if (traces.transitions[static_cast<std::size_t>(id)].to == kOutside) continue;
    if (traces.keys[static_cast<std::size_t>(traces.transitions[static_cast<std::size_t>(id)].to)].call_class != CallClass::region_end) continue;
    EXPECT_EQ(totals.traversals, 2);
    EXPECT_NEAR(totals.time.total, 5e-3, 1e-12);
    EXPECT_NEAR(totals.time.mean, 2.5e-3, 1e-9);
  }
}

TEST(Traces, AModelOfThreadsTakesTheTimeOfTheRunAndSaysSo) {
  const auto model = build_model({two_threads()});
  ASSERT_TRUE(model.ok());
  double all = 0;
  for (const Segment& segment : model->segments) {
    ASSERT_TRUE(segment.executions.expression.is_number());
    if (segment.to != kNone && model->nodes[static_cast<std::size_t>(segment.to)].label == "MPI_Barrier") {
      EXPECT_TRUE((segment.executions.expression - 1).is_zero());
    }
    all += segment.share;
  }
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_TRUE(std::ranges::any_of(model->notices, [](const Notice& notice) { return notice.code == "several-threads"; }));
}

}  // namespace
}  // namespace parcast::program
