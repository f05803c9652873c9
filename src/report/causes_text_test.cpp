// SPDX-License-Identifier: Apache-2.0
#include "report/causes_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace parcast::report {
namespace {

using causes::Kind;
using causes::Role;
using testing::HasSubstr;

/// By hand: each operation takes 2 s. From 5 on, pages are swapped at 3 s each. On two processes half the
/// work is done, and nothing is swapped.
Reasons made(bool swapped_measured = true) {
  Reasons out;
  out.runs.variables = {{"operations", Role::work}};
  if (swapped_measured) out.runs.variables.push_back({"swapped", Role::event});
  const double error[] = {1.001, 0.999, 1.002, 0.998, 1, 1.001, 0.999, 1};
  for (int n = 2; n <= 16; n += 2)
    for (const int p : {1, 2}) {
      causes::Run run{{{"n", n}}, p, {}, {}};
      const double operations = double(n) / p,
                   pages = p == 1 && n > 8 ? (n - 8) * (n % 4 == 0 ? 1.1 : 0.9) : 0;
      for (int i = 0; i < p; ++i) {
        run.phases.push_back(
            {i, Kind::computation, "", (2 * operations + 3 * pages) * error[n / 2 - 1], {operations, pages}});
        if (!swapped_measured) run.phases.back().values.pop_back();
      }
      out.runs.runs.push_back(run);
    }
  out.analysis = *causes::analyse(out.runs);
  out.graph = causes::graph_of(out.runs, out.analysis);
  out.run = out.runs.runs.size() - 1;
  return out;
}

/// Returns the text with wide lines, so that nothing is wrapped.
std::string text_of(const Reasons& reasons) {
  Style style;
  style.width = 10000;
  return reasons_text(reasons, style);
}

TEST(CausesText, TheChainLeadsFromTheSpeedupToTheCause) {
  const std::string text = text_of(made());
  // n = 16: on one process 32 + 3 x 8.8 = 58.4 s; on two processes 16 s each.
  EXPECT_THAT(text, HasSubstr("n = 16, p = 2: 16.0 s, speedup 3.65 over 58.4 s on one process (measured, 1 "
                              "run), efficiency 183 %"));
  EXPECT_THAT(text, HasSubstr("computation  0.548    32.00"));
  EXPECT_THAT(text, HasSubstr("the speedup is above 2, because computation is cheaper: swapped costs 26.4 s "
                              "on one process and 0 s on all here"));
  EXPECT_THAT(text, HasSubstr("only up to 8.00 operations"));
  EXPECT_THAT(text, HasSubstr("the cause is swapped, 3.00 s (+- "));
}

TEST(CausesText, WhatIsNotMeasuredIsUnexplained) {
  const std::string text = text_of(made(false));
  EXPECT_THAT(text, HasSubstr("the break is unexplained: no other variable was measured"));
  EXPECT_THAT(text, HasSubstr("the speedup is above 2, and its cause is not among the variables measured"));
}

/// 2 s per operation, from 6 on 3 s per miss, from 14 on 5 s per page swapped; the amounts differ from size
/// to size.
Reasons with_two_causes(bool both_measured) {
  Reasons out;
  out.runs.variables = {{"operations", Role::work}, {"cache_misses", Role::event}};
  if (both_measured) out.runs.variables.push_back({"swapped", Role::event});
  const double error[] = {1.002, 0.998, 1.001, 0.997, 1.003, 0.999, 1};
  for (int n = 1; n <= 24; ++n) {
    const double misses = std::max(0, n - 6) * (n % 3 == 0 ? 1.2 : 0.9),
                 swapped = std::max(0, n - 14) * (n % 4 < 2 ? 1.1 : 0.8);
    out.runs.runs.push_back({{{"n", n}},
                             1,
                             {{0,
                               Kind::computation,
                               "",
                               (2 * n + 3 * misses + 5 * swapped) * error[n % 7],
                               {double(n), misses, swapped}}},
                             {}});
    if (!both_measured) out.runs.runs.back().phases[0].values.pop_back();
  }
  out.analysis = *causes::analyse(out.runs);
  out.graph = causes::graph_of(out.runs, out.analysis);
  out.run = out.runs.runs.size() - 1;
  return out;
}

// At n = 24: 48 s of operations, 18 x 1.2 x 3 = 64.8 s of misses, 10 x 1.1 x 5 = 55 s of pages. That sums to
// 167.8 s: misses are 39 % and pages 33 % of it.
TEST(CausesText, TwoCausesAreToldWithTheirSharesAndWhyEitherIsNeeded) {
  const std::string text = text_of(with_two_causes(true));
  EXPECT_THAT(text,
              testing::ContainsRegex("cache_misses 64.[0-9] s \\(39 %\\), swapped 5[45].[0-9] s \\(33 %\\)"));
  EXPECT_THAT(text, HasSubstr("it has two causes, cache_misses, 3.0"));
  EXPECT_THAT(text, HasSubstr("with both no break is left (p = "));
  EXPECT_THAT(text, HasSubstr("without cache_misses a break remains beyond "));
  EXPECT_THAT(text, HasSubstr("without swapped a break remains beyond "));
  const auto j = nlohmann::json::parse(reasons_to_json(with_two_causes(true)))["relations"][0];
  EXPECT_EQ(j["causes"].size(), 2u);
  EXPECT_TRUE(j["cause"].is_null());
  EXPECT_FALSE(j["unexplained"]);
  EXPECT_FALSE(j["partly"]);
  EXPECT_EQ(j["pairs"][0]["verdict"], "enters");
}

TEST(CausesText, OfACauseOfPartTheRestIsSaidToBeUnexplained) {
  const std::string text = text_of(with_two_causes(false));
  EXPECT_THAT(text, HasSubstr("part of it is explained by cache_misses, 3.0"));
  EXPECT_THAT(text, HasSubstr("with it a break remains beyond 14.0 operations"));
  EXPECT_THAT(text, HasSubstr("which is unexplained"));
  const auto j = nlohmann::json::parse(reasons_to_json(with_two_causes(false)))["relations"][0];
  EXPECT_TRUE(j["cause"].is_null());
  EXPECT_TRUE(j["partly"]);
  EXPECT_EQ(j["causes"][0]["variable"], "cache_misses");
}

TEST(CausesText, WorkThatIsTheSameEverywhereIsNotSaidToLackRuns) {
  Reasons reasons;
  reasons.runs.variables = {{"operations", Role::work}};
  for (int n = 1; n <= 8; ++n)
    reasons.runs.runs.push_back({{{"n", n}}, 1, {{0, Kind::computation, "", 2 + 0.01 * (n % 3), {5}}}, {}});
  reasons.analysis = *causes::analyse(reasons.runs);
  EXPECT_THAT(text_of(reasons), HasSubstr("over 8 runs: the work varies too little to test for a break"));
}

TEST(CausesText, ALooseRelationIsNotCalledProportion) {
  Reasons reasons;
  reasons.runs.variables = {{"operations", Role::work}};
  const double error[] = {1.9, 0.6, 1.4, 0.5, 1.8, 0.7, 1.5, 0.6};
  for (int n = 1; n <= 8; ++n)
    reasons.runs.runs.push_back(
        {{{"n", n}}, 1, {{0, Kind::computation, "", n * error[n - 1], {double(n)}}}, {}});
  reasons.analysis = *causes::analyse(reasons.runs);
  EXPECT_THAT(text_of(reasons),
              HasSubstr("time of computation hardly follows from operations: runs differ by "));
}

TEST(CausesText, WithoutARunOnOneProcessTimesHaveShares) {
  Reasons reasons;
  reasons.runs.runs.push_back({{},
                               2,
                               {{0, Kind::computation, "a/b", 3, {}},
                                {1, Kind::computation, "a/c", 1, {}},
                                {1, Kind::communication, "", 1, {}}},
                               {}});
  reasons.analysis = *causes::analyse(reasons.runs);
  const std::string text = text_of(reasons);
  EXPECT_THAT(text, HasSubstr("no run on one process shows its time there"));
  EXPECT_THAT(text, HasSubstr("  computation      67%    4.000"));
  EXPECT_THAT(text, HasSubstr("      b            50%    3.000"));
  EXPECT_THAT(text,
              HasSubstr("computation a/b, computation a/c, communication: no work was measured in all runs"));
}

TEST(CausesText, JsonHoldsTheSame) {
  const auto j = nlohmann::json::parse(reasons_to_json(made()));
  EXPECT_EQ(j.at("schema"), "parcast.causes/1");
  EXPECT_EQ(j.at("relations")[0].at("cause"), "swapped");
  EXPECT_EQ(j.at("relations")[0].at("first_order").at("last_linear"), 8);
  EXPECT_FALSE(j.at("relations")[0].at("unexplained"));
  const auto& run = j.at("runs")[15];
  double sum = 0;
  for (const auto& phase : run.at("overheads").at("phases")) sum += phase.at("ratio").get<double>();
  EXPECT_NEAR(sum * run.at("overheads").at("efficiency").get<double>(), 1, 1e-12);
  EXPECT_TRUE(run.at("superlinear").at("explained"));
  bool edge = false;
  for (const auto& one : j.at("graph").at("edges"))
    edge |= one.at("from") == "swapped of computation" && one.at("to") == "time of computation" &&
            one.at("form") == "linear";
  EXPECT_TRUE(edge);
}

TEST(CausesText, EachViewDrawsItsData) {
  const Reasons reasons = made();
  const auto count = [](const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string time = reasons_svg(reasons, View::time);
  EXPECT_EQ(count(time, ">process "), 2);
  EXPECT_THAT(time, HasSubstr("computation 16.0 s"));
  EXPECT_EQ(count(reasons_svg(reasons, View::overhead), "p = "), 16);
  const std::string functional = reasons_svg(reasons, View::functional);
  EXPECT_EQ(count(functional, "<circle"), 16 + 1);  // and one in the key
  EXPECT_THAT(functional, HasSubstr("refined by swapped"));
  EXPECT_THAT(functional, HasSubstr(">operations of a process<"));
  const std::string causal = reasons_svg(reasons, View::causal);
  EXPECT_THAT(causal, HasSubstr("swapped of computation"));
  EXPECT_EQ(count(causal, "marker-end"), static_cast<int>(reasons.graph.edges.size()));
  EXPECT_EQ(count(causal, "rx=\"4\""), static_cast<int>(reasons.graph.nodes.size()));
  for (const View view : {View::time, View::overhead, View::functional, View::causal}) {
    const std::string svg = reasons_svg(reasons, view);
    EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    EXPECT_EQ(count(svg, "nan"), 0);
  }
}

}  // namespace
}  // namespace parcast::report
