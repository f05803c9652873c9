// SPDX-License-Identifier: Apache-2.0
#include "interchange/rank_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class RankWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "parcast-rank-XXXXXX").string();
    folder_ = ::mkdtemp(name.data()) ? name : "";
    facts_.rank = 1;
    facts_.processes = 4;
    facts_.zero = 5'000'000'000;
    auto writer = RankWriter::create(folder_ / "rank-1.rec", facts_, 64 << 20);
    ASSERT_TRUE(writer.ok());
    writer_ = std::move(*writer);
  }
  void TearDown() override { fs::remove_all(folder_); }

  recording::RankRecording read(std::optional<std::uint64_t> finalised) {
    EXPECT_TRUE(writer_->finish(facts_, finalised).ok());
    std::ifstream file(folder_ / "rank-1.rec", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    auto rank = recording::read_rank(bytes, "rank-1.rec", calls_, losses_);
    EXPECT_TRUE(rank.ok());
    return std::move(*rank);
  }
  ImportedEvent call(const char* name, std::uint64_t enter, std::uint64_t exit) {
    return {
        .call = find_mpi_call(name), .enter = facts_.zero + enter, .exit = facts_.zero + exit, .compute = 0};
  }

  fs::path folder_;
  RankFacts facts_;
  std::unique_ptr<RankWriter> writer_;
  std::vector<recording::Call> calls_;
  std::vector<recording::Loss> losses_;
};

TEST_F(RankWriterTest, AnEventIsReadAsItWasWritten) {
  ImportedEvent event = call("MPI_Isend", 100, 250);
  event.region = writer_->region(0, "solve");
  event.site = writer_->site("/opt/a b", "00ff", 77);
  event.message = {2, 9, 4096};
  event.request = 5;
  event.compute = 33;
  event.stolen = 4;
  event.switched = true;
  writer_->write(event);
  const auto rank = read(facts_.zero + 900);
  ASSERT_EQ(rank.events.size(), 1u);
  const recording::Event& out = rank.events[0];
  EXPECT_EQ(calls_[out.call].name, "MPI_Isend");
  EXPECT_EQ(out.enter, 100);
  EXPECT_EQ(out.exit, 250);
  EXPECT_EQ(out.compute, 33);
  EXPECT_EQ(out.stolen, 4);
  EXPECT_TRUE(out.switched);
  EXPECT_EQ(out.message.peer, 2);
  EXPECT_EQ(out.message.tag, 9);
  EXPECT_EQ(out.message.bytes, 4096u);
  EXPECT_EQ(out.request, 5u);
  EXPECT_EQ(rank.regions[out.region], "solve");
  EXPECT_EQ(rank.modules[rank.sites[out.site].module].path, "/opt/a b");
  EXPECT_EQ(rank.modules[rank.sites[out.site].module].build_id, "00ff");
  EXPECT_EQ(rank.wall, 900);
  EXPECT_TRUE(rank.complete);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(RankWriterTest, AWaitMayCompleteMoreRequestsThanARecordHolds) {
  ImportedEvent wait = call("MPI_Waitall", 10, 20);
  for (std::uint32_t i = 1; i <= 5000; ++i) wait.completions.push_back({i, 3, 1, i});
  writer_->write(wait);
  const auto rank = read(std::nullopt);
  ASSERT_EQ(rank.events.at(0).completion_count, 5000u);
  EXPECT_EQ(rank.completions[4999].request, 5000u);
  EXPECT_EQ(rank.completions[4999].bytes, 5000u);
  EXPECT_FALSE(rank.finalised);
}

TEST_F(RankWriterTest, PollsListsOfBytesAndThreadsAreKept) {
  ImportedEvent poll = call("MPI_Test", 10, 90);
  poll.repeats = 40;
  writer_->write(poll);
  ImportedEvent gather = call("MPI_Allgatherv", 100, 110);
  const recording::Share share{0, 1, 4, 8};
  gather.received_shares = writer_->shares(std::span(&share, 1));
  gather.received.bytes = 32;
  writer_->write(gather);
  writer_->begin_thread(3);
  ImportedEvent barrier = call("MPI_Barrier", 50, 60);
  writer_->communicator(1, {{3, 1}, {2}, {true}, {1}}, false);
  barrier.communicator = 1;
  writer_->write(barrier);
  writer_->count(*find_mpi_call("MPI_Psend_init"), 3);
  const auto rank = read(facts_.zero + 200);
  ASSERT_EQ(rank.events.size(), 3u);
  EXPECT_EQ(rank.events[0].repeats, 40u);
  EXPECT_EQ(rank.events[0].exit, 90);
  EXPECT_EQ(rank.events[1].thread, 3);
  EXPECT_THAT(rank.communicators[rank.events[1].communicator].world_ranks, ElementsAre(3, 1));
  EXPECT_THAT(rank.communicators[rank.events[1].communicator].dimensions, ElementsAre(2));
  ASSERT_EQ(rank.shares[rank.events[2].received_shares].size(), 1u);
  EXPECT_EQ(rank.shares[rank.events[2].received_shares][0].count, 4u);
  ASSERT_EQ(rank.unfollowed.size(), 1u);
  EXPECT_EQ(rank.unfollowed[0].count, 3u);
}

TEST_F(RankWriterTest, AFileThatGrowsBeyondItsLimitIsAnError) {
  auto small = RankWriter::create(folder_ / "rank-2.rec", facts_, 128 << 10);
  ASSERT_TRUE(small.ok());
  for (std::uint64_t i = 0; i < 10'000; ++i) (*small)->write(call("MPI_Barrier", i, i));
  const auto done = (*small)->finish(facts_, std::nullopt);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().what, testing::HasSubstr("events could not be kept"));
}

}  // namespace
}  // namespace parcast::interchange
