// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

std::string events_json(const recording::Recording& recording) {
  std::string all;
  EXPECT_EQ(write_events_json(recording, [&](const std::string& text) { all += text; }), 0u);
  return all;
}

using nlohmann::json;

TEST(CountsJson, RecordedCountsArePlainNumbersPerRank) {
  recording::Recording recording;
  recording.program = "wave";
  recording.processes = 1;
  recording.parameters = {{"N", 64}};
  recording.calls = {{"MPI_Send", recording::CallClass::send, recording::Pattern::none}};
  recording::RankRecording rank;
  recording::Event send;
  send.message = {1, 0, 100};
  send.enter = 1'000'000, send.exit = 3'000'000;
  rank.events = {send, send};
  rank.total_compute = 500'000'000;
  rank.wall = 750'000'000;
  rank.regions = {"", "halo"};
  rank.usage = {
      {.thread = 2, .region = 1, .samples = 4, .minor_faults = 5, .peak_memory = 9, .instructions = 11}};
  recording.ranks = {rank};
  const json out = json::parse(counts_to_json(recording));
  EXPECT_EQ(out["ranks"][0]["usage"], json::array({{{"region", "halo"},
                                                    {"thread", 2},
                                                    {"samples", 4},
                                                    {"minor_faults", 5},
                                                    {"major_faults", 0},
                                                    {"voluntary_switches", 0},
                                                    {"involuntary_switches", 0},
                                                    {"peak_memory", 9},
                                                    {"peak_growth", 0},
                                                    {"instructions", 11}}}));
  EXPECT_EQ(out["schema"], "parcast.counts/1");
  EXPECT_EQ(out["parameters"], json({{"N", 64.0}}));
  ASSERT_EQ(out["ranks"].size(), 1u);
  const json& first = out["ranks"][0];
  EXPECT_EQ(first["rank"], 0);
  EXPECT_EQ(first["calls"], json({{"MPI_Send", 2}}));
  EXPECT_EQ(first["messages_sent"], 2);
  EXPECT_EQ(first["bytes_sent"], 200);
  EXPECT_EQ(first["events"], 2);
  EXPECT_NEAR(first["communication_seconds"].get<double>(), 0.004, 1e-12);
  EXPECT_DOUBLE_EQ(first["seconds"].get<double>(), 0.75);
  EXPECT_TRUE(first.contains("compute_seconds"));
  EXPECT_TRUE(first.contains("collective_bytes"));
}

TEST(CountsJson, WhatIsMissingIsSaidWithItsRankInOneLine) {
  recording::Recording recording;
  recording.processes = 2;
  recording.losses = {
      {"x.recording/rank-1.rec: error: the file ends inside its header, at byte 700\n  record again"},
      {"1 of 2 processes left no file that can be used"}};
  const json out = json::parse(counts_to_json(recording));
  EXPECT_EQ(out["complete"], false);
  EXPECT_EQ(
      out["problems"][0],
      json({{"rank", 1},
            {"text", "x.recording/rank-1.rec: the file ends inside its header, at byte 700; record again"}}));
  EXPECT_EQ(out["problems"][1],
            json({{"rank", nullptr}, {"text", "1 of 2 processes left no file that can be used"}}));
}

