// SPDX-License-Identifier: Apache-2.0
#include "web/experiment.h"

#include <gmock/gmock.h>

#include "web/run.h"

namespace parcast::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Experiment gauss() {
  Experiment out;
  out.model = "gauss.model.json", out.machine = "sp-2", out.processes = 16, out.parameters = {{"N", 400}};
  return out;
}

std::string fault_of(const Experiment& experiment) {
  const auto points = points_of(experiment);
  return points ? "" : points.error().what;
}

TEST(Experiment, WithoutAxesHasOnePoint) {
  const auto points = points_of(gauss());
  ASSERT_TRUE(points);
  ASSERT_EQ(points->size(), 1u);
  EXPECT_EQ(points->front().processes, 16);
}

TEST(Experiment, ItsFirstAxisIsTheFastest) {
  Experiment two = gauss();
  two.axes = {{"p", "1..4*2", false}, {"N", "100,200", false}};
  const auto points = points_of(two);
  ASSERT_TRUE(points);
  std::vector<std::string> at;
  for (const Point& point : *points)
    at.push_back(std::to_string(point.processes) + " " +
                 std::to_string(static_cast<int>(point.parameters.at("N"))));
  EXPECT_THAT(at, ElementsAre("1 100", "2 100", "4 100", "1 200", "2 200", "4 200"));
}

TEST(Experiment, AMachinesParametersVaryByFactorsMeasuresRangesAndNames) {
  const auto changes = [](const std::string& values) {
    Experiment varied = gauss();
    varied.changes = {{"L", "5us"}, {"G", "*2"}};
    varied.axes = {{"L", values, true}};
    std::vector<std::string> out;
    const auto points = points_of(varied);
    EXPECT_TRUE(points);
    for (const Point& point : *points) {
      EXPECT_EQ(point.changes.size(), 2u);  // the axis replaces the fixed value
      out.push_back(point.changes.back().value);
    }
    return out;
  };
  EXPECT_THAT(changes("*1..*8*2"), ElementsAre("*1", "*2", "*4", "*8"));
  EXPECT_THAT(changes("*0.5,*1"), ElementsAre("*0.5", "*1"));
  EXPECT_THAT(changes("1us, 2us"), ElementsAre("1us", "2us"));
  EXPECT_THAT(changes("torus,fat_tree"), ElementsAre("torus", "fat_tree"));
  EXPECT_THAT(changes("1s..4s*2"), ElementsAre("1s", "2s", "4s"));
}

TEST(Experiment, WordsThatCouldBeFlagsAreRefused) {
  Experiment bad = gauss();
  bad.parameters["-o"] = 1;
  EXPECT_THAT(fault_of(bad), HasSubstr("\"-o\""));
  bad = gauss(), bad.changes = {{"--output", "x"}};
  EXPECT_THAT(fault_of(bad), HasSubstr("--output"));
  bad = gauss(), bad.changes = {{"L", "-x"}};
  EXPECT_THAT(fault_of(bad), HasSubstr("-x"));
  bad = gauss(), bad.axes = {{"--output", "1", true}};
  EXPECT_THAT(fault_of(bad), HasSubstr("--output"));
  bad = gauss(), bad.axes = {{"L", "1us,-o", true}};
  EXPECT_THAT(fault_of(bad), HasSubstr("-o"));
  bad = gauss(), bad.parameters["a\nb"] = 1;
  EXPECT_THAT(fault_of(bad), HasSubstr("control characters"));
  bad = gauss(), bad.engine = "--help";
  EXPECT_THAT(fault_of(bad), HasSubstr("not known"));
  EXPECT_EQ(fault_of(gauss()), "");
}

TEST(Experiment, HasAtMostTwoAxesAndAThousandPoints) {
  Experiment large = gauss();
  large.axes = {{"p", "1..2000", false}};
  EXPECT_THAT(fault_of(large), HasSubstr("1000"));
  large.axes = {{"p", "1..100", false}, {"N", "1..11", false}};
  EXPECT_THAT(fault_of(large), HasSubstr("1000"));
  large.axes = {{"p", "1,2", false}, {"p", "1,2", false}};
  EXPECT_THAT(fault_of(large), HasSubstr("twice"));
  large.axes = {{"p", "1.5", false}};
  EXPECT_THAT(fault_of(large), HasSubstr("not a number of processes"));
}

TEST(Experiment, BecomesWordsOfVerbs) {
  Experiment asked = gauss();
  asked.engine = "simulate", asked.threads = 2, asked.ranks_per_node = 4,
  asked.changes = {{"L", "*2"}, {"o", "1us"}};
  const auto points = points_of(asked);
  ASSERT_TRUE(points);
  EXPECT_THAT(predict_words(asked, points->front(), "/d/gauss.model.json", "sp-2"),
              ElementsAre("predict", "/d/gauss.model.json", "--json", "--no-store", "-m", "sp-2", "-p", "16",
                          "--engine", "simulate", "-s", "N=400", "--threads", "2", "--ranks-per-node", "4"));
  EXPECT_THAT(machine_words(points->front(), "sp-2", "/t/x.machine.toml"),
              ElementsAre("machine", "set", "sp-2", "L*2", "o=1us", "-o", "/t/x.machine.toml", "-q"));
}

TEST(Experiment, IsTheSameAfterJson) {
  Experiment asked = gauss();
  asked.changes = {{"L", "*2"}};
  asked.axes = {{"p", "1..4*2", false}, {"G", "*1,*2", true}};
  const auto again = experiment_from_json(to_json(asked));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, asked);
}

TEST(Experiment, WrongJsonIsAFault) {
  for (const char* bad :
       {"", "[]", "{", "{\"processes\": 1.5}", "{\"processes\": \"2\"}", "{\"parameters\": {\"N\": \"x\"}}",
        "{\"axes\": [1, {\"name\": 2}]}", "{\"model\": 1}", "{\"changes\": {}}"})
    EXPECT_FALSE(experiment_from_json(bad)) << bad;
}

TEST(Run, IsTheSameAfterJson) {
  web::Run run{7, "2026-11-28T16:01:11Z", gauss(), {}, Status::done};
  run.experiment.axes = {{"p", "1,2", false}};
  run.points = *points_of(run.experiment);
  run.points[0].status = Status::done, run.points[0].answer = R"({"seconds":{"value":1.5}})";
  run.points[1].status = Status::failed, run.points[1].fault = "no </script> here\n";
  auto again = run_from_json(to_json(run));
  ASSERT_TRUE(again);
  again->id = 7;
  EXPECT_EQ(to_json(*again), to_json(run));
}

TEST(Run, ADamagedLineIsNone) {
  const std::string line = to_json(web::Run{1, "", gauss(), *points_of(gauss()), Status::cancelled});
  ASSERT_TRUE(run_from_json(line));
  for (std::size_t length = 0; length < line.size(); ++length)
    EXPECT_FALSE(run_from_json(line.substr(0, length))) << length;
}

TEST(Prediction, KeepsItsTwelveLargestRegions) {
  const std::string full =
      R"({"other":1,"engine":"auto","seconds":{},"regions":[1,2,3,4,5,6,7,8,9,10,11,12,13]})";
  EXPECT_EQ(shortened_prediction(full, true),
            R"({"engine":"auto","seconds":{},"regions":[1,2,3,4,5,6,7,8,9,10,11,12]})");
  EXPECT_EQ(shortened_prediction(full, false), R"({"engine":"auto","seconds":{}})");
  EXPECT_EQ(shortened_prediction("no JSON", true), "");
  EXPECT_EQ(shortened_prediction("{}", true), "");
}

}  // namespace
}  // namespace parcast::web
