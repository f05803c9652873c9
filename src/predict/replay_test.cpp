// SPDX-License-Identifier: Apache-2.0
// A handmade recording of a remote access, whose time on a machine is known in closed form.
#include "predict/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "machine/extrap.h"

namespace parcast::predict {
namespace {

using machine::ExtrapKey;
using recording::CallClass;
using recording::Event;
using recording::Pattern;
using recording::RankRecording;

/// An event after `compute` nanoseconds.
void add(RankRecording& rank, std::uint16_t call, std::int64_t compute, recording::Message sent = {},
         recording::Message received = {}) {
  Event event;
  event.call = call, event.compute = compute, event.site = 1, event.region = 1;
  event.enter = (rank.events.empty() ? 0 : rank.events.back().exit) + compute;
  event.exit = event.enter + 10;
  event.message = sent, event.received = received;
  rank.events.push_back(event);
}

/// Rank 0 computes 1 us and gets 800 bytes of rank 1, which waits in a barrier.
recording::Recording one_access() {
  recording::Recording out;
  out.program = "access";
  out.processes = 2;
  out.parameters["N"] = 100;
  out.calls = {{"MPI_Get", CallClass::one_sided, Pattern::none},
               {"MPI_Win_flush", CallClass::epoch, Pattern::none},
               {"MPI_Barrier", CallClass::collective, Pattern::barrier},
               {"MPI_Finalize", CallClass::finalise, Pattern::none}};
  for (std::int32_t number = 0; number < 2; ++number) {
    RankRecording& rank = out.ranks.emplace_back();
    rank.rank = number;
    rank.finalised = rank.complete = true;
    rank.regions = {"", "solve"};
    rank.sites = {{}, {0, 16, "solve", "solve.cpp", 12, {}}};
    rank.shares.emplace_back();
    rank.communicators.emplace_back();
    rank.communicators[0].world_ranks = {0, 1};
    if (number == 0) {
      add(rank, 0, 1000, {}, {1, 0, 800});
      add(rank, 1, 0, {1, 0, 0});
    }
    add(rank, 2, 0);
    add(rank, 3, 0);
  }
  return out;
}

machine::Machine extrap_machine() {
  machine::Machine out;
  out.name = "paper";
  out.extrap.emplace();
  (*out.extrap)[ExtrapKey::comm_startup_time] = 10;
  (*out.extrap)[ExtrapKey::byte_transfer_time] = 0.01;
  (*out.extrap)[ExtrapKey::barrier_by_msgs] = 0;
  return out;
}

TEST(Replayed, AnAccessIsARequestAndAReplyOnExtrapsMachine) {
  const auto answer = replayed(std::vector{one_access()}, extrap_machine());
  ASSERT_TRUE(answer) << answer.error().what;
  const double seconds = 1e-6 + 2 * 10e-6 + 800 * 0.01e-6;
  EXPECT_NEAR(answer->seconds.value, seconds, 1e-10);
  EXPECT_EQ(answer->seconds.level, 0);  // no interval
  EXPECT_EQ(answer->question.point.processes, 2);
  EXPECT_EQ(answer->question.point.parameters.at("N"), 100);
  EXPECT_EQ(answer->nodes, 2);
  EXPECT_NEAR(answer->parts.compute.value, 0.5e-6, 1e-12);  // mean of 1 us and 0
}

TEST(Replayed, RegionsAddUpAndNameTheirAccesses) {
  const auto answer = replayed(std::vector{one_access()}, extrap_machine());
  ASSERT_TRUE(answer) << answer.error().what;
  double sum = 0;
  std::vector<std::string> paths;
  for (const RegionTime& region : answer->regions) sum += region.seconds.value, paths.push_back(region.path);
  EXPECT_NEAR(sum, answer->seconds.value, 1e-10);
  EXPECT_THAT(paths, testing::Contains("solve/MPI_Get (1 remote access of 800 bytes)"));
  EXPECT_EQ(answer->regions.front().path, "solve/MPI_Barrier");  // rank 1 waits for all of it
  EXPECT_EQ(answer->regions.front().where, "solve.cpp:12");
}

/// By links a read takes the latency there and back, and the bytes (message_passing.md, Remote accesses).
TEST(Replayed, AnAccessTakesTwoLatenciesOnLinks) {
  machine::Machine links = machine::ideal_machine();
  links.links["node"].latency.value = links.links["network"].latency.value = 3e-6;
  links.links["node"].gap_per_byte.value = links.links["network"].gap_per_byte.value = 2e-9;
  const auto answer = replayed(std::vector{one_access()}, links);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_GT(answer->seconds.value, 1e-6 + 2 * 3e-6 + 800 * 2e-9 - 1e-9);
}

TEST(Replayed, OfSeveralRecordingsTheShortestComputingCounts) {
  recording::Recording disturbed = one_access();
  disturbed.ranks[0].events[0].compute = 900'000;
  const auto alone = replayed(std::vector{one_access()}, extrap_machine());
  const auto both = replayed(std::vector{disturbed, one_access()}, extrap_machine());
  ASSERT_TRUE(alone && both);
  EXPECT_EQ(both->seconds.value, alone->seconds.value);
}

TEST(Replayed, RecordingsOfOtherRunsAreNamed) {
  recording::Recording longer = one_access();
  add(longer.ranks[0], 2, 0), add(longer.ranks[1], 2, 0);
  const auto answer = replayed(std::vector{one_access(), longer}, extrap_machine());
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->seconds.value, replayed(std::vector{one_access()}, extrap_machine())->seconds.value);
  const auto names_it = [](const Warning& each) {
    return each.text.starts_with("computing times are those of one recording of 2");
  };
  EXPECT_TRUE(std::ranges::any_of(answer->warnings, names_it));
}

TEST(Replayed, ARecordingWithoutOrderIsRefused) {
  recording::Recording none = one_access();
  none.ranks.pop_back();
  EXPECT_FALSE(replayed(std::vector{none}, extrap_machine()));
}

}  // namespace
}  // namespace parcast::predict
