// SPDX-License-Identifier: Apache-2.0
#include "report/phases_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "report/recording_text.h"

namespace parcast::report {
namespace {

using recording::PhaseKind;

/// Two ranks of 10 ms each: 6 and 4 ms of computing, 1 and 2 ms of messages, the rest idle.
recording::Recording two_ranks() {
  recording::Recording out;
  out.program = "matmul";
  out.processes = 2;
  constexpr std::int64_t kMillisecond = 1'000'000;
  for (int i = 0; i < 2; ++i) {
    recording::RankRecording rank;
    rank.rank = i;
    rank.phase_names = {"multiply", "shift", "end"};
    const std::int64_t computed = i == 0 ? 6 : 4, moved = i == 0 ? 7 : 6;
    rank.phases = {{PhaseKind::computation, 0, 0, computed * kMillisecond, 62500, 0},
                   {PhaseKind::communication, 1, computed * kMillisecond, moved * kMillisecond, 0, 1250.5},
                   {PhaseKind::idle, 2, moved * kMillisecond, 10 * kMillisecond, 0, 0}};
    out.ranks.push_back(rank);
  }
  return out;
}

TEST(PhasesTable, HasAKindAndBelowItItsNames) {
  EXPECT_EQ(phases_table(two_ranks(), {}),
            "\n"
            "  phase          executions     ms  share  operations  quantums\n"
            "  computation             2  10.00   50 %     125,000         0\n"
            "    multiply              2  10.00   50 %     125,000         0\n"
            "  communication           2   3.00   15 %           0     2,501\n"
            "    shift                 2   3.00   15 %           0     2,501\n"
            "  idle                    2   7.00   35 %           0         0\n"
            "    end                   2   7.00   35 %           0         0\n");
  EXPECT_EQ(phases_table(recording::Recording{}, {}), "");
}

// Means over two ranks of 10 ms: 5 ms of computing, 1.5 ms of messages, 3.5 ms idle. No event describes
// computing between calls.
TEST(PhasesAlone, AreWhatIsKnownOfTheTimeWithoutEvents) {
  auto recording = two_ranks();
  for (auto& rank : recording.ranks) rank.wall = 10'000'000, rank.finalised = true;
  const std::string summary = record_summary(recording, "m.recording");
  EXPECT_NE(summary.find("parcast:   computation 5.00 ms 50 % · communication 1.50 ms 15 % · idle 3.50 ms 35 "
                         "%, as the program reported\n"),
            std::string::npos)
      << summary;
  EXPECT_NE(summary.find("next: parcast show m.recording, or parcast explain --why"), std::string::npos)
      << summary;
  const std::string shown = recording_text(recording, {});
  EXPECT_NE(shown.find("  time      computation 5.00 ms 50 %"), std::string::npos) << shown;
  EXPECT_NE(shown.find("        -         -  10.00"), std::string::npos) << shown;
  recording.ranks[0].total_compute = 6'000'000;
  recording.ranks[0].events.emplace_back();
  EXPECT_NE(record_summary(recording, "m.recording").find("parcast:   compute 3.00 ms 30 %"),
            std::string::npos);
}

TEST(PhasesTable, OfMoreNamesThanAScreenHoldsSaysHowManyAreLeftOut) {
  auto recording = two_ranks();
  recording.ranks.resize(1);
  recording.ranks[0].phases.clear();
  for (int i = 0; i < 30; ++i) {
    recording.ranks[0].phase_names.push_back("step " + std::to_string(i));
    recording.ranks[0].phases.push_back(
        {PhaseKind::computation, static_cast<std::uint32_t>(3 + i), i, i + 1, 1, 0});
  }
  const std::string text = phases_table(recording, {});
  EXPECT_NE(text.find("computation          30"), std::string::npos) << text;
  EXPECT_NE(text.find("... 7 more phases, --counts --json"), std::string::npos) << text;
}

TEST(PhasesJson, HasTheSumsOfAllRanksAndOfEach) {
  const auto out = nlohmann::json::parse(counts_to_json(two_ranks()));
  ASSERT_EQ(out["phases"].size(), 3u);
  EXPECT_EQ(out["phases"][0], (nlohmann::json{{"kind", "computation"},
                                              {"name", "multiply"},
                                              {"executions", 2},
                                              {"seconds", 0.01},
                                              {"operations", 125000.0},
                                              {"quantums", 0.0}}));
  EXPECT_EQ(out["ranks"][1]["phases"][1]["quantums"], 1250.5);
  EXPECT_EQ(out["ranks"][1]["phases"][1]["seconds"], 0.002);
}

/// Rank 0 and 1: 100 and 20 page faults of multiply, 5 and 0 of them from disk; shift was too short.
recording::Recording with_usage() {
  auto recording = two_ranks();
  recording.ranks[0].phase_samples = {
      {0, {.minor_faults = 100, .major_faults = 5, .voluntary_switches = 7, .involuntary_switches = 1}}};
  recording.ranks[1].phase_samples = {{0, {.minor_faults = 20, .involuntary_switches = 2}}};
  for (auto& rank : recording.ranks) rank.finalised = true;
  return recording;
}

TEST(PhasesUsage, HasALinePerPhaseThatTheProgramTold) {
  const std::string text = recording_text(with_usage(), {});
  EXPECT_NE(text.find("  phase     page faults  from disk  gave way  pre-empted\n"
                      "  multiply          120          5         7           3\n"
                      "  shift               0          0         0           0\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(recording_text(two_ranks(), {}).find("page faults"), std::string::npos);
}

TEST(PhasesUsage, HasTheNamesOfTheTableOfRunsByPhase) {
  const auto out = nlohmann::json::parse(counts_to_json(with_usage()));
  const auto& multiply = out["phases"][0];
  EXPECT_EQ(multiply["page_faults"], 120);
  EXPECT_EQ(multiply["major_faults"], 5);
  EXPECT_EQ(multiply["context_switches"], 10);
  EXPECT_EQ(multiply["voluntary_switches"], 7);
  EXPECT_FALSE(multiply.contains("cache_misses"));
  EXPECT_EQ(out["ranks"][1]["phases"][0]["page_faults"], 20);
  EXPECT_FALSE(out["phases"][2].contains("page_faults"));  // not measured in the wait at the end
  std::string all;
  write_events_json(with_usage(), [&](const std::string& text) { all += text; });
  const auto line = nlohmann::json::parse(all)["ranks"][0]["phases"];
  EXPECT_EQ(line[0]["page_faults"], 100);
  EXPECT_FALSE(line[1].contains("page_faults"));  // added to the next phase that has them
}

TEST(PhasesJson, TheTimeLineStandsBesideTheEvents) {
  std::string all;
  write_events_json(two_ranks(), [&](const std::string& text) { all += text; });
  const auto line = nlohmann::json::parse(all)["ranks"][0]["phases"];
  ASSERT_EQ(line.size(), 3u);
  EXPECT_EQ(line[1]["begin"], line[0]["end"]);
  EXPECT_EQ(line[1]["name"], "shift");
}

}  // namespace
}  // namespace parcast::report
