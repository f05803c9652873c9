// SPDX-License-Identifier: Apache-2.0
#include "report/selection_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// "here" takes 41.3 s, "cluster" a third less. Both warn of the data, and "here" of its cores, too.
std::vector<predict::Prediction> two() {
  predict::Prediction here = molecular_dynamics(), cluster = molecular_dynamics();
  cluster.machine = "cluster", cluster.nodes = 8;
  cluster.seconds = {27.5, 25, 30, 0.9, "s", Origin::fitted};
  here.warnings.push_back({"more-than-cores", "16 processes are more than its 2 cores", ""});
  return {here, cluster};
}

TEST(SelectionText, RanksMachinesWithTheChanceOfEachBeingTheFastest) {
  const explain::Selection selection{{{1, 0.93, 1}, {0, 0.07, 41.3 / 27.5}}, true};
  const std::string text = selection_text(two(), selection, {});
  EXPECT_THAT(text, HasSubstr("lmp, 16 processes, steps = 2000, on 2 machines"));
  EXPECT_THAT(text, HasSubstr("cluster    27.50  25.00 .. 30.00   93%              8"));
  EXPECT_THAT(text, HasSubstr("here       41.30  38.10 .. 45.20    7%   x1.50      1"));
  EXPECT_LT(text.find("cluster "), text.find("here "));
  EXPECT_THAT(text, HasSubstr("errors of the program's model are shared by all machines"));
  EXPECT_THAT(selection_text(two(), {selection.choices, false}, {}),
              HasSubstr("errors count as independent"));
}

TEST(SelectionText, HasAColumnForTheMemoryOfANodeWhereItIsKnown) {
  const explain::Selection selection{{{1, 0.93, 1}, {0, 0.07, 41.3 / 27.5}}, true};
  EXPECT_THAT(selection_text(two(), selection, {}), Not(HasSubstr("node memory")));
  auto predictions = two();
  predictions[0].memory_per_node = predict::Estimate{9.6e9, 9e9, 1e10, 0.9, "B", Origin::fitted};
  const std::string text = selection_text(predictions, selection, {});
  EXPECT_THAT(text, HasSubstr("node time  node memory\n"));
  EXPECT_THAT(text, HasSubstr("  6.90 node-min      9.60 GB\n"));
  EXPECT_THAT(text, HasSubstr("  6.90 node-min            -\n"));
  const auto json = nlohmann::json::parse(selection_to_json(predictions, selection));
  EXPECT_TRUE(json["machines"][0]["memory_per_node"].is_null());
  EXPECT_EQ(json["machines"][1]["memory_per_node"]["value"], 9.6e9);
  EXPECT_EQ(json["machines"][1]["memory_per_node"]["high"], 1e10);
  EXPECT_EQ(json["machines"][1]["memory_per_node"]["unit"], "B");
}

TEST(SelectionText, SaysAWarningOfAllMachinesOnce) {
  const std::string text = selection_text(two(), {{{1, 0.93, 1}, {0, 0.07, 1.5}}, true}, {});
  EXPECT_THAT(text, HasSubstr("  ! steps between rebuilds depend on the data; one run"));
  EXPECT_EQ(text.find("steps between"), text.rfind("steps between"));
  EXPECT_THAT(text, HasSubstr("  ! here: 16 processes are more than its 2 cores"));
}

TEST(SelectionText, AsJsonHasProbabilityAndPredictionOfEach) {
  const auto json = nlohmann::json::parse(selection_to_json(two(), {{{1, 0.93, 1}, {0, 0.07, 1.5}}, true}));
  EXPECT_EQ(json["schema"], "parcast.selection/1");
  EXPECT_EQ(json["parameters"]["p"], 16);
  EXPECT_EQ(json["errors"], "program-shared");
  EXPECT_EQ(json["machines"][0]["machine"], "cluster");
  EXPECT_EQ(json["machines"][0]["probability_best"], 0.93);
  EXPECT_EQ(json["machines"][1]["seconds"]["value"], 41.3);
  EXPECT_EQ(json["machines"][1]["warnings"].size(), 2u);
}

}  // namespace
}  // namespace parcast::report
