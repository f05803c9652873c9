// SPDX-License-Identifier: Apache-2.0
#include "report/contour_svg.h"

#include <gmock/gmock.h>

#include <set>

#include "base/text.h"
#include "report/test_prediction.h"

namespace parcast::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

predict::Prediction point(int p, double n, double seconds, const std::string& machine = "here") {
  auto out = molecular_dynamics();
  out.machine = machine;
  out.question.point = {{{"n", n}, {"steps", 2000}}, p};
  out.seconds = {seconds, 0.9 * seconds, 1.1 * seconds, 0.9, "s", Origin::fitted};
  return out;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

/// Returns the points of the first line of that level, e.g. "286.00,72.00"; none if it is not drawn.
std::vector<std::string> line_of(const std::string& svg, const std::string& level) {
  const auto end = svg.find("<title>" + level + "</title></path>");
  if (end == std::string::npos) return {};
  const auto begin = svg.rfind("d=\"", end) + 3;
  std::string path = svg.substr(begin, svg.find('"', begin) - begin);
  for (char& c : path)
    if (c == 'M' || c == 'L') c = ' ';
  std::vector<std::string> out;
  for (const std::string& each : split(path, ' '))
    if (!each.empty()) out.push_back(each);
  return out;
}

std::set<std::string> abscissas(const std::vector<std::string>& places) {
  std::set<std::string> out;
  for (const std::string& each : places) out.insert(each.substr(0, each.find(',')));
  return out;
}

/// n seconds on any number of processes: lines are vertical. The plot extends horizontally from 86 to 486,
/// and down from 72 to 382.
std::vector<predict::Prediction> slope() {
  return {point(1, 1, 1), point(1, 100, 100), point(2, 1, 1), point(2, 100, 100)};
}

TEST(ContourSvg, BetweenPointsTimesGrowInTheLogarithms) {
  const std::string svg = contour_svg(slope(), "n", "p");
  // 10 s is half way between 1 and 100, 20 s at 86 + 400 ln 20 / ln 100 = 346.21.
  EXPECT_THAT(abscissas(line_of(svg, "10 s")), ElementsAre("286.00"));
  EXPECT_THAT(abscissas(line_of(svg, "20 s")), ElementsAre("346.21"));
  for (const char* end : {"346.21,382.00", "346.21,72.00"})
    EXPECT_THAT(line_of(svg, "20 s"), testing::Contains(end));
  EXPECT_EQ(count_of(svg, "class=\"level\""), 5u);  // 2, 5, 10, 20, 50 s
  EXPECT_EQ(count_of(svg, "class=\"band\""), 6u);
  EXPECT_EQ(count_of(svg, "class=\"label\""), 5u);
  for (const char* text : {">below 2 s<", ">10 s .. 20 s<", ">above 50 s<", ">predicted<", ">lmp on here<",
                           ">steps = 2000<", ">processes<", ">n<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, Not(HasSubstr("blank")));
}

TEST(ContourSvg, TheFirstParameterLiesAcross) {
  const std::string svg = contour_svg(slope(), "p", "n");
  // 10 s half way up, between 382 and 72.
  for (const std::string& each : line_of(svg, "10 s")) EXPECT_THAT(each, testing::EndsWith(",227.00"));
  EXPECT_FALSE(line_of(svg, "10 s").empty());
}

TEST(ContourSvg, EveryPointIsMarkedWithItsAnswer) {
  const std::string svg = contour_svg(slope(), "n", "p");
  EXPECT_THAT(svg, HasSubstr("cx=\"486.00\" cy=\"72.00\" r=\"2.40\" fill=\"#222222\"><title>n = 100, p = 2, "
                             "steps = 2000: 100 s (90.0 s .. 110 s)</title>"));
  EXPECT_EQ(count_of(svg, "<circle"), 5u);  // one is in the legend
}

TEST(ContourSvg, MachinesHavePanelsWithTheSameLevels) {
  auto points = slope();
  for (const int p : {1, 2})
    for (const double n : {1, 100}) points.push_back(point(p, n, n == 1 ? 30 : 60, "cluster"));
  const std::string svg = contour_svg(points, "n", "p");
  for (const char* title : {">lmp on here<", ">lmp on cluster<"}) EXPECT_THAT(svg, HasSubstr(title));
  EXPECT_EQ(count_of(svg, "class=\"level\""), 6u);  // five here, 50 s on the cluster
  EXPECT_EQ(count_of(svg, ">predicted time<"), 1u);
}

TEST(ContourSvg, WhereAPointHasNoTimeNothingIsDrawn) {
  // 1, 10, 100 across; the last one has no answer on two processes, so only the cell from 1 to 10 has four
  // corners.
  std::vector<predict::Prediction> points{point(1, 1, 1), point(1, 10, 10), point(1, 100, 100),
                                          point(2, 1, 1), point(2, 10, 10)};
  const std::string missing = contour_svg(points, "n", "p");
  EXPECT_EQ(count_of(missing, "class=\"level\""), 3u);  // 2, 5 and, at its edge, 10 s
  EXPECT_THAT(missing, HasSubstr("blank: a neighbour has no time"));
  points.push_back(point(2, 100, 0));
  const std::string nothing = contour_svg(points, "n", "p");
  EXPECT_EQ(count_of(nothing, "class=\"level\""), 3u);
  EXPECT_THAT(nothing, HasSubstr("blank: a neighbour has no time"));
}

TEST(ContourSvg, ValuesFromZeroLieOnALinearAxis) {
  std::vector<predict::Prediction> points;
  for (const double n : {0, 5, 10})
    for (const int p : {1, 2}) points.push_back(point(p, n, n == 0 ? 1 : n == 5 ? 10 : 100));
  // 10 s at 5, the middle.
  EXPECT_THAT(abscissas(line_of(contour_svg(points, "n", "p"), "10 s")), ElementsAre("286.00"));
}

TEST(ContourSvg, ParametersOfTheMachineHaveTheirUnits) {
  std::vector<predict::Prediction> points;
  for (const double latency : {1e-6, 2e-6})
    for (const double gap : {1e-10, 2e-10}) {
      auto at = point(4, 1, latency + 1e4 * gap + 0.1e-6);
      at.question.machine = {{"L", {latency, Dimension::time}}, {"G", {gap, Dimension::time_per_byte}}};
      points.push_back(at);
    }
  const std::string svg = contour_svg(points, "L", "G");
  for (const char* text : {">1us<", ">2us<", ">0.1ns/B<", ">0.2ns/B<", ">L<", ">G<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, HasSubstr(">2.5 us .. 3 us<"));  // from 2.1 to 4.1 us in equal steps
}

TEST(ContourSvg, LevelsOfLongRunsAreRoundInHours) {
  const std::string svg =
      contour_svg({point(1, 1, 7200), point(1, 2, 36000), point(2, 1, 7200), point(2, 2, 36000)}, "n", "p");
  // From 2 to 10 h steps of 2 h give three levels, steps of 1 h seven.
  for (const char* text : {">below 3 h<", ">5 h .. 6 h<", ">above 9 h<"}) EXPECT_THAT(svg, HasSubstr(text));
}

TEST(ContourSvg, NamesAreEscapedAndWithoutASpreadItIsStillAnImage) {
  std::vector<predict::Prediction> points{point(1, 1, 5), point(1, 2, 5), point(2, 1, 5), point(2, 2, 5)};
  for (auto& each : points) each.program = "</text><script>";
  const std::string flat = contour_svg(points, "n", "p");
  EXPECT_EQ(flat.find("<script"), std::string::npos);
  EXPECT_EQ(count_of(flat, "class=\"level\""), 0u);
  EXPECT_EQ(count_of(flat, "class=\"band\""), 1u);
  EXPECT_THAT(flat, HasSubstr(">5.00 s<"));
  EXPECT_THAT(contour_svg({}, "n", "p"), HasSubstr("</svg>"));
  for (const std::string& svg : {flat, contour_svg({point(4, 1, 1)}, "n", "p"),
                                 contour_svg({point(1, 1, 0), point(2, 2, 0)}, "n", "p")}) {
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_THAT(svg, HasSubstr("</svg>"));
  }
}

}  // namespace
}  // namespace parcast::report