TEST(EventsJson, HoldsEveryEventWithWhatItsCallMeans) {
  recording::Recording recording;
  recording.program = "wave";
  recording.processes = 1;
  recording.calls = {{"MPI_Send", recording::CallClass::send, recording::Pattern::none},
                     {"MPI_Allreduce", recording::CallClass::collective, recording::Pattern::allreduce}};
  recording::RankRecording rank;
  rank.host = "node7", rank.zero = 7'000'000'000;
  rank.communicators = {{{0, 1}, {}, {}, {}}};
  rank.regions = {"", "main"};
  rank.sites.resize(1);
  rank.sites[0].file = "wave.c", rank.sites[0].line = 12;
  recording::Event send, all;
  send.message = {1, 5, 100}, send.enter = 1'000'000, send.exit = 3'000'000, send.region = 1;
  all.call = 1, all.message = {recording::kNoPeer, 0, 8}, all.received = {recording::kNoPeer, 0, 16},
  all.site = 7;
  rank.events = {send, all};
  recording.ranks = {rank};
  const json out = json::parse(events_json(recording));
  EXPECT_EQ(out["schema"], "parcast.events/1");
  EXPECT_EQ(out["complete"], true);
  ASSERT_EQ(out["events"].size(), 2u);
  EXPECT_EQ(out["events"][0]["call"], "MPI_Send");
  EXPECT_EQ(out["events"][0]["send"], json({{"peer", 1}, {"tag", 5}, {"bytes", 100}}));
  EXPECT_EQ(out["events"][0]["region"], "main");
  EXPECT_EQ(out["events"][0]["at"], "wave.c:12");
  EXPECT_NEAR(out["events"][0]["exit"].get<double>(), 0.003, 1e-12);
  EXPECT_EQ(out["events"][1]["collective"],
            json({{"root", nullptr}, {"bytes", 8}, {"received_bytes", 16}, {"communicator", 0}}));
  EXPECT_TRUE(out["events"][1]["at"].is_null());
  EXPECT_EQ(out["events"][0]["communicator"], 0);
  EXPECT_FALSE(out["events"][0].contains("repeats"));
  EXPECT_EQ(out["ranks"],
            json::array({{{"rank", 0}, {"host", "node7"}, {"zero", 7.0}, {"communicators", {{0, 1}}}}}));
  EXPECT_EQ(json::parse(events_json({}))["events"].size(), 0u);
}

TEST(EventsJson, AMatchedPollALoopOfPollsANewCommunicatorAndInlinedCallsAreTold) {
  recording::Recording recording;
  recording.calls = {{"MPI_Iprobe", recording::CallClass::poll, recording::Pattern::none},
                     {"MPI_Comm_dup", recording::CallClass::communicator, recording::Pattern::none}};
  recording::RankRecording rank;
  recording::Event loop, found, dup;
  loop.repeats = 12;
  found.received = {3, 4, 5};
  dup.call = 1, dup.created = 2;
  rank.events = {loop, found, dup};
  rank.modules = {{"/opt/bin/wave", "ab"}};
  rank.sites = {{0, 0x14f2, "", "", 0}, {0, 8, "halo", "wave.h", 30, {{"main", "wave.c", 99}}}};
  rank.events[1].site = 1;
  recording.ranks = {rank};
  const json events = json::parse(events_json(recording))["events"];
  EXPECT_EQ(events[0]["repeats"], 12);
  EXPECT_FALSE(events[0].contains("receive"));
  EXPECT_EQ(events[1]["receive"], json({{"peer", 3}, {"tag", 4}, {"bytes", 5}}));
  EXPECT_EQ(events[2]["created"], 2);
  EXPECT_EQ(events[0]["at"], "wave+0x14f2");
  EXPECT_EQ(events[1]["at"], "wave.h:30");
  EXPECT_EQ(events[1]["function"], "halo");
  EXPECT_EQ(events[1]["inlined_into"], json::array({{{"function", "main"}, {"at", "wave.c:99"}}}));
}

TEST(MachinesJson, IsAListOfNames) {
  EXPECT_EQ(json::parse(machine_list_to_json({ListedMachine{"ideal"}, ListedMachine{"here"}}))["machines"],
            json({"ideal", "here"}));
}

TEST(CountsJson, PredictedCountsCarryIntervalAndOrigin) {
  program::PredictedCounts rank;
  rank.rank = 3;
  rank.calls = {{"MPI_Send", {10, 8.5, 12, Origin::fitted}}};
  rank.messages_sent = {1e12, 1e12, 1e12, Origin::exact};
  const std::string text = counts_to_json(program::Model{.program = "wave"}, {{{"N", 64}}, 4}, {rank});
  const json out = json::parse(text);
  EXPECT_EQ(out["processes"], 4);
  EXPECT_EQ(out["ranks"][0]["calls"]["MPI_Send"],
            json({{"value", 10}, {"low", 8.5}, {"high", 12}, {"origin", "fitted"}}));
  EXPECT_NE(text.find("\"value\": 1000000000000,"), std::string::npos)
      << "whole numbers are written without exponent";
}

store::Entry entry(store::Kind kind) {
  store::Entry out;
  out.kind = kind;
  out.digest = std::string(64, 'a');
  out.program = "wave", out.machine = "here", out.processes = 4, out.parameters = {{"N", 64}};
  out.seconds = 2, out.low = 1, out.high = 3, out.level = 0.9;
  return out;
}

