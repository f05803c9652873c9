// SPDX-License-Identifier: Apache-2.0
#include "report/study_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

study::Run run(double p, double n, double seconds) {
  study::Run out{.values = {{"p", p}, {"N", n}}};
  out.is_done = true, out.seconds = seconds, out.launch_seconds = seconds + 1,
  out.processes = static_cast<int>(p);
  return out;
}

/// 10 s, from 9 to 12: half of the interval is 15 % of the answer.
study::Outcome outcome() {
  study::Outcome out;
  out.design.names = {"p", "N"};
  out.runs = {run(1, 100, 2), run(2, 100, 1)};
  out.prediction.program = "app", out.prediction.machine = "here", out.prediction.engine = "equation";
  out.prediction.question.point = {{{"N", 400}}, 8};
  out.prediction.seconds = {10, 9, 12, 0.9, "s", Origin::fitted};
  out.prediction.regions = {{.node = 1,
                             .path = "main/solve",
                             .where = "app.c:7",
                             .seconds = {8, 8, 8, 0.9, "s", Origin::exact},
                             .origin = Origin::exact},
                            {.node = 2,
                             .path = "main/rest",
                             .seconds = {0.1, 0.1, 0.1, 0.9, "s", Origin::exact},
                             .origin = Origin::exact}};
  out.explanation.emplace();
  out.explanation->advice = {{"record-larger", "record a run at N = 200", 0.8}};
  out.model_file = "/x/app.study/app.model.json", out.machine_file = "/x/app.study/here.machine.toml";
  out.asked_machine_file = out.machine_file;
  out.spent = 5;
  return out;
}

TEST(StudyText, ShowsAnswerDominantPartsAndLimits) {
  const std::string text = study_text(outcome(), "app.study", {.color = false, .width = 80});
  for (const char* part : {"app, 8 processes, N = 400, on here", "9.00 .. 12.0 (90 %), +-15 %",
                           "what dominates, lines of app.c", "main: solve, line 7", "80%",
                           "what limits the accuracy\n    record a run at N = 200", "2 runs, 5.00 s"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("main: rest")));  // 1 % of the time
  EXPECT_THAT(text, Not(HasSubstr("measured run")));
}

TEST(StudyText, OfAReplayProposesToSimulateItsRecordingOnTheAskedMachine) {
  study::Outcome replay = outcome();
  replay.replayed = {"/x/app.study/runs/replayed-p8.abc.recording"};
  replay.asked_machine_file = "/x/app.study/asked.machine.toml";
  EXPECT_EQ(
      next_command(replay, "app.study").command,
      "parcast simulate app.study/runs/replayed-p8.abc.recording -m app.study/asked.machine.toml --regions");
  replay.asked_machine.extrap.emplace();  // and links
  EXPECT_THAT(next_command(replay, "app.study").command, HasSubstr(" --model extrap --regions"));
}

TEST(StudyText, FitsOnAScreenOf80Columns) {
  study::Outcome wide = outcome();
  wide.notes = {std::string(50, 'a') + " " + std::string(50, 'b')};
  wide.prediction.warnings.assign(
      9, {"beyond-data", "a sentence " + std::string(60, 'x') + " that is long", "and a hint"});
  wide.prediction.regions.assign(40, {.node = 1,
                                      .path = std::string(200, 'r'),
                                      .where = std::string(200, 'w'),
                                      .seconds = {1, 1, 1, 0.9, "s", Origin::exact},
                                      .origin = Origin::exact});
  wide.failed.assign(9, run(4, 100, 0));
  for (study::Run& each : wide.failed)
    each.is_done = false, each.fault = "the program ended with exit code 7";
  const std::string text = study_text(wide, "app.study", {.color = false, .width = 80});
  const auto lines = split(text, '\n');
  EXPECT_LE(lines.size(), 45u);
  for (const std::string& line : lines)
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("  next: ")) << line;
  EXPECT_THAT(text, HasSubstr("failed: p = 4, N = 100: the program ended with exit code 7"));
  EXPECT_THAT(text, HasSubstr("... and 6 more"));
}

TEST(StudyText, ComparesMeasuredRunsWithTheirPredictions) {
  study::Outcome checked = outcome();
  study::Checked hit{{{"p", 2}, {"N", 200}}, checked.prediction, run(2, 200, 11)},
      miss{{{"p", 1}, {"N", 200}}, checked.prediction, run(1, 200, 20)};
  checked.checks = {hit, miss};
  EXPECT_TRUE(hit.holds());
  EXPECT_FALSE(miss.holds());
  const std::string text = study_text(checked, "app.study", {.color = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("-9.1 %  hit"));
  EXPECT_THAT(text, HasSubstr("-50.0 %  miss"));
}

TEST(StudyText, NamesTheNextCommand) {
  study::Outcome out = outcome();
  EXPECT_EQ(next_command(out, "my app.study").command, "parcast study 'my app.study' --precision 10%");
  out.stop = study::Stop::budget, out.description.budget = 30;
  EXPECT_EQ(next_command(out, "app.study").command, "parcast study app.study --budget 60s");
  out.stop = study::Stop::precision;
  EXPECT_EQ(next_command(out, "app.study").command, "parcast study app.study --check N=100,p=2");
  out.checks = {{{}, out.prediction, run(2, 200, 11)}};
  EXPECT_EQ(next_command(out, "app.study").command,
            "parcast explain app.study/app.model.json -m app.study/here.machine.toml -p 8 -s N=400");
}

TEST(StudyText, JsonHasTheSameNumbers) {
  study::Outcome out = outcome();
  out.checks = {{{{"p", 2}, {"N", 200}}, out.prediction, run(2, 200, 20)}};
  out.failed = {run(4, 100, 0)};
  out.failed[0].is_done = false, out.failed[0].exit_code = 7, out.failed[0].fault = "\xff";  // not UTF-8
  const auto json = nlohmann::json::parse(study_to_json(out, "app.study", {{"model", "app.model.json"}}));
  EXPECT_EQ(json.at("schema"), "parcast.study/1");
  EXPECT_DOUBLE_EQ(json.at("precision_percent"), 15);
  EXPECT_EQ(json.at("answer").at("seconds").at("value"), 10);
  EXPECT_EQ(json.at("checks").at(0).at("error"), -0.5);
  EXPECT_EQ(json.at("checks").at(0).at("within_interval"), false);
  EXPECT_EQ(json.at("failed").at(0).at("exit_code"), 7);
  EXPECT_EQ(json.at("dominates").at(0).at("share"), 0.8);
  EXPECT_TRUE(json.at("graph").is_null());
  EXPECT_EQ(json.at("files").at("model"), "app.model.json");
}

}  // namespace
}  // namespace parcast::report
