// SPDX-License-Identifier: Apache-2.0
// --check-races: what it reports of programs with and without races.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parcast/collections.h"

namespace parcast::collections {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Vector = DistributedVector<double>;

/// Returns the races of a program on 4 processors, with 8 elements of a, "none" without.
std::string races_of(const std::function<void(Team&, Vector&)>& program) {
  testing::internal::CaptureStderr();
  std::string found = "none";
  try {
    run({.count = 4, .checks_races = true}, [&](Team& team) {
      Vector a(team, 8, {Block}, {.name = "a"});
      program(team, a);
    });
  } catch (const Error& error) {
    found = error.what();
  }
  testing::internal::GetCapturedStderr();
  return found;
}

std::string here(int line) {
  return "(races_test.cpp:" + std::to_string(line) + ")";
}

TEST(Races, TwoProcessorsWriteAnElement) {
  int line = 0;
  const auto found = races_of([&](Team& team, Vector& a) {
    if (team.rank() == 1 || team.rank() == 3) a.put(5, team.rank()), line = __LINE__;
  });
  EXPECT_THAT(found, HasSubstr("a(5): processor 1 writes " + here(line) + " and processor 3 writes " +
                               here(line) + " between the same two barriers"));
  EXPECT_THAT(found, HasSubstr("put a barrier between the two"));
}

TEST(Races, OneWritesAndAnotherReads) {
  int written = 0, read = 0;
  const auto found = races_of([&](Team& team, Vector& a) {
    if (team.rank() == 0) a.get(7), read = __LINE__;
    if (team.rank() == 2) a.put(7, 1), written = __LINE__;
  });
  EXPECT_THAT(
      found, HasSubstr("a(7): processor 2 writes " + here(written) + " and processor 0 reads " + here(read)));
}

TEST(Races, AnElementOfABlockIsFound) {
  const auto found = races_of([](Team& team, Vector& a) {
    if (team.rank() == 0) a.get_block(1, 6);
    if (team.rank() == 2) a.put(3, 1);
  });
  EXPECT_THAT(found, HasSubstr("a(3): processor 2 writes"));
  EXPECT_THAT(found, HasSubstr("and processor 0 reads"));
}

/// An iteration in place, as by Gauss and Seidel: what a neighbour reads may be old or new. a(1) keeps its
/// value.
TEST(Races, TheOwnerChangesWhatAnotherReads) {
  int line = 0;
  const auto found = races_of([&](Team&, Vector& a) {
    a.for_each([&](Index1 i, double& x) { x = static_cast<double>(i); });
    a.for_each([&](Index1 i, double& x) {
      if (i > 0) x += a.get(i - 1), line = __LINE__;
    });
  });
  EXPECT_THAT(found, HasSubstr("a(3): processor 1, the owner, writes and processor 2 reads " + here(line)));
  EXPECT_THAT(found, HasSubstr(", 2 times"));
}

TEST(Races, TheOwnersOwnPutIsSeen) {
  EXPECT_THAT(races_of([](Team& team, Vector& a) {
                if (team.rank() == 0) a.put(0, 1);
                if (team.rank() == 1) a.get(0);
              }),
              HasSubstr("a(0): processor 0 writes"));
}

TEST(Races, ABarrierOrders) {
  EXPECT_EQ(races_of([](Team& team, Vector& a) {
              if (team.rank() == 1) a.put(5, 1);
              team.barrier();
              if (team.rank() == 3) a.put(5, 3);
              team.reduce(1, std::plus<>());
              a.get(5);
            }),
            "none");
}

TEST(Races, OtherElementsAndReadsAloneAreNoRace) {
  EXPECT_EQ(races_of([](Team& team, Vector& a) {
              a.for_each([](Index1 i, double& x) { x = static_cast<double>(i); });
              a.put((2 * team.rank() + 3) % 8, 1);  // each another one
              team.barrier();
              a.get(4);
              a.get_block(0, 8);
            }),
            "none");
}

/// Red elements from black neighbours: what is read does not change.
TEST(Races, RedAndBlackAreNoRace) {
  EXPECT_EQ(races_of([](Team&, Vector& a) {
              a.for_each([](Index1 i, double& x) { x = static_cast<double>(i); });
              for (const std::int64_t colour : {0, 1})
                a.for_each_where([&](Index1 i) { return i % 2 == colour && i > 0 && i < 7; },
                                 [&](Index1 i, double& x) { x = a.get(i - 1) + a.get(i + 1); });
            }),
            "none");
}

TEST(Races, MovesAndFilesAreNoRace) {
  const std::string path = testing::TempDir() + "races.bin";
  EXPECT_EQ(races_of([&](Team& team, Vector& a) {
              Vector b(team, 8, {Cyclic}, {.name = "b"});
              a.for_each([](Index1 i, double& x) { x = static_cast<double>(i); });
              b.copy_from(a);
              b.shift(0, 3);
              a.scan(std::plus<>());
              b.scan(std::plus<>());
              a.write_file(path);
              b.read_file(path);
              a.gather_all();
            }),
            "none");
}

/// Collections that end, and others in their memory.
TEST(Races, CollectionsMayComeAndGo) {
  EXPECT_EQ(races_of([&](Team& team, Vector&) {
              for (int round = 0; round < 20; ++round) {
                DistributedMatrix<int> b(team, {5, 7}, {Cyclic, Block});
                b.for_each([&](Index2 at, int& x) { x = static_cast<int>(at[0]) + round; });
                b.get({round % 5, round % 7});
              }
            }),
            "none");
}

TEST(Races, AccessesAreCountedByRegion) {
  testing::internal::CaptureStderr();
  run({.count = 4, .checks_races = true}, [](Team& team) {
    Vector a(team, 8, {Block}, {.name = "a"});
    a.for_each([](Index1, double& x) { x = 1; });
    const Team::Region region(team, "solve");
    a.get(0);
    a.get_block(0, 4);
  });
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("             8              0     0.0 %  a.for_each\n"));
  // get(0): own of one processor; of 4 elements of the block two are own on two processors
  EXPECT_THAT(text, HasSubstr("             5             15    75.0 %  solve\n"));
}

TEST(Races, ResultsAreThoseOfOtherRuns) {
  for (const bool checks : {false, true}) {
    testing::internal::CaptureStderr();
    run({.count = 3, .checks_races = checks}, [](Team& team) {
      DistributedMatrix<double> a(team, {5, 4}, {Cyclic, Block});
      a.for_each([](Index2 at, double& x) { x = static_cast<double>(10 * at[0] + at[1]); });
      EXPECT_EQ(a.get({4, 3}), 43);
      EXPECT_EQ(a.reduce(std::plus<>()), 430);
    });
    testing::internal::GetCapturedStderr();
  }
}

TEST(Races, NeedProcessorsInTurn) {
  try {
    run({.kind = Processors::Kind::threads, .count = 2, .checks_races = true}, [](Team&) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("run with --collections cooperative:N"));
  }
}

}  // namespace
}  // namespace parcast::collections
