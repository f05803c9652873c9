// SPDX-License-Identifier: Apache-2.0
#include "report/regress_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using Json = nlohmann::json;

// x = 1 2 3 4, y = 3 5 4 8 through the origin: b = 1.9, s^2 = 1.9, error of b = sqrt(1.9 / 30).
regress::Costs line() {
  regress::Runs runs;
  runs.counts = {"turns"};
  runs.where = "runs.csv";
  const std::vector<double> seconds{3, 5, 4, 8};
  for (int i = 0; i < 4; ++i)
    runs.runs.push_back({.program = i < 2 ? "a" : "b",
                         .seconds = seconds[static_cast<std::size_t>(i)],
                         .counts = {1.0 + i},
                         .place = "runs.csv:" + std::to_string(i + 2)});
  auto costs = regress::find_costs(std::move(runs), {.fit = {.plain = true}});
  EXPECT_TRUE(costs);
  return *std::move(costs);
}

TEST(CostsText, TheTableHasTheCostItsErrorAndT) {
  const std::string text = costs_text({line(), {}}, {}, false);
  EXPECT_NE(text.find("4 runs of 2 programs, 1 cost, ordinary least squares"), std::string::npos) << text;
  EXPECT_NE(text.find("turns  1.90 s  252 ms  7.55"), std::string::npos) << text;
  EXPECT_NE(text.find("residuals spread by 1.38 s; condition 1.00, 3 degrees of freedom"), std::string::npos)
      << text;
}

TEST(CostsText, JsonHoldsTheSameValues) {
  const regress::Costs costs = line();
  const Json json = Json::parse(costs_to_json(
      {costs, {regress::answer(costs, {.program = "b", .seconds = regress::kAsked, .counts = {5}})}}));
  EXPECT_EQ(json["schema"], "parcast.costs/1");
  EXPECT_NEAR(json["costs"][0]["value"].get<double>(), 1.9, 1e-14);
  EXPECT_NEAR(json["costs"][0]["standard_error"].get<double>(), std::sqrt(1.9 / 30), 1e-14);
  EXPECT_EQ(json["costs"][0]["identified"], true);
  EXPECT_EQ(json["residuals"].size(), 4u);
  EXPECT_NEAR(json["residuals"][0]["residual"].get<double>(), 1.1, 1e-14);
  EXPECT_NEAR(json["predictions"][0]["new_program"]["high"].get<double>(),
              9.5 + 2.353363434801823 * std::sqrt(1.9 * (1 + 25.0 / 30)), 1e-12);
  EXPECT_NEAR(json["predictions"][0]["two_standard_errors"]["low"].get<double>(),
              9.5 - 2 * 5 * std::sqrt(1.9 / 30), 1e-13);
  EXPECT_TRUE(json["predictions"][0]["measured"].is_null());
}

TEST(CostsText, CsvHasALinePerCostOrPrediction) {
  const regress::Costs costs = line();
  EXPECT_EQ(costs_csv({costs, {}}).find("name,value,standard_error,t,identified\nturns,1.9"), 0u);
  const std::string csv = costs_csv(
      {costs, {regress::answer(costs, {.program = "z", .seconds = regress::kAsked, .counts = {5}})}});
  EXPECT_EQ(csv.find("program,seconds,value,low,high,known_value,known_low,known_high,level\nz,,9.5,"), 0u)
      << csv;
  EXPECT_NE(csv.find(",,,,0.9\n"), std::string::npos) << csv;
}

TEST(CostsText, ThePictureHasEveryRunTwice) {
  const std::string svg = costs_svg(line());
  std::size_t dots = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++dots;
  EXPECT_EQ(dots, 2u * 4 + 2);  // each program also has one in the legend
}

}  // namespace
}  // namespace parcast::report
