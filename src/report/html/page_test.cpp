// SPDX-License-Identifier: Apache-2.0
#include "report/html/page.h"

#include <gmock/gmock.h>

#include "report/html/chart.h"
#include "report/html/markup.h"
#include "report/html/sections.h"
#include "report/test_prediction.h"

namespace parcast::report::html {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report() {
  Report out;
  out.prediction = molecular_dynamics();
  out.explanation.prediction = out.prediction;
  out.model.program = "lmp";
  out.model.parameters = {{"steps", {100, 200}}};
  out.model.processes = {1, 2, 4};
  out.machine.name = "here";
  for (const std::int32_t p : {1, 4, 16}) {
    out.scaling.push_back(out.prediction);
    out.scaling.back().question.point.processes = p;
    out.scaling.back().seconds = {400.0 / p, 390.0 / p, 420.0 / p};
  }
  return out;
}

TEST(Page, ShowsTheAnswerItsIntervalAndItsWarnings) {
  const std::string html = page(report());
  EXPECT_THAT(html, HasSubstr("<strong>41.3 s</strong>"));
  EXPECT_THAT(html, HasSubstr("38.1 .. 45.2 s"));
  EXPECT_THAT(html, HasSubstr("steps between rebuilds depend on the data"));
  EXPECT_THAT(html, HasSubstr("10 times the largest"));
}

TEST(Page, HasNoAddressButThatOfSvg) {
  const std::string html = page(report());
  std::size_t addresses = 0;
  for (std::size_t at = html.find("://"); at != std::string::npos; at = html.find("://", at + 1)) {
    const bool names_svg = html.substr(at - 4, 24).starts_with("http://www.w3.org/");
    // The page's program names the name spaces of HTML, MathML and SVG; it loads nothing from there.
    EXPECT_TRUE(names_svg) << html.substr(at - 30, 80);
    ++addresses;
  }
  EXPECT_GT(addresses, 0u);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Page, TextOfAModelCannotBecomeMarkup) {
  Report hostile = report();
  const std::string bad = "</script><script>alert(1)</script>\"'&";
  hostile.prediction.program = hostile.prediction.machine = hostile.machine.name =
      hostile.machine.description = bad;
  hostile.command = hostile.version = bad;
  hostile.prediction.regions[0].path = "pair/" + bad, hostile.prediction.regions[0].where = bad,
  hostile.prediction.regions[0].executions = bad;
  hostile.prediction.warnings = {{"x", bad, bad}};
  hostile.model.parameters[0].name = bad;
  hostile.prediction.question.point.parameters = {{bad, 1}};
  hostile.excerpts[bad] = {bad, 1, 1, 1, {bad}};
  hostile.files = {{bad, bad, bad}};
  hostile.live.data = "{\"name\":\"" + std::string("</script><script>alert(1)</script>") + "\"}";
  const std::string html = page(hostile);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  EXPECT_THAT(html, HasSubstr("{\"name\":\"\\u003c/script>"));
}

TEST(Page, RunsOnlyScriptsThatItsPolicyNames) {
  EXPECT_EQ(
      source_of_script(""),
      "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");  // openssl dgst -sha256 -binary | base64
  EXPECT_EQ(source_of_script("a"), "'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='");
  Report with = report();
  with.live.functions = "var parcastEquation = [];\n";
  EXPECT_THAT(page(with), HasSubstr("script-src " + source_of_script(with.live.functions)));
  EXPECT_THAT(page(with), HasSubstr("<script>" + with.live.functions + "</script>"));
}

TEST(Page, IsKnownByItsHead) {
  EXPECT_TRUE(is_page(page(report())));
  EXPECT_FALSE(is_page("<!DOCTYPE html><html><body>mine</body></html>"));
}

TEST(Scaling, SpeedUpNeedsATimeOnOneProcess) {
  Report from_one = report();
  EXPECT_THAT(scaling(from_one), HasSubstr("Speed-up"));
  from_one.scaling.erase(from_one.scaling.begin());
  EXPECT_THAT(scaling(from_one), Not(HasSubstr("Speed-up")));
  EXPECT_THAT(scaling(from_one), HasSubstr("beyond the recordings"));
}

TEST(Scaling, AMissingProcessCountHasItsReason) {
  Report one = report();
  one.unscaled = {"p = 3 is left out: the grid has no place for it"};
  EXPECT_THAT(scaling(one), HasSubstr("p = 3 is left out"));
}

TEST(Regions, InnerOnesAreTheSumsOfTheirLeaves) {
  Report summed = report();
  predict::RegionTime more = summed.prediction.regions[0];
  more.path = "pair/second", more.seconds.value = 0.9;
  summed.prediction.regions.push_back(more);
  EXPECT_THAT(regions(summed), HasSubstr("<b>pair</b></th><td class=\"number\" data-value=\"28\">28.0 s"));
}

TEST(Regions, LinesOfTheSourceKeepTheirIndentation) {
  Report with = report();
  const std::string where = with.prediction.regions[0].where;
  with.excerpts[where] = {"src/pair.cpp", 7, 8, 8, {"if (a < b)\r", "\tx\ty;"}};
  EXPECT_THAT(regions(with),
              HasSubstr("<span><i>7</i> if (a &lt; b)</span>\n<mark><i>8</i>         x       y;</mark>"));
  EXPECT_THAT(regions(with), HasSubstr("href=\"#source-0\""));
}

TEST(Communication, ShowsBytesByRankAndGroupsOfRanks) {
  Report with = report();
  with.traffic.emplace(4, std::vector<program::Pair>{{0, 1, 3, 24}, {2, 1, 1, 8}});
  EXPECT_THAT(communication(with), HasSubstr("<title>rank 0 to 1: 24.0 B</title>"));
  EXPECT_THAT(communication(with), HasSubstr("<strong>32.0 B</strong>"));
  with.traffic.emplace(128, std::vector<program::Pair>{{0, 3, 1, 8}, {1, 2, 1, 8}});
  EXPECT_THAT(communication(with), HasSubstr("<title>rank 0 .. 1 to 2 .. 3: 16.0 B</title>"));
  EXPECT_EQ(communication(report()), "");
}

TEST(Sections, AreEmptyWhenThereIsNothingToShow) {
  Report empty = report();
  empty.prediction.warnings.clear();
  EXPECT_EQ(warnings(empty), "");
  EXPECT_EQ(overheads(empty), "");
  EXPECT_EQ(checks(empty), "");
  EXPECT_EQ(functions(empty), "");
}

TEST(Charts, StacksFillTheWholeHeight) {
  const std::string chart =
      stacked_chart("shares", "p", {{"a", "compute"}, {"b", "wait"}}, {{"4", {0.25, 0.75}, true}});
  EXPECT_THAT(chart, HasSubstr("height=\"53.00\""));  // a quarter of 212
  EXPECT_THAT(chart, HasSubstr("height=\"159.00\""));
}

TEST(Charts, AnIntervalThatReachesZeroHasNoStrip) {
  EXPECT_EQ(interval_strip(0, 1, 2), "");
  EXPECT_NE(interval_strip(0.5, 1, 2), "");
}

TEST(Sliders, ReachFromTheSmallestRecordedToFourTimesTheLargest) {
  program::Model model;
  model.parameters = {{"n", {100, 1000}}, {"x", {}}};
  predict::Question question;
  question.point.parameters = {{"n", 50}, {"x", 0.5}};
  const auto ranges = slider_ranges(model, question);
  EXPECT_EQ(ranges.at("n").low, 50);
  EXPECT_EQ(ranges.at("n").high, 4000);
  EXPECT_TRUE(ranges.at("n").whole);
  EXPECT_EQ(ranges.at("x").high, 4);
  EXPECT_FALSE(ranges.at("x").whole);
}

}  // namespace
}  // namespace parcast::report::html
