// SPDX-License-Identifier: Apache-2.0
#include "predict/prediction_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using Json = nlohmann::json;

Prediction example(std::optional<double> limit) {
  Builder b("exa\"mple");
  b.add_parameter("n", {10, 100});
  b.model.processes = {1, 2};
  const program::NodeId loop = b.loop(0, parameter("n"));
  const program::NodeId call = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                                            program::Synchronisation::global, parameter("n"), 8);
  b.segment(loop, call, call, parameter("n"), proportional(parameter("n"), 1e-3));
  Question q = ask(8, {{"n", 800}});
  q.limit = limit;
  return equation_engine().predict(b.model, simple_machine(1e-6, 1e-7, 1e-9), q).value();
}

TEST(PredictionFile, HasEveryKeyOfTheContract) {
  const Json j = Json::parse(to_json(example({})));
  EXPECT_EQ(j.at("schema"), "parcast.prediction/1");
  for (const char* key :
       {"program", "machine", "engine", "parameters", "nodes", "ranks_per_node", "threads", "node_hours",
        "memory_per_node", "within_limit", "seconds", "seconds_new_application", "parts", "extrapolation",
        "coverage", "regions", "warnings"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j.at("parameters").at("p"), 8);
  EXPECT_EQ(j.at("parameters").at("n"), 800);
  EXPECT_EQ(j.at("extrapolation").at("p"), 4.0);
  EXPECT_EQ(j.at("extrapolation").at("n"), 8.0);
  EXPECT_TRUE(j.at("memory_per_node").at("value").is_null());
  EXPECT_EQ(j.at("memory_per_node").at("origin"), "unknown");
  EXPECT_TRUE(j.at("seconds_new_application").at("value").is_null());
  EXPECT_TRUE(j.at("within_limit").at("limit").is_null());
  EXPECT_EQ(j.at("within_limit").at("origin"), "unknown");
  double coverage = 0;
  for (const Origin origin : kOrigins)
    coverage += j.at("coverage").at(std::string(to_string(origin))).get<double>();
  EXPECT_NEAR(coverage, 1, 1e-12);
  for (const char* part : {"compute", "memory", "message_startup", "transfer", "wait"})
    EXPECT_TRUE(j.at("parts").at(part).contains("level"));
  EXPECT_EQ(j.at("warnings").at(0).at("code"), "beyond-data");
}

TEST(PredictionFile, WriteReadWriteIsAFixpoint) {
  for (const std::optional<double> limit : {std::optional<double>(), std::optional<double>(3600.0)}) {
    const std::string text = to_json(example(limit));
    const auto read = prediction_from_json(text, "x.json");
    ASSERT_TRUE(read.ok()) << to_string(read.error());
    EXPECT_EQ(to_json(*read), text);
    EXPECT_EQ(read->question.limit, limit);
  }
}

TEST(PredictionFile, HowBlocksWereCountedIsKept) {
  EXPECT_FALSE(Json::parse(to_json(example({}))).contains("work_by_tier"));
  Prediction prediction = example({});
  prediction.work_by_tier = {{program::CountTier::symbolic, .75}, {program::CountTier::measured, .25}};
  const std::string text = to_json(prediction);
  EXPECT_EQ(Json::parse(text).at("work_by_tier"), Json::parse(R"({"symbolic": 0.75, "measured": 0.25})"));
  const auto read = prediction_from_json(text, "x.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(read->work_by_tier, prediction.work_by_tier);
}

TEST(PredictionFile, TheMemoryOfANodeIsKept) {
  Prediction prediction = example({});
  prediction.memory_per_node = Estimate{1.2e9, 1.1e9, 1.3e9, 0.9, "B", Origin::fitted};
  const std::string text = to_json(prediction);
  const Json j = Json::parse(text).at("memory_per_node");
  EXPECT_EQ(
      j,
      Json::parse(
          R"({"value": 1.2e9, "low": 1.1e9, "high": 1.3e9, "level": 0.9, "unit": "B", "origin": "fitted"})"));
  const auto read = prediction_from_json(text, "x.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(to_json(*read), text);
}

TEST(PredictionFile, ParametersOfTheMachineKeepTheirUnits) {
  Prediction prediction = example({});
  prediction.question.machine = {{"L", {2e-6, Dimension::time}},
                                 {"G", {1e-10, Dimension::time_per_byte}},
                                 {"nodes", {4, Dimension::none}}};
  const std::string text = to_json(prediction);
  EXPECT_EQ(Json::parse(text).at("machine_parameters").at("G").at("unit"), "s/B");
  const auto read = prediction_from_json(text, "x.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->question.machine.at("L").value, 2e-6);
  EXPECT_FALSE(Json::parse(to_json(example({}))).contains("machine_parameters"));
}

TEST(PredictionFile, ASweepHasRegionsWhereTheyAreAskedFor) {
  const Prediction one = example({});
  const Json j = Json::parse(sweep_to_json({one}, true));
  EXPECT_EQ(j.at("points").at(0).at("regions"), Json::parse(to_json(one)).at("regions"));
}

TEST(PredictionFile, ASweepIsPredictionsWithoutRegions) {
  const Json j = Json::parse(sweep_to_json({example({}), example(7.0)}));
  EXPECT_EQ(j.at("schema"), "parcast.sweep/1");
  ASSERT_EQ(j.at("points").size(), 2u);
  EXPECT_FALSE(j.at("points").at(0).contains("regions"));
  EXPECT_EQ(j.at("points").at(1).at("within_limit").at("limit"), 7.0);
}

TEST(PredictionFile, DamagedTextIsAnErrorAndNeverACrash) {
  const std::string text = to_json(example(3600.0));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_FALSE(prediction_from_json(text.substr(0, length), "x.json").ok()) << length;
  EXPECT_FALSE(prediction_from_json("[1, 2]", "x.json").ok());
  const auto other = prediction_from_json(R"({"schema": "parcast.model/1"})", "x.json");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().what, testing::HasSubstr("parcast.model/1"));
  EXPECT_EQ(other.error().where, "x.json");
  std::string wrong = text;
  wrong.replace(wrong.find("\"fitted\""), 8, "\"guess!\"");
  EXPECT_FALSE(prediction_from_json(wrong, "x.json").ok());
}

}  // namespace
}  // namespace parcast::predict
