// SPDX-License-Identifier: Apache-2.0
#include "report/pattern_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using machine::Machine;
using machine::PatternCurve;
using testing::HasSubstr;
using testing::Not;

machine::Parameter measured(double value) {
  return {value, 0, 10, Origin::measured};
}

/// A fit of 1 us and 1 ns/B up to 1000 B, twice that beyond. Measured times equal the fit, except that of 2 x
/// 10 B, which is half.
Machine with_broadcast() {
  Machine machine;
  machine.name = "X";
  machine::Link& link = machine.links["core"];
  link.latency = measured(2e-6), link.gap_per_byte = measured(0);
  machine::PatternCost table;
  table.name = "broadcast", table.pattern = recording::Pattern::broadcast;
  table.pieces.push_back({0, "1", measured(1e-6), {}, measured(1e-9), {}, 0});
  table.pieces.push_back({1000, "1", measured(2e-6), {}, measured(2e-9), {}, 0});
  table.points = {
      {2, 0, 1e-6, 0, 5}, {2, 10, 0.505e-6, 0, 5}, {2, 100, 1.1e-6, 1e-8, 5}, {2, 2000, 6e-6, 0, 5}};
  machine.patterns.push_back(table);
  return machine;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(PatternView, ComparesEveryPointWithFormulaAndMessages) {
  const Machine machine = with_broadcast();
  const PatternView view = pattern_view(PatternCurve(machine, machine.patterns[0]), {});
  ASSERT_EQ(view.points.size(), 4u);
  EXPECT_DOUBLE_EQ(view.points[1].fitted, 1.01e-6);
  EXPECT_DOUBLE_EQ(*view.points[1].from_messages, 2e-6);
  EXPECT_NEAR(view.fit->median, 0, 1e-12);                          // 0, 0, 0 and 100 %
  EXPECT_NEAR(view.fit->p95, 0.85, 1e-9);                           // between the third and the fourth value
  EXPECT_NEAR(view.messages->median, (1 + 2 / 1.1 - 1) / 2, 1e-9);  // of 100 %, 296 %, 82 % and 67 %
}

TEST(PatternText, SaysWhatLiesBeyondTheMeasurements) {
  const Machine machine = with_broadcast();
  const std::array<std::int32_t, 2> asked{2, 8};
  const PatternView view = pattern_view(PatternCurve(machine, machine.patterns[0]), asked);
  ASSERT_EQ(view.points.size(), 8u);  // 2 was measured
  const std::string text = pattern_text("X", view, {});
  EXPECT_THAT(text, HasSubstr("broadcast on X, measured on 2 processes from 0 B to 2.00 kB"));
  EXPECT_THAT(text, HasSubstr("2.00 us + m 2.00 ns/B"));
  EXPECT_THAT(text, HasSubstr("beyond: p x4"));
  EXPECT_THAT(text, HasSubstr("up to 4.00 times as many; the growth is assumed, since fewer"));
  EXPECT_THAT(pattern_text("X", pattern_view(PatternCurve(machine, machine.patterns[0]), {}), {}),
              Not(HasSubstr("beyond")));
}

TEST(PatternText, AsJsonHasEveryNumber) {
  const Machine machine = with_broadcast();
  const std::array<std::int32_t, 1> asked{8};
  const auto json = nlohmann::json::parse(
      patterns_to_json("X", {pattern_view(PatternCurve(machine, machine.patterns[0]), asked)}));
  EXPECT_EQ(json["schema"], "parcast.machine-patterns/1");
  const auto& pattern = json["patterns"][0];
  EXPECT_EQ(pattern["pieces"].size(), 2u);
  EXPECT_EQ(pattern["points"][2]["measured"]["standard_error"], 1e-8);
  EXPECT_EQ(pattern["points"][4]["measured"], nullptr);
  EXPECT_EQ(pattern["points"][4]["beyond_processes"], 4);
}

TEST(PatternsSvg, DrawsPointsFitsBreaksAndWhatLiesBeyond) {
  const Machine machine = with_broadcast();
  std::vector<PatternCurve> curves;
  curves.emplace_back(machine, machine.patterns[0]);
  const std::string picture = patterns_svg("X", curves, {});
  EXPECT_EQ(times(picture, "<circle"), 4u);
  EXPECT_EQ(times(picture, "class=\"break\""), 1u);
  EXPECT_EQ(times(picture, "class=\"beyond\""), 1u);
  EXPECT_EQ(times(picture, "class=\"messages\""), 1u);
  EXPECT_EQ(times(picture, "stroke-width=\"1.6\""), 2u);  // a line for each piece
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
  const std::array<std::int32_t, 1> asked{8};
  const std::string further = patterns_svg("X", curves, asked);
  EXPECT_EQ(times(further, "class=\"beyond\""), 2u);
  EXPECT_THAT(further, HasSubstr("p = 8, not measured"));
}

TEST(PatternsSvg, APatternOfOneSizeIsDrawnOverTheProcesses) {
  Machine machine = with_broadcast();
  machine.patterns[0].name = "barrier", machine.patterns[0].pattern = recording::Pattern::barrier;
  machine.patterns[0].points = {{2, 0, 1e-6, 0, 5}, {4, 0, 2e-6, 0, 5}};
  std::vector<PatternCurve> curves;
  curves.emplace_back(machine, machine.patterns[0]);
  const std::string picture = patterns_svg("X", curves, {});
  EXPECT_THAT(picture, HasSubstr(">processes<"));
  EXPECT_EQ(times(picture, "<circle"), 2u);
}

}  // namespace
}  // namespace parcast::report
