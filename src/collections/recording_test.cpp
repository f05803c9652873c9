// SPDX-License-Identifier: Apache-2.0
// Recordings of programs with collections: what they contain is counted apart from them.
#include "recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>

#include "collections/testing/recorded_events.h"
#include "parcast/collections.h"
#include "recording/unfold.h"

namespace parcast::collections {
namespace {

namespace fs = std::filesystem;
using recording::CallClass;
using recording::Event;
using testing::HasSubstr;
using Kind = Processors::Kind;

recording::Recording recorded(const Processors& processors, const Program& program) {
  static int number = 0;
  const fs::path folder = fs::path(testing::TempDir()) /
                          ("collections-" + std::to_string(getpid()) + "-" + std::to_string(number++));
  fs::remove_all(folder);
  setenv("PARCAST_OUT", folder.c_str(), 1);
  run(processors, program);
  EXPECT_EQ(std::getenv("PARCAST_OUT"), nullptr);
  auto recording = recording::read_recording(folder);
  EXPECT_TRUE(recording) << (recording ? "" : recording.error().what);
  if (recording) recording::resolve_sites(*recording);
  fs::remove_all(folder);
  return recording ? *recording : recording::Recording{};
}

TEST(Recorded, EventsAreTheCallsThatMpiWouldHave) {
  for (const Kind kind : {Kind::cooperative, Kind::threads}) {
    const auto recording = recorded({.kind = kind, .count = 2}, [](Team& team) {
      DistributedVector<double> a(team, 4, {Block}, {.name = "a"});
      a.for_each([](Index1 i, double& x) { x = static_cast<double>(i); });
      a.get(2 - 2 * team.rank());
      const Team::Region region(team, "solve");
      a.put(3 - 2 * team.rank(), 7);
      a.get(2 * team.rank());  // its own
      team.barrier();
      a.get_block(0, 4);
      team.broadcast(1, 1);
      a.reduce(std::plus<>());
      a.gather(1);
      a.shift(0, 1);
    });
    EXPECT_EQ(recording.processes, 2);
    EXPECT_TRUE(recording.losses.empty());
    EXPECT_FALSE(recording.oversubscribed() && kind == Kind::cooperative);
    EXPECT_THAT(
        events_of(recording, 0),
        testing::ElementsAre(" MPI_Init", "a.for_each MPI_Barrier", " MPI_Get <-1 8", " MPI_Win_flush ->1",
                             "solve MPI_Put ->1 8", "solve MPI_Win_flush ->1", "solve MPI_Barrier",
                             "solve MPI_Get <-1 16", "solve MPI_Win_flush ->1", "solve MPI_Bcast ->1 4",
                             "solve/a.reduce MPI_Allreduce 16", "solve MPI_Gather ->1 16",
                             "solve/a.shift MPI_Get <-1 8", "solve/a.shift MPI_Win_flush ->1",
                             "solve/a.shift MPI_Barrier", "solve/a.shift MPI_Barrier", " MPI_Finalize"));
    EXPECT_EQ(events_of(recording, 1)[9], "solve MPI_Bcast ->1 4");
  }
}

struct Counts {
  std::map<std::pair<bool, int>, std::uint64_t> accesses, bytes;  // by direction and owner
  bool operator==(const Counts&) const = default;
};

/// Does random accesses, and counts the owners of their elements one by one.
Counts access_at_random(Team& team, DistributedMatrix<float>& a) {
  Counts counts;
  std::mt19937 random(static_cast<unsigned>(team.rank()) + 5);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int i = 0; i < 300; ++i) {
    const Index2 first(below(9), below(13));
    const Index2 box(i % 3 ? 1 : 1 + below(9 - first[0]), i % 3 ? 1 : 1 + below(13 - first[1]));
    const bool reads = i % 2 == 0;
    std::map<int, std::uint64_t> of;
    for (std::int64_t row = first[0]; row < first[0] + box[0]; ++row)
      for (std::int64_t column = first[1]; column < first[1] + box[1]; ++column)
        of[a.owner({row, column})] += sizeof(float);
    of.erase(team.rank());
    for (const auto& [owner, bytes] : of)
      counts.accesses[{reads, owner}] += 1, counts.bytes[{reads, owner}] += bytes;
    if (i % 3)
      reads ? static_cast<void>(a.get(first)) : a.put(first, 1);
    else if (reads)
      a.get_block(first, box);
    else
      a.put_block(first, box, std::vector<float>(static_cast<std::size_t>(volume(box))));
  }
  return counts;
}

Counts counts_of(const recording::Recording& recording, int rank) {
  Counts counts;
  recording::for_each_event(recording.ranks.at(static_cast<std::size_t>(rank)), recording.calls,
                            [&](const Event& event, std::span<const recording::Completion>) {
                              if (recording.calls[event.call].kind != CallClass::one_sided) return;
                              const bool reads = recording.calls[event.call].name == "MPI_Get";
                              const recording::Message& moved = reads ? event.received : event.message;
                              counts.accesses[{reads, moved.peer}] += 1;
                              counts.bytes[{reads, moved.peer}] += moved.bytes;
                            });
  return counts;
}

TEST(Recorded, AccessesAndBytesAreThoseCountedElementByElement) {
  std::vector<Counts> counts(6);
  const auto recording = recorded({.count = 6}, [&](Team& team) {
    DistributedMatrix<float> a(team, {9, 13}, {Block, BlockCyclic(2)});
    counts[static_cast<std::size_t>(team.rank())] = access_at_random(team, a);
  });
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(counts_of(recording, rank), counts[static_cast<std::size_t>(rank)]);
    EXPECT_GT(counts[static_cast<std::size_t>(rank)].accesses.size(), 3U);
  }
}

