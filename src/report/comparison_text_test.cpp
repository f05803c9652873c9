// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using testing::ContainsRegex;

/// Two processes each: 6 s of MPI_Send predicted and 4 s measured; computing was only measured.
Comparison two() {
  Comparison comparison{{"p.otf2", "halo", 2, 5}, {"m.recording", "halo", 2, 8}, {}};
  comparison.classes = {
      {"main", "", {}, {"main", "", 7, 10}},
      {"main/out", "MPI_Send", {"main/out", "MPI_Send", 20, 6}, {"main/out", "MPI_Send", 20, 4}}};
  return comparison;
}

TEST(Comparison, StandsSideBySide) {
  const std::string text = comparison_text(two(), {}, false);
  EXPECT_THAT(text, ContainsRegex("difference -37.5 %"));
  EXPECT_THAT(text, ContainsRegex("computing +main +- +7 +0.000 +5.000 +0% +63% +not predicted"));
  EXPECT_THAT(text, ContainsRegex("MPI_Send +main/out +20 +20 +3.000 +2.000 +60% +25% +.50.0 %"));
}

TEST(Comparison, JsonHoldsTheSame) {
  const auto json = nlohmann::json::parse(comparison_to_json(two()));
  EXPECT_EQ(json["schema"], "parcast.comparison/1");
  EXPECT_TRUE(json["classes"][0]["call"].is_null());
  EXPECT_DOUBLE_EQ(json["classes"][1]["predicted"]["seconds"], 3);
  EXPECT_DOUBLE_EQ(json["classes"][1]["measured"]["share"], 0.25);
}

}  // namespace
}  // namespace parcast::report