TEST(StoreJson, EachKindHasItsOwnFields) {
  using store::Kind;
  const json out =
      json::parse(store_list_to_json({entry(Kind::recording), entry(Kind::model), entry(Kind::machine),
                                      entry(Kind::prediction), entry(Kind::measurement)}));
  EXPECT_EQ(out["schema"], "parcast.store/1");
  const json& entries = out["entries"];
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0]["kind"], "recording");
  EXPECT_EQ(entries[0]["id"], std::string(12, 'a'));
  EXPECT_EQ(entries[0]["parameters"], json({{"p", 4}, {"N", 64.0}}));
  EXPECT_FALSE(entries[1].contains("seconds"));
  EXPECT_FALSE(entries[2].contains("program"));
  EXPECT_EQ(entries[3]["seconds"]["high"], 3.0);
  EXPECT_EQ(entries[4]["seconds"]["origin"], "measured");
}

TEST(StoreJson, ContentIsJsonWhereItIsJson) {
  auto prediction = entry(store::Kind::prediction);
  prediction.content = "{\"schema\": \"parcast.prediction/1\"}";
  EXPECT_EQ(json::parse(store_entry_to_json(prediction))["content"]["schema"], "parcast.prediction/1");
  auto machine = entry(store::Kind::machine);
  machine.content = "name = \"here\"\n";
  EXPECT_EQ(json::parse(store_entry_to_json(machine))["content"], machine.content);
}

TEST(ValidationJson, HoldsPointsSummaryAndWhatWasNotAnswered) {
  store::ValidatedPoint point;
  point.program = "wave", point.processes = 4, point.predicted = 10, point.low = 9, point.high = 11,
  point.level = 0.9;
  point.measured = 8, point.fastest = 7, point.slowest = 9, point.runs = 3, point.error = 0.25;
  store::Validation validation;
  validation.points = {point};
  validation.all = store::summarize(validation.points);
  validation.programs = {store::summarize(validation.points, "wave")};
  validation.unanswered = {{"wave", "here", {{"N", 1}}, 2, 7, 1}};
  const json out = json::parse(validation_to_json(validation));
  EXPECT_EQ(out["schema"], "parcast.validation/1");
  EXPECT_EQ(out["points"][0]["measured"]["value"], 8.0);
  EXPECT_EQ(out["points"][0]["error"], 0.25);
  EXPECT_EQ(out["points"][0]["hit"], false);
  EXPECT_EQ(out["summary"]["median_error"], 0.25);
  EXPECT_EQ(out["summary"]["coverage"], 0.0);
  EXPECT_EQ(out["summary"]["level"], 0.9);
  EXPECT_EQ(out["programs"][0]["program"], "wave");
  EXPECT_EQ(out["unanswered"][0]["line"], 7);
}

TEST(MachineDiffJson, UnknownSidesAreNull) {
  const json out = json::parse(machine_diff_to_json(
      "here", "cluster",
      {{{"links.core.gap", Dimension::time, 1e-6, std::nullopt, false}}, {{"scan", 12, 9, 0.8}}}));
  EXPECT_EQ(out["schema"], "parcast.machine-diff/1");
  EXPECT_EQ(out["a"], "here");
  EXPECT_EQ(out["b"], "cluster");
  EXPECT_EQ(out["parameters"][0],
            json({{"name", "links.core.gap"}, {"a", 1e-6}, {"b", nullptr}, {"within_intervals", false}}));
  EXPECT_EQ(out["tables"][0], json({{"name", "scan"}, {"points", 12}, {"agreeing", 9}, {"ratio", 0.8}}));
}

TEST(Json, TextThatIsNoUtf8DoesNotSpoilTheRest) {
  auto odd = entry(store::Kind::recording);
  odd.program = "bad\xFF name";
  EXPECT_EQ(json::parse(store_list_to_json({odd}))["entries"][0]["program"], "bad\xEF\xBF\xBD name");
}

TEST(CheckupJson, ListsFindings) {
  const json out = json::parse(checkup_to_json({{"recorder", false, "not found", "install it"}}));
  EXPECT_EQ(out["findings"][0],
            json({{"subject", "recorder"}, {"good", false}, {"text", "not found"}, {"hint", "install it"}}));
}

}  // namespace
}  // namespace parcast::report
