// SPDX-License-Identifier: Apache-2.0
#include "recording/recording_file.h"

#include <gtest/gtest.h>

#include "recording/sample_rank.h"

namespace parcast::recording {
namespace {

void write_rank(const Scratch& scratch, int rank, int processes) {
  SampleRank file(scratch / ("rank-" + std::to_string(rank) + ".rec"), rank, processes);
  parcast_put_parameter(&file.writer, &file.stream, "steps", 10, 0);
  parcast_put_parameter(&file.writer, &file.stream, "n", 64, 1);
  file.event(3, 1000, 500,
             {PARCAST_HAS_MESSAGE | PARCAST_HAS_COMPUTE,
              {SampleRank::message((rank + 1) % processes, 1, 800)[0], 800, 400}});
  file.event(5, 2000, 500);
  file.finish();
}

TEST(RecordingFile, ReadsAllRanksWithoutMetaData) {
  const Scratch scratch;
  for (int rank = 0; rank < 3; ++rank) write_rank(scratch, rank, 3);
  const auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording) << to_string(recording.error());
  EXPECT_TRUE(recording->losses.empty());
  EXPECT_EQ(recording->processes, 3);
  EXPECT_EQ(recording->program, "app");
  EXPECT_EQ(recording->executable_digest, "deadbeef");
  EXPECT_EQ(recording->command, (std::vector<std::string>{"app", "-n", "64"}));
  EXPECT_EQ(recording->cores_per_host, 2);
  EXPECT_TRUE(recording->oversubscribed());
  EXPECT_EQ(recording->parameters, (std::map<std::string, double>{{"n", 64}, {"steps", 10}}));
  EXPECT_EQ(recording->calls.size(), 2u);
  const auto counts = count(*recording);
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts[2].rank, 2);
  EXPECT_EQ(counts[2].calls.at("MPI_Send"), 1u);
  EXPECT_EQ(counts[2].messages_sent, 1u);
  EXPECT_EQ(counts[2].bytes_sent, 800u);
  EXPECT_DOUBLE_EQ(counts[2].compute_seconds, (400 + 1000 - 10) * 1e-9);
  EXPECT_DOUBLE_EQ(counts[2].communication_seconds, 500e-9);
  EXPECT_EQ(recording->ranks[2].zero, 7'000'000'000);
}

TEST(Recording, IsOversubscribedWhereSomeHostHasMoreProcessesThanCores) {
  Recording recording;
  recording.processes = 4;
  recording.cores_per_host = 2;  // of the host of `parcast record`
  EXPECT_TRUE(recording.oversubscribed());
  recording.ranks.resize(4);
  for (int i = 0; i < 4; ++i) recording.ranks[static_cast<std::size_t>(i)].cores = 2;
  for (const int i : {0, 1}) recording.ranks[static_cast<std::size_t>(i)].host = "a";
  recording.ranks[2].host = "b";
  EXPECT_TRUE(recording.oversubscribed()) << "one process does not tell where it ran";
  recording.ranks[3].host = "b";
  EXPECT_FALSE(recording.oversubscribed());
  recording.ranks[3].host = "a";
  EXPECT_TRUE(recording.oversubscribed());
  for (const std::size_t i : {0u, 1u}) recording.ranks[i].processor_share = 0.25;
  EXPECT_FALSE(recording.oversubscribed()) << "1/4 + 1/4 + 1 of two cores";
  recording.ranks[0].processor_share = 0.8;
  EXPECT_TRUE(recording.oversubscribed());
}

TEST(RecordingFile, MetaDataWrittenIsReadBackTheSame) {
  const Scratch scratch;
  write_rank(scratch, 0, 1);
  auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording);
  recording->program = "lj";
  recording->command = {"mpirun", "-n", "1", "app", "\"quoted\" \xc3\xa9"};
  recording->parameters = {{"n", 1.0 / 3}};
  recording->exit_code = 7;
  recording->launch_seconds = 12.25;
  recording->machine_summary = "a processor, 2 cores";
  recording->virtual_machine = true;
  ASSERT_TRUE(write_meta(scratch.path(), *recording));
  const std::string first = slurp(scratch / "meta.json");
  const auto again = read_recording(scratch.path());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->losses.empty());
  EXPECT_EQ(again->program, "lj");
  EXPECT_EQ(again->command, recording->command);
  EXPECT_EQ(again->parameters, recording->parameters);
  EXPECT_EQ(again->exit_code, 7);
  EXPECT_EQ(again->launch_seconds, 12.25);
  EXPECT_TRUE(again->virtual_machine);
  EXPECT_EQ(again->digest, recording->digest);
  ASSERT_TRUE(write_meta(scratch.path(), *again));
  EXPECT_EQ(slurp(scratch / "meta.json"), first);
}

