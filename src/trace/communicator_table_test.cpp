// SPDX-License-Identifier: Apache-2.0
#include "trace/communicator_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::trace {
namespace {

using testing::ElementsAre;

recording::Communicator of(WorldRanks ranks) {
  recording::Communicator out;
  out.world_ranks = std::move(ranks);
  return out;
}

/// A recording of four ranks; each rank's list begins with MPI_COMM_WORLD.
recording::Recording run(std::vector<std::vector<recording::Communicator>> lists) {
  recording::Recording out;
  out.processes = static_cast<std::int32_t>(lists.size());
  for (auto& list : lists) {
    recording::RankRecording& rank = out.ranks.emplace_back();
    rank.rank = static_cast<std::int32_t>(out.ranks.size() - 1);
    rank.communicators.push_back(of({0, 1, 2, 3}));
    for (auto& each : list) rank.communicators.push_back(std::move(each));
  }
  return out;
}

TEST(CommunicatorTable, TheSecondDuplicateIsTheSameOneOnAllRanksThoughTheirNumbersDiffer) {
  const auto world = [] { return of({0, 1, 2, 3}); };
  const auto recording =
      run({{world(), world()}, {of({1}), world(), world()}, {world(), world()}, {world(), world()}});
  const CommunicatorTable table(recording);
  EXPECT_EQ(table.number(0, 0), 0u);
  EXPECT_EQ(table.number(0, 2), table.number(1, 3));
  EXPECT_NE(table.number(0, 1), table.number(0, 2));
  EXPECT_EQ(table.all().size(), 4u);  // the world, two duplicates, and rank 1's own
}

TEST(CommunicatorTable, APlaceIsTheRankInTheOrderOfTheGroup) {
  const auto recording = run({{of({3, 0})}, {}, {}, {of({3, 0})}});
  const CommunicatorTable table(recording);
  const std::uint32_t number = table.number(0, 1).value();
  EXPECT_EQ(table.place(number, 0, 3), 0u);
  EXPECT_EQ(table.place(number, 0, 0), 1u);
  EXPECT_EQ(table.place(number, 0, 2), std::nullopt);
}

TEST(CommunicatorTable, TwoListsThatNameEachOtherAreOneIntercommunicator) {
  const auto recording = run({{of({3, 2})}, {of({3, 2})}, {of({0, 1})}, {of({0, 1})}});
  const CommunicatorTable table(recording);
  const std::uint32_t number = table.number(0, 1).value();
  for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(table.number(rank, 1), number);
  EXPECT_TRUE(table.all()[number].inter);
  EXPECT_EQ(table.place(number, 0, 2), 1u);  // rank 0 writes to the group {3, 2}
  EXPECT_EQ(table.place(number, 2, 0), 0u);  // rank 2 writes to {0, 1}
  EXPECT_EQ(table.place(number, 2, 3), std::nullopt);
}

TEST(CommunicatorTable, OneWhoseMembersAreLostHasNoNumber) {
  const auto recording = run({{of({})}, {}, {}, {}});
  EXPECT_EQ(CommunicatorTable(recording).number(0, 1), std::nullopt);
  EXPECT_EQ(CommunicatorTable(recording).number(0, 9), std::nullopt);
}

}  // namespace
}  // namespace parcast::trace
