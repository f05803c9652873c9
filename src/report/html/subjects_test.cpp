// SPDX-License-Identifier: Apache-2.0
// The pages of measured runs and of a store, the section over p and size, and the call graph.
#include <gmock/gmock.h>

#include "report/html/call_graph.h"
#include "report/html/embedded.h"
#include "report/html/field.h"
#include "report/html/field_chart.h"
#include "report/html/reasons.h"
#include "report/html/sections.h"
#include "report/html/stored.h"
#include "report/test_prediction.h"

namespace parcast::report::html {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kBad = "</script><script>alert(1)</script>";

/// One run on a process, 12 s; one on two, 8 s: 10 s of computing together, 4 s of communication, 2 s idle.
Reasons reasons() {
  Reasons out;
  out.runs.runs = {{{{"n", 5}}, 1, {{0, causes::Kind::computation, "", 12, {}}}, {}},
                   {{{"n", 5}},
                    2,
                    {{0, causes::Kind::computation, "solve", 6, {}},
                     {0, causes::Kind::communication, "shift", 2, {}},
                     {1, causes::Kind::computation, "solve", 4, {}},
                     {1, causes::Kind::communication, "shift", 2, {}},
                     {1, causes::Kind::idle, kBad, 2, {}}},
                    7.0}};
  out.run = 1;
  const auto analysis = causes::analyse(out.runs);
  EXPECT_TRUE(analysis.ok());
  if (analysis) out.analysis = *analysis;
  out.graph = causes::graph_of(out.runs, out.analysis);
  return out;
}

TEST(Reasons, OverheadsAreProcessorTimePerTimeOnOneProcess) {
  const std::string html = reasons_overheads(reasons());
  EXPECT_THAT(html, HasSubstr("<b>computation</b></th><td class=\"number\" data-value=\"10\">10.0 s"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">0.833</td>"));  // 10 / 12
  EXPECT_THAT(html, HasSubstr("the sum is 1.33"));                  // 16 / 12
  EXPECT_THAT(html, HasSubstr("Overheads of all runs"));
}

TEST(Reasons, EfficienciesAreThoseOfPop) {
  const std::string html = reasons_efficiencies(reasons());
  EXPECT_THAT(html, HasSubstr("data-value=\"0.625000\""));  // parallel: 5 s mean useful / 8 s
  EXPECT_THAT(html, HasSubstr("data-value=\"0.833333\""));  // load balance: 5 / 6
  EXPECT_THAT(html, HasSubstr("data-value=\"0.750000\""));  // communication: 6 / 8
  EXPECT_THAT(html, HasSubstr("data-value=\"0.857143\""));  // serialisation: 6 / 7
  EXPECT_THAT(html, HasSubstr("data-value=\"0.875000\""));  // transfer: 7 / 8
}

TEST(Reasons, PageEscapesTheNamesOfPhases) {
  const std::string html = page(document_of(ReasonsReport{kBad, reasons(), {}, kBad, kBad}));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("<strong>8.00 s</strong>"));
  EXPECT_THAT(html, HasSubstr("n = 5, p = 2"));
  EXPECT_THAT(html, Not(HasSubstr("<style>.grid")));
}

TEST(Embedded, LeavesThePagesStylesAlone) {
  const std::string html = embedded(
      "a & b",
      "<svg viewBox=\"0 0 1 1\"><style>.grid{stroke:#ddd}</style>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n<circle r=\"1\"/></svg>\n");
  EXPECT_THAT(
      html, HasSubstr("<svg viewBox=\"0 0 1 1\" class=\"plain\" role=\"img\" aria-label=\"a &amp; b\"><title>"
                      "a &amp; b</title>"));
  EXPECT_THAT(html, HasSubstr("<circle r=\"1\"/>"));
  EXPECT_THAT(html, Not(HasSubstr("<style>")));
  EXPECT_THAT(html, Not(HasSubstr("<rect")));
}

StoredReport stored() {
  StoredReport out;
  out.store = "in s.db";
  store::PairedPoint point;
  point.point.program = kBad, point.point.machine = kBad, point.point.processes = 4;
  point.point.predicted = 9, point.point.low = 8, point.point.high = 11, point.point.level = 0.9;
  point.point.measured = 10, point.point.runs = 2, point.point.error = -0.1, point.point.hit = true;
  point.was_before = true;
  out.paired.points = {point};
  store::Entry alone;
  alone.kind = store::Kind::measurement, alone.program = "alone", alone.seconds = 3, alone.processes = 8;
  out.paired.unanswered = {alone};
  return out;
}