void compute(double seconds) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double end = now() + seconds;
  while (now() < end) {
  }
}

TEST(Recorded, FibresComputeAtTheSameTimeAndLeaveABarrierWithTheLast) {
  const auto recording = recorded({.count = 4}, [](Team& team) {
    compute(2e-3 * (team.rank() + 1));
    team.barrier();
    compute(1e-3);
  });
  for (int rank = 0; rank < 4; ++rank) {
    std::int64_t entered = 0, left = 0;
    recording::for_each_event(recording.ranks[static_cast<std::size_t>(rank)], recording.calls,
                              [&](const Event& event, std::span<const recording::Completion>) {
                                if (recording.calls[event.call].name == "MPI_Barrier")
                                  entered = event.enter, left = event.exit;
                              });
    EXPECT_NEAR(static_cast<double>(entered) * 1e-9, 2e-3 * (rank + 1), 3e-4);
    EXPECT_NEAR(static_cast<double>(left) * 1e-9, 8e-3, 3e-4);
    EXPECT_NEAR(static_cast<double>(recording.ranks[static_cast<std::size_t>(rank)].wall) * 1e-9, 9e-3, 5e-4);
  }
}

struct Spring {
  double length = 1;
  void relax() { length /= 2; }
};

TEST(Recorded, RegionsAreTheCollectionAndTheMethod) {
  const auto recording = recorded({.count = 2}, [](Team& team) {
    DistributedVector<Spring> springs(team, 4, {Block}, {.name = "springs"});
    springs.invoke(&Spring::relax);
  });
  EXPECT_THAT(events_of(recording, 0)[1], HasSubstr("springs/"));
  EXPECT_THAT(events_of(recording, 0)[1], HasSubstr("relax"));
}

TEST(Recorded, ParametersAreThoseOfTheProgram) {
  const auto recording = recorded({.count = 2}, [](Team& team) { team.parameter("N", 12); });
  EXPECT_EQ(recording.parameters.at("N"), 12);
}

TEST(Recorded, WhatIsSwitchedOffTakesNoTime) {
  for (const Kind kind : {Kind::cooperative, Kind::threads}) {
    const auto recording = recorded({.kind = kind, .count = 2}, [](Team& team) {
      team.record(false);
      compute(20e-3);
      team.barrier();
      const Team::Region region(team, "outer");
      team.record(true);
      compute(1e-3);
      team.barrier();
      team.record(false);
      compute(20e-3 * team.rank());
      team.barrier();
    });
    for (int rank = 0; rank < 2; ++rank) {
      EXPECT_THAT(events_of(recording, rank),
                  testing::ElementsAre(" MPI_Init", "outer MPI_Barrier", " MPI_Finalize"));
      EXPECT_NEAR(static_cast<double>(recording.ranks[static_cast<std::size_t>(rank)].total_compute) * 1e-9,
                  1e-3, 3e-4);
      if (kind == Kind::cooperative)
        EXPECT_NEAR(static_cast<double>(recording.ranks[static_cast<std::size_t>(rank)].wall) * 1e-9, 1e-3,
                    3e-4);
    }
  }
}

TEST(Recorded, LongRunsFold) {
  const auto recording = recorded({.count = 2}, [](Team& team) {
    DistributedVector<int> a(team, 2, {Block});
    for (int i = 0; i < 20'000; ++i) a.get(1 - team.rank());
  });
  EXPECT_FALSE(recording.ranks[0].chapters.empty());
  EXPECT_EQ(recording::event_count(recording.ranks[0]), 40'002U);
}

TEST(Recorded, AFolderThatCannotBeWrittenIsAnError) {
  setenv("PARCAST_OUT", "/proc/none", 1);
  try {
    run({.count = 2}, [](Team&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/proc/none"));
  }
}

}  // namespace
}  // namespace parcast::collections
