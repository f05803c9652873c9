// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_text.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "predict/prediction_file.h"
#include "report/svg.h"
#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// seconds = 80 n / p, all computing.
predict::Prediction point(int p, double n = 1) {
  auto out = molecular_dynamics();
  out.question.point = {{{"n", n}, {"steps", 2000}}, p};
  const double t = 80 * n / p;
  out.seconds = {t, 0.9 * t, 1.1 * t, 0.9, "s", Origin::fitted};
  out.parts = {};
  out.parts.compute = out.seconds;
  out.node_hours = {t / 3600};
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

TEST(SweepText, VariedParametersGetColumnsAndTheRestTheTitle) {
  EXPECT_EQ(sweep_text({point(1), point(2), point(8)}, {}),
            "lmp, n = 1, steps = 2000, on here\n"
            "\n"
            "  p  seconds  interval (90 %)  speedup  compute  messages  waiting   node-h\n"
            "  1    80.00   72.00 .. 88.00    1.00x     100%        0%       0%   0.0222\n"
            "  2    40.00   36.00 .. 44.00    2.00x     100%        0%       0%   0.0111\n"
            "  8    10.00    9.00 .. 11.00    8.00x     100%        0%       0%  0.00278\n"
            "\n"
            "  at p = 1 within 10 %: p is 4 times, steps 10 times the largest recorded\n"
            "\n"
            "  ! steps between rebuilds depend on the data (3 points); one run at steps = 1000 would narrow "
            "the answer\n");
}

TEST(SweepText, ALimitGivesAColumnAndTwoInCsv) {
  auto a = point(1), b = point(8);
  a.question.limit = b.question.limit = 3600;
  a.within_limit = 0.25, b.within_limit = 1;
  EXPECT_THAT(sweep_text({a, b}, {}), HasSubstr("speedup  within 60.0 min  compute"));
  EXPECT_THAT(sweep_text({a, b}, {}), HasSubstr("1.00x              25%     100%"));
  EXPECT_THAT(sweep_csv({a, b}), HasSubstr(",node_hours,limit,within_limit,warnings\n"));
  EXPECT_THAT(sweep_csv({a, b}), HasSubstr(",3600,0.25,data-dependent\n"));
}

const Style kAll{.notes = true};

TEST(SweepWarnings, ThoseThatDifferInNumbersAreOneLineWithTheRange) {
  auto a = point(16), b = point(128);
  const auto warn = [](predict::Prediction& at, const char* p, const char* factor) {
    at.warnings = {{"beyond-data",
                    std::string("p = ") + p + " is " + factor + " times the largest recorded (from 1 to 6)",
                    std::string("record a run nearer to p = ") + p}};
  };
  warn(a, "16", "2.667"), warn(b, "128", "21.33");
  EXPECT_EQ(sweep_warnings({a, b}, kAll),
            "  - p = 16 .. 128 is 2.667 .. 21.33 times the largest recorded (from 1 to 6) (2 points); record "
            "a run nearer to p = 16\n"
            "    .. 128\n");
  EXPECT_EQ(sweep_warnings({}, {}), "");
}

TEST(SweepWarnings, NamesFormulasAndTwoWarningsOfAPointStayApart) {
  auto a = point(1), b = point(2);
  a.warnings = {{"x", "heat.c:31 moves 48*N and 4 more", ""},
                {"x", "heat.c:45 moves 48*N and 6 more", ""},
                {"y", "12 of 20 recordings", ""},
                {"y", "2 of 20 recordings", ""}};
  b.warnings = {{"y", "12 of 20 recordings", ""}, {"y", "2 of 20 recordings", ""}};
  a.warnings[0].code = a.warnings[1].code = "one-sitting";
  for (auto* point : {&a, &b})
    for (auto& warning : point->warnings)
      if (warning.code == "y") warning.code = "oversubscribed";
  EXPECT_EQ(sweep_warnings({a, b}, kAll),
            "  - heat.c:31 moves 48*N and 4 more (1 point)\n"
            "  - heat.c:45 moves 48*N and 6 more (1 point)\n"
            "  - 12 of 20 recordings (2 points)\n"
            "  - 2 of 20 recordings (2 points)\n");
}

TEST(SweepText, SpeedupIsSaidOnlyWhereTheProblemStays) {
  EXPECT_THAT(sweep_text({point(1, 1), point(2, 2)}, {}), Not(HasSubstr("speedup")));
  EXPECT_EQ(sweep_text({}, {}), "no points\n");
}

TEST(SweepCsv, HoldsEveryParameterAndPart) {
  EXPECT_EQ(
      sweep_csv({point(2), point(4, 3)}),
      "program,machine,engine,p,n,steps,nodes,ranks_per_node,threads,seconds,low,high,level,origin,compute,"
      "memory,"
      "message_startup,transfer,wait,node_hours,warnings\n"
      "lmp,here,equation,2,1,2000,1,16,1,40,36,44,0.9,fitted,40,0,0,0,0,0.011111111111111112,data-dependent\n"
      "lmp,here,equation,4,3,2000,1,16,1,60,54,66,0.9,fitted,60,0,0,0,0,0.016666666666666666,data-"
      "dependent\n");
}

TEST(SweepCsv, QuotesNames) {
  auto odd = point(1);
  odd.program = "a,\"b\"";
  odd.machine = "=cmd()";
  EXPECT_THAT(sweep_csv({odd}), HasSubstr("\n\"a,\"\"b\"\"\",'=cmd(),equation,"));
}

/// Returns the point on a machine that takes half as long.
predict::Prediction on_cluster(predict::Prediction of) {
  of.machine = "cluster";
  for (double* each :
       {&of.seconds.value, &of.seconds.low, &of.seconds.high, &of.parts.compute.value, &of.node_hours.value})
    *each /= 2;
  return of;
}

std::vector<predict::Prediction> on_two_machines() {
  return {point(1), on_cluster(point(1)), point(2), on_cluster(point(2))};
}
const explain::Standings kStandings{{{0.07, 2}, {0.93, 1}, {0.1, 2}, {0.9, 1}}, true};

TEST(SweepText, SeveralMachinesHaveARowEachAtEveryPoint) {
  EXPECT_EQ(
      sweep_text(on_two_machines(), {}, kStandings),
      "lmp, n = 1, steps = 2000, on here, cluster\n"
      "\n"
      "  p  machine  seconds  interval (90 %)  best  slower  speedup  compute  messages  waiting   node-h\n"
      "  1  here       80.00   72.00 .. 88.00    7%   x2.00    1.00x     100%        0%       0%   0.0222\n"
      "  1  cluster    40.00   36.00 .. 44.00   93%            1.00x     100%        0%       0%   0.0111\n"
      "  2  here       40.00   36.00 .. 44.00   10%   x2.00    2.00x     100%        0%       0%   0.0111\n"
      "  2  cluster    20.00   18.00 .. 22.00   90%            2.00x     100%        0%       0%  0.00556\n"
      "\n"
      "  best: probability of being the fastest; errors of the program's model are shared by all machines\n"
      "\n"
      "  at p = 1 within 10 %: p is 4 times, steps 10 times the largest recorded\n"
      "\n"
      "  ! steps between rebuilds depend on the data (2 points); one run at steps = 1000 would narrow the "
      "answer\n");
}

TEST(SweepWarnings, ThoseThatAreNotOfAllMachinesNameThem) {
  auto points = on_two_machines();
  for (auto& each : points) each.warnings.clear();
  points[0].warnings = points[2].warnings = {{"more-than-cores", "these are more processes than cores", ""}};
  points[3].warnings = {{"beyond-data", "p = 2 is beyond", ""}};
  EXPECT_EQ(sweep_warnings(points, {}),
            "  ! here: these are more processes than cores (2 points)\n  1 more note: --notes\n");
  EXPECT_EQ(sweep_warnings({points[0], points[1]}, {}), "  ! here: these are more processes than cores\n");
}

TEST(SweepCsv, OfSeveralMachinesSaysHowTheyStand) {
  const std::string csv = sweep_csv(on_two_machines(), kStandings);
  EXPECT_THAT(csv, HasSubstr(",node_hours,probability_best,slower,warnings\nlmp,here,equation,1,"));
  EXPECT_THAT(csv, HasSubstr(",0.07,2,data-dependent\nlmp,cluster,equation,1,"));
  EXPECT_THAT(csv, HasSubstr(",0.9,1,data-dependent\n"));
}

TEST(SweepJson, OfSeveralMachinesSaysHowTheyStandAndOfOneIsTheFileOfPredictions) {
  const auto json = nlohmann::json::parse(sweep_to_json(on_two_machines(), kStandings));
  EXPECT_EQ(json["schema"], "parcast.sweep/1");
  EXPECT_EQ(json["errors"], "program-shared");
  ASSERT_EQ(json["points"].size(), 4u);
  EXPECT_EQ(json["points"][1]["machine"], "cluster");
  EXPECT_EQ(json["points"][1]["seconds"]["value"], 40.0);
  EXPECT_EQ(json["points"][1]["probability_best"], 0.93);
  EXPECT_EQ(json["points"][0]["slower"], 2.0);
  EXPECT_EQ(sweep_to_json({point(1), point(2)}), predict::sweep_to_json({point(1), point(2)}) + "\n");
}

/// Returns the points of the first curve.
std::vector<std::pair<double, double>> curve(const std::string& svg, const std::string& shape = "polyline") {
  const auto begin = svg.find("<" + shape + " points=\"") + shape.size() + 10;
  std::vector<std::pair<double, double>> out;
  for (const auto& pair : split(svg.substr(begin, svg.find(" \"", begin) - begin), ' ')) {
    const auto parts = split(pair, ',');
    out.emplace_back(parse_double(parts[0]).value(), parse_double(parts[1]).value());
  }
  return out;
}

TEST(SweepSvg, PerfectScalingIsAStraightLineOnLogarithmicAxes) {
  const auto places = curve(sweep_svg({point(1), point(2), point(4), point(16)}));
  ASSERT_EQ(places.size(), 4u);
  const double step_x = places[1].first - places[0].first, step_y = places[1].second - places[0].second;
  EXPECT_GT(step_x, 0);
  EXPECT_GT(step_y, 0);  // down, since y grows downwards
  EXPECT_NEAR(places[2].first - places[0].first, 2 * step_x, 0.03);
  EXPECT_NEAR(places[3].first - places[0].first, 4 * step_x, 0.03);
  EXPECT_NEAR(places[2].second - places[0].second, 2 * step_y, 0.03);
  EXPECT_NEAR(places[3].second - places[0].second, 4 * step_y, 0.03);
}

/// Simulated with two latencies: no interval, machine parameters with their units.
std::vector<predict::Prediction> simulated() {
  std::vector<predict::Prediction> points;
  for (const double latency : {1e-6, 2e-6}) {
    auto at = point(4);
    at.question.machine = {{"L", {latency, Dimension::time}}, {"G", {1e-10, Dimension::time_per_byte}}};
    at.seconds = {latency, latency, latency, 0, "s", Origin::assumed};
    at.parts = {}, at.parts.wait = at.seconds;
    at.warnings.clear();
    points.push_back(at);
  }
  return points;
}

TEST(SweepText, OfASimulationHasUnitsAndNoInterval) {
  EXPECT_EQ(sweep_text(simulated(), {}),
            "lmp, G = 0.1ns/B, n = 1, p = 4, steps = 2000, on here\n"
            "\n"
            "    L     us  compute  messages  waiting   node-h\n"
            "  1us  1.000       0%        0%     100%  0.00556\n"
            "  2us  2.000       0%        0%     100%  0.00556\n");
  EXPECT_THAT(sweep_csv(simulated()), HasSubstr(",here,equation,4,1e-10,2e-06,1,2000,"));
}

TEST(SweepSvg, OfASimulationHasUnitsAndNoInterval) {
  const std::string svg = sweep_svg(simulated());
  EXPECT_THAT(svg, HasSubstr(">1us</text>"));
  EXPECT_THAT(svg, HasSubstr(">L</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("interval shaded")));
}

TEST(SweepSvg, SpeedupAndEfficiencyAreOverTheFirstPoint) {
  const auto speedup = curve(sweep_svg({point(1), point(2), point(4)}, Quantity::speedup));
  const double step =
      speedup[0].second - speedup[1].second;  // twice the speedup: a step up on a logarithmic axis
  EXPECT_GT(step, 0);
  EXPECT_NEAR(speedup[1].second - speedup[2].second, step, 0.03);
  const auto efficiency = curve(sweep_svg({point(2), point(4), point(8)}, Quantity::efficiency));
  EXPECT_NEAR(efficiency[0].second, efficiency[2].second, 0.03);
  EXPECT_THAT(sweep_svg({point(2), point(4)}, Quantity::efficiency),
              HasSubstr(">efficiency, over p = 2</text>"));
}

// The band of the first run of a curve: its first and last corner.
TEST(SweepSvg, ARunIsCertainToBeAsFastAsItself) {
  const auto time = curve(sweep_svg({point(1), point(2)}), "polygon");
  EXPECT_GT(time.back().second - time.front().second, 1);
  const auto speedup = curve(sweep_svg({point(1), point(2)}, Quantity::speedup), "polygon");
  EXPECT_EQ(speedup.front(), speedup.back());
  EXPECT_GT(speedup[2].second - speedup[1].second, 1);
}

TEST(SweepSvg, MarksRecordedRunsTheirEndPerfectScalingAndWhatIsFixed) {
  std::vector points{point(1), point(2), point(4)};
  for (auto& each : points) each.extrapolation.clear();
  points[0].recorded = 79;
  points[2].extrapolation = {{"p", 2}};
  const std::string picture = sweep_svg(points);
  EXPECT_EQ(count_of(picture, "<title>recorded: 79.0 s</title>"), 1u);
  for (const char* text : {">recorded</text>", ">recorded to p = 2</text>", ">perfect scaling</text>",
                           ">90 % interval</text>", ">n = 1, steps = 2000</text>"})
    EXPECT_THAT(picture, HasSubstr(text));
  EXPECT_EQ(count_of(picture, "class=\"recorded\""), 2u);  // the line and its mark in the legend
  const auto places = curve(picture);
  EXPECT_THAT(picture,
              HasSubstr("<line class=\"recorded\" x1=\"" + svg::number(places[1].first)));  // at p = 2
}

TEST(SweepSvg, PointsAreDrawnInOrderOfTheAbscissaInsideThePlot) {
  const auto places = curve(sweep_svg({point(16), point(1), point(4)}));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  for (const auto& [x, y] : places) {
    EXPECT_GT(x, 76);
    EXPECT_LT(x, 696);
    EXPECT_GT(y, 44);
    EXPECT_LT(y, 384);
  }
}

TEST(SweepSvg, ProcessCountsAreWholeNumbersOnTheAxis) {
  const std::string svg = sweep_svg({point(1), point(16), point(128)});
  for (const char* label : {">1</text>", ">16</text>", ">128</text>"}) EXPECT_THAT(svg, HasSubstr(label));
}

TEST(SweepSvg, AnotherParameterGivesACurveEachUnlessItFollows) {
  std::vector<predict::Prediction> grid, weak;
  for (const double n : {1, 2, 3})
    for (const int p : {1, 2, 4, 8}) grid.push_back(point(p, n));
  for (const int p : {1, 2, 4, 8}) weak.push_back(point(p, p));
  const std::string svg = sweep_svg(grid);
  EXPECT_EQ(count_of(svg, "<polyline"), 3u);
  EXPECT_EQ(count_of(svg, "<polygon"), 3u);
  EXPECT_THAT(svg, HasSubstr(">n = 3</text>"));
  EXPECT_EQ(count_of(sweep_svg(weak), "<polyline"), 1u);
}

TEST(SweepSvg, NamesAreEscapedAndAnEmptySweepIsStillAnImage) {
  auto odd = point(1), more = point(2);
  odd.program = more.program = "</text><script>";
  const std::string svg = sweep_svg({odd, more});
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt; on here"));
  EXPECT_THAT(sweep_svg({}), HasSubstr("</svg>"));
  EXPECT_EQ(sweep_svg({point(4)}).find("nan"), std::string::npos);
}

TEST(SweepSvg, SeveralProgramsHaveACurveEach) {
  std::vector points{point(1), point(1), point(2), point(2)};
  points[1].program = points[3].program = "other";
  const std::string svg = sweep_svg(points), first = points[0].program;
  std::size_t curves = 0;
  for (std::size_t at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1))
    ++curves;
  EXPECT_EQ(curves, 2u);
  EXPECT_THAT(svg, HasSubstr(">other</text>"));
  EXPECT_THAT(svg, HasSubstr(">" + first + "</text>"));
}

TEST(SweepSvg, SeveralMachinesHaveACurveEach) {
  const std::string svg = sweep_svg(on_two_machines());
  EXPECT_EQ(count_of(svg, "<polyline"), 2u);
  for (const char* text : {">here</text>", ">cluster</text>", ">lmp on here, cluster</text>"})
    EXPECT_THAT(svg, HasSubstr(text));
  std::vector<predict::Prediction> grid;
  for (const double n : {1, 2})
    for (const int p : {1, 2, 4}) grid.push_back(point(p, n)), grid.push_back(on_cluster(point(p, n)));
  const std::string several = sweep_svg(grid);
  EXPECT_EQ(count_of(several, "<polyline"), 4u);
  EXPECT_THAT(several, HasSubstr(">cluster, n = 2</text>"));
}

TEST(SweepSvg, AnIntervalDownToZeroAndASweepFromZeroStayFinite) {
  auto a = point(1), b = point(2);
  a.seconds.low = 0;
  a.question.point.parameters["n"] = 0, b.question.point.parameters["n"] = 5;
  a.question.point.processes = 2;
  const std::string svg = sweep_svg({a, b});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace parcast::report