TEST(Stored, ShowsRunsBesideTheirPredictions) {
  const std::string html = page(document_of(stored()));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\" data-value=\"-0.100000\">-10.0 %"));
  EXPECT_THAT(html, HasSubstr("8.00 .. 11.0 s"));
  EXPECT_THAT(html, HasSubstr("measured later"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">alone</th>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
}

TEST(Stored, SaysThatNoRunHasAPrediction) {
  StoredReport none = stored();
  none.paired.points.clear();
  EXPECT_THAT(stored_answer(none), HasSubstr("No run of this query has a stored prediction"));
  EXPECT_EQ(stored_points(none), "");
}

/// T = n / p + 2 log2 p, of which the second part is the region "sum" (Grama, Gupta and Kumar 1993).
Field field_of_adding() {
  Field out{"n", {1, 4, 16}, {32, 64, 128, 1024}, {}};
  for (const double n : out.sizes)
    for (const double p : out.processes) {
      predict::Prediction point = molecular_dynamics();
      const double sum = 2 * std::log2(p), seconds = n / p + sum;
      point.seconds.value = seconds, point.seconds.low = 0.9 * seconds, point.seconds.high = 1.2 * seconds;
      point.regions.resize(1);
      point.regions[0].path = "sum", point.regions[0].seconds.value = sum;
      out.points.emplace_back(point);
    }
  return out;
}

TEST(Field, EfficiencyIsThatOfThePublishedExample) {
  const Field field = field_of_adding();
  EXPECT_NEAR(*efficiency_at(field, 1, 1), 64.0 / (64 + 16), 1e-12);  // n = 64, p = 4: 80 %
  EXPECT_NEAR(*efficiency_at(field, 3, 2), 1024.0 / (1024 + 128), 1e-12);
  EXPECT_NEAR(*uncertainty_at(field, 0, 0), 0.15, 1e-12);
  EXPECT_NEAR(*share_at(field, "sum", 1, 1), 4.0 / 20, 1e-12);
  Field without_one = field;
  without_one.processes[0] = 2;
  EXPECT_FALSE(efficiency_at(without_one, 1, 1));
}

TEST(Field, IsoefficiencyIsInTheSection) {
  Report report;
  report.prediction = molecular_dynamics();
  report.model.parameters = {{"n", {32, 64}}};
  report.model.processes = {1, 4};
  report.field = field_of_adding();
  const std::string html = field(report);
  // 8 p log2 p for 80 %: 64 on 4 processes; on 16, 512 lies between 128 (50 %) and 1024 (89 %)
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\" class=\"number\">4</th>"));
  EXPECT_THAT(html, HasSubstr("data-value=\"64\">64.0</td>"));
  EXPECT_THAT(html, HasSubstr("Share of sum"));
  EXPECT_THAT(html, HasSubstr("class=\"level\">80 %</text>"));
  Report none;
  EXPECT_EQ(field(none), "");
}

TEST(FieldChart, LinesLieWhereTheValueIs) {
  FieldChart chart{"c", "p", "n", Unit::ratio, {1, 10}, {1, 10}, {0.0, 1.0, 0.0, 1.0}, {0.5}};
  // From 66 to 462 units: the value is half in the middle, at 264.
  EXPECT_THAT(field_chart(chart), HasSubstr("264.00"));
  chart.values[0].reset();
  EXPECT_EQ(field_chart(chart), "");  // no complete cell
}

/// main calls solve and print, solve calls itself and a function of a bad name.
ProgramFile program_with_calls() {
  ProgramFile out{"/tmp/app", {"app", {}, {}}};
  out.calls.functions = {
      {kBad, {"/src/b.c", 7}, true, {}, 0},
      {"main", {"/src/a.c", 20}, true, {{2, {"/src/a.c", 22}, 1}, {3, {"/src/a.c", 23}, 1}}, 0},
      {"solve", {"/src/a.c", 5}, true, {{0, {"/src/a.c", 6}, 1}, {2, {"/src/a.c", 8}, 1}}, 0},
      {"printf", {}, false, {}, 0}};
  out.calls.classes = {{"Grid", {"/src/b.c", 1}, {"Base"}, {"size"}}};
  return out;
}

TEST(CallGraph, NestsWhatAFunctionCalls) {
  const std::string html = call_graph(program_with_calls());
  const std::string main =
      "<li><details><summary><code>main</code> <small class=\"place\">a.c:20</small></summary>";
  const std::string solve = "<li><details><summary><code>solve</code> <small class=\"place\">a.c:5</small>";
  ASSERT_NE(html.find(main), std::string::npos);
  EXPECT_GT(html.find(solve), html.find(main));
  EXPECT_THAT(html, HasSubstr("<li><code>solve</code> <small class=\"place\">a.c:5</small> <small>called at "
                              "a.c:8</small> <small>its calls: above</small></li>"));
  // Both open elements of the tree end before printf, which main calls.
  EXPECT_THAT(html, HasSubstr("</ul></details></li>\n<li><code>printf</code>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">Grid</th><td>Base</td>"));
  EXPECT_THAT(html, HasSubstr("4 functions and 1 class by the debug data of <code>/tmp/app</code>"));
}

TEST(CallGraph, NamesOfAProgramAreText) {
  EXPECT_THAT(call_graph(program_with_calls()), Not(HasSubstr("<script>")));
}

TEST(CallGraph, IsHiddenWithoutAProgram) {
  EXPECT_EQ(call_graph(std::nullopt), "");
}

}  // namespace
}  // namespace parcast::report::html
