// SPDX-License-Identifier: Apache-2.0
#include "cli/record_summary.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace parcast::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// Two ranks of 100 ms; rank 0 computes 60 ms of it, rank 1 20 ms.
recording::Recording two_ranks() {
  recording::Recording recording;
  recording.program = "wave";
  recording.parameters = {{"N", 64}};
  recording.processes = 2;
  recording.cores_per_host = 2;
  recording.launch_seconds = 0.5;
  recording.calls = {{"MPI_Barrier", recording::CallClass::collective, recording::Pattern::barrier}};
  recording.ranks.resize(2);
  for (int i = 0; i < 2; ++i) {
    recording::RankRecording& rank = recording.ranks[static_cast<std::size_t>(i)];
    rank.rank = i, rank.wall = 100'000'000, rank.overhead_per_event = 1e-3;
    recording::Event barrier;
    barrier.compute = rank.total_compute = i == 0 ? 60'000'000 : 20'000'000;
    barrier.enter = barrier.compute, barrier.exit = 100'000'000;
    rank.events = {barrier};
  }
  return recording;
}

TEST(RecordSummary, SaysWhatIsNextOnlyWhenTheProgramEndedWell) {
  auto recording = two_ranks();
  EXPECT_THAT(record_text(recording, "wave-1.recording"),
              HasSubstr("parcast:   next: parcast model wave-1.recording"));
  recording.exit_code = 3;
  const std::string failed = record_text(recording, "wave-1.recording");
  EXPECT_THAT(failed, Not(HasSubstr("next")));
  EXPECT_THAT(failed, EndsWith("parcast:   ! the program ended with exit code 3\n"));
  EXPECT_THAT(failed, HasSubstr("recorded in wave-1.recording"));
}

TEST(RecordSummary, WarnsOfParametersThatNoModelTakes) {
  auto recording = two_ranks();
  recording.parameters["p"] = 2;  // the number of processes: redundant
  EXPECT_TRUE(record_notices(recording).empty());
  recording.parameters["p"] = 7;
  ASSERT_EQ(record_notices(recording).size(), 1u);
  EXPECT_EQ(record_notices(recording)[0].code, "reserved-parameter");
  EXPECT_THAT(record_text(recording, "w"), HasSubstr("parcast:   ! the program gives a parameter p = 7"));
  EXPECT_THAT(record_text(recording, "w"), Not(HasSubstr("next")));
}

TEST(RecordSummary, CountsTheEventsWithoutAPathAndGoesOn) {
  auto recording = two_ranks();
  EXPECT_THAT(record_text(recording, "w"), Not(HasSubstr("path")));
  recording.ranks[0].without_path = 3;
  recording.ranks[1].without_path = 1200;
  EXPECT_THAT(record_text(recording, "w"), HasSubstr("parcast:   1,203 events without a path on the stack"));
  EXPECT_THAT(record_text(recording, "w"), HasSubstr("next: parcast model"));
  const auto json = nlohmann::json::parse(record_to_json(recording, "w"));
  ASSERT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(json["warnings"][0]["code"], "without-path");
}

TEST(RecordSummary, NamesWhatIsCountedOnlyAndWhatIsRecordedApart) {
  auto recording = two_ranks();
  recording.ranks[0].unfollowed = {{"MPI_Psend_init", 3}};
  recording.ranks[1].unfollowed = {{"MPI_Pready", 1}, {"MPI_Psend_init", 4}};
  recording.worlds = {"world-1", "world-2"};
  const std::string text = record_text(recording, "wave-1.recording");
  EXPECT_THAT(text, HasSubstr("not followed: MPI_Pready 1, MPI_Psend_init 7"));
  EXPECT_THAT(text, HasSubstr("2 further MPI_COMM_WORLDs"));
  EXPECT_THAT(text, HasSubstr("in world-1, world-2"));
}

TEST(RecordSummary, NamesWhatCompiledProgramsCountTogetherOrNotAtAll) {
  auto recording = two_ranks();
  recording.ranks[0].counted.events_together = 3;
  recording.ranks[0].counted.together_because = "there was no space left for the file";
  recording.ranks[1].counted.left_out = 2;
  const std::string text = record_text(recording, "wave-1.recording");
  EXPECT_THAT(
      text, HasSubstr("behind 3 kinds of events is counted together: there was no space left for the file"));
  EXPECT_THAT(text, HasSubstr("what libraries executed is not counted: loaded after the program's start"));
  EXPECT_THAT(record_text(two_ranks(), "w"), Not(HasSubstr("counted")));
  EXPECT_FALSE(facts_notice({}));
  EXPECT_THAT(facts_notice({0xab, 0xcd})->text, HasSubstr("what 2 modules counted has no meaning"));
}

TEST(RecordSummary, LossesNameTheFilesWhereTheyLieNow) {
  auto recording = two_ranks();
  recording.losses = {{"/tmp/x/.bad-1.recording.ENDM7F/rank-1.rec: cut"}, {"1 of 2 processes left no file"}};
  rename_in_losses(recording, "/tmp/x/.bad-1.recording.ENDM7F", "bad-1.recording");
  EXPECT_EQ(recording.losses[0].what, "bad-1.recording/rank-1.rec: cut");
  EXPECT_EQ(recording.losses[1].what, "1 of 2 processes left no file");
}

TEST(RecordSummary, IsOneObjectOnOneLineAsJson) {
  auto recording = two_ranks();
  recording.exit_code = 3;
  recording.losses = {{"rank-1.rec: cut"}};
  const std::string text = record_to_json(recording, "wave-1.recording");
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["schema"], "parcast.record/1");
  EXPECT_EQ(json["path"], "wave-1.recording");
  EXPECT_EQ(json["program"], "wave");
  EXPECT_EQ(json["processes"], 2);
  EXPECT_EQ(json["parameters"], (nlohmann::json{{"N", 64.0}}));
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["events"], 2);
  EXPECT_NEAR(json["seconds"].get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(json["compute_seconds"].get<double>(), 0.04, 1e-12);
  EXPECT_NEAR(json["communication_seconds"].get<double>(), 0.06, 1e-12);
  EXPECT_NEAR(json["overhead"].get<double>(), 0.01, 1e-12);
  ASSERT_EQ(json["problems"].size(), 1u);
  EXPECT_EQ(json["problems"][0], (nlohmann::json{{"rank", 1}, {"text", "rank-1.rec: cut"}}));
  ASSERT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(json["warnings"][0]["code"], "exit-code");
}

}  // namespace
}  // namespace parcast::cli