TEST(RecordingFile, ABrokenMetaFileIsALossOnly) {
  const Scratch scratch;
  write_rank(scratch, 0, 1);
  for (const char* text : {"{", "[]", "{\"schema\": 3}", "\xff\xfe"}) {
    std::ofstream(scratch / "meta.json") << text;
    const auto recording = read_recording(scratch.path());
    ASSERT_TRUE(recording);
    EXPECT_EQ(recording->losses.size(), 1u);
    EXPECT_EQ(recording->program, "app");
  }
  std::ofstream(scratch / "meta.json")
      << R"({"schema": "parcast.recording/1", "program": 3, "exit_code": 1e300, "parameters": {"n": "x", "m": 2}})";
  const auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->program, "app");
  EXPECT_EQ(recording->parameters.count("m"), 1u);
}

TEST(RecordingFile, ParametersThatNobodyComputesWithAreLeftOutAndNamed) {
  const Scratch scratch;
  write_rank(scratch, 0, 1);
  std::ofstream(scratch / "meta.json")
      << R"({"schema": "parcast.recording/1", "parameters": {"n": 1e160, "m": 2, "k": 1e-200}})";
  const auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->parameters, (std::map<std::string, double>{{"m", 2}}));
  ASSERT_EQ(recording->losses.size(), 2u);
  EXPECT_NE(recording->losses[0].what.find("the parameter k is smaller than 1e-30 and is left out"),
            std::string::npos);
  EXPECT_NE(recording->losses[1].what.find("the parameter n is larger than 1e30 and is left out"),
            std::string::npos);
}

TEST(RecordingFile, AMissingRankIsALossAndAnEmptyPlace) {
  const Scratch scratch;
  write_rank(scratch, 0, 3);
  write_rank(scratch, 2, 3);
  std::ofstream(scratch / "rank-1.rec") << "damaged";
  const auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording);
  ASSERT_EQ(recording->ranks.size(), 3u);
  EXPECT_EQ(recording->ranks[1].rank, 1);
  EXPECT_TRUE(recording->ranks[1].events.empty());
  EXPECT_EQ(recording->ranks[2].events.size(), 2u);
  EXPECT_EQ(recording->losses.size(), 2u);
}

TEST(RecordingFile, AFileOfAnotherRunIsLeftOut) {
  const Scratch scratch;
  write_rank(scratch, 0, 2);
  { SampleRank other(scratch / "rank-1.rec", 1, 5); }
  const auto recording = read_recording(scratch.path());
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->processes, 2);
  EXPECT_TRUE(recording->ranks[1].events.empty());
  EXPECT_GE(recording->losses.size(), 2u);
}

TEST(RecordingFile, NothingUsableIsAnErrorThatSaysWhere) {
  const Scratch scratch;
  EXPECT_FALSE(read_recording(scratch / "absent"));
  const auto empty = read_recording(scratch.path());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().where, scratch.path().string());
  std::ofstream(scratch / "rank-0.rec") << "x";
  EXPECT_FALSE(read_recording(scratch.path()));
}

TEST(RecordingFile, TheDigestDependsOnTheRanksAlone) {
  const Scratch one, two;
  write_rank(one, 0, 1);
  write_rank(two, 0, 1);
  const auto a = read_recording(one.path());
  ASSERT_TRUE(write_meta(two.path(), *a));
  EXPECT_EQ(a->digest, read_recording(two.path())->digest);
}

}  // namespace
}  // namespace parcast::recording
