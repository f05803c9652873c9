// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "interchange/measurements.h"

namespace parcast::interchange {
namespace {

using fit::Measurements;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Points = std::vector<std::vector<double>>;

Measurements read(std::string_view text, const MeasurementOptions& options = {}) {
  auto out = measurements_from(text, "f", options);
  EXPECT_TRUE(out) << to_string(out.error());
  return out ? std::move(*out) : Measurements{};
}

std::string refused(std::string_view text, const MeasurementOptions& options = {}) {
  const auto out = measurements_from(text, "f", options);
  return out ? "read" : to_string(out.error());
}

constexpr std::string_view kText =
    "# two kernels\n"
    "PARAMETER p\r\n"
    "PARAMETER n\n\n"
    "POINTS ( 2 10 ) ( 4 10 )\n"
    "POINTS (2 20)(4 20)\n\n"
    "METRIC time\n"
    "REGION main->solve  it\n"
    "DATA 1 1.5\nDATA\t2\nDATA 3\nDATA 4\n"
    "METRIC visits\n"
    "DATA 10\nDATA 10\nDATA 10\nDATA 10\n";

TEST(ExtrapText, PointsAndDataMeetInTheirOrder) {
  const Measurements m = read(kText);
  EXPECT_THAT(m.parameters, ElementsAre("p", "n"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].callpath, "main->solve it");
  EXPECT_EQ(m.kernels[0].metric, "time");
  EXPECT_EQ(m.kernels[0].points, (Points{{2, 10}, {2, 20}, {4, 10}, {4, 20}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{1, 1.5}, {3}, {2}, {4}}));
  EXPECT_EQ(m.kernels[1].metric, "visits");
  EXPECT_EQ(m.kernels[1].values, (Points{{10}, {10}, {10}, {10}}));
  EXPECT_THAT(m.warnings, IsEmpty());
}

TEST(ExtrapText, OneParameterNeedsNoParenthesesAndTwoMayHaveMore) {
  const Points wanted{{1}, {2}, {4}};
  for (const std::string_view points :
       {"POINTS 1 2 4", "POINTS (1) (2) (4)", "POINTS ( 1 )\nPOINTS ( 2 )(4)"})
    EXPECT_EQ(read("PARAMETER p\n" + std::string(points) + "\nDATA 1\nDATA 1\nDATA 1\n").kernels[0].points,
              wanted)
        << points;
  EXPECT_EQ(read("PARAMETER p n\nPOINTS ((1) (2)) ((3) (4))\nDATA 1\nDATA 1\n").kernels[0].points,
            (Points{{1, 2}, {3, 4}}));
}

TEST(ExtrapText, WithoutRegionAndMetricTheProgramHasAValue) {
  const Measurements m = read("PARAMETER p\nPOINTS 1 2\nDATA 3\nDATA 4\n");
  EXPECT_EQ(m.kernels[0].callpath, "");
  EXPECT_EQ(m.kernels[0].metric, "value");
}

TEST(ExtrapText, HalfAFileNamesItsEnd) {
  EXPECT_THAT(
      refused(kText.substr(0, kText.size() - 8)),
      AllOf(HasSubstr("f:18:1: error: the file ends after 3 of 4 DATA lines of visits of main->solve it")));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\nDATA 1\nDATA 1\n"),
              HasSubstr("f:5:1: error: the next region begins after 1 of 2 DATA lines of value of a"));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 1\nDATA 1\n"),
              HasSubstr("f:5:1: error: there are more DATA lines than points, which are 2"));
  EXPECT_THAT(refused("PARAMETER p\n"), HasSubstr("the file ends without a POINTS line"));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1 2\n"), HasSubstr("no measured value is in it"));
}

TEST(ExtrapText, ErrorsNameLineAndColumn) {
  EXPECT_THAT(refused("PARAMETER p n\nPOINTS (2 10) (4)\n"),
              HasSubstr("f:2:17: error: a point has 1 coordinate, and there are 2 parameters"));
  EXPECT_THAT(refused("PARAMETER p n\nPOINTS 2 10\n"),
              HasSubstr("f:2:8: error: coordinates of 2 parameters are outside ( )"));
  EXPECT_THAT(refused("PARAMETER p n\nPOINTS (2 10\n"), HasSubstr("a ( is not closed"));
  EXPECT_THAT(
      refused("PARAMETER p\nPOINTS 1 2,5\n"),
      AllOf(HasSubstr("f:2:10: error: \"2,5\" is not a number"), HasSubstr("write numbers with a point")));
  EXPECT_THAT(refused("PARAMETER p\nPOINT 1 2\n"),
              AllOf(HasSubstr("f:2:1: error: \"POINT\" is none of Extra-P's words"),
                    HasSubstr("did you mean POINTS?")));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1\nDATA 1\nPARAMETER n\n"),
              HasSubstr("f:4:1: error: a PARAMETER line follows the points"));
  EXPECT_THAT(refused("PARAMETER p p\n"), HasSubstr("f:1:13: error: parameter p occurs twice"));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1\nDATA\n"), HasSubstr("a DATA line has no value"));
}

TEST(ExtrapText, ValuesThatAreNoneAreLeftOutAndSaid) {
  const Measurements m = read("PARAMETER p\nPOINTS 1 2\nMETRIC time\nDATA nan 2\nDATA nan\n");
  EXPECT_EQ(m.kernels[0].points, (Points{{1}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{2}}));
  EXPECT_THAT(m.warnings, ElementsAre("f:4:6: a value of time is nan, which is left out (and 1 more time)"));
}

TEST(ExtrapText, UnitsStandInComments) {
  const std::string text = "# unit of time: us\nPARAMETER p\nPOINTS (1)\n\nREGION a\nMETRIC time\nDATA 2\n";
  const Measurements m = read(text);
  EXPECT_EQ(m.kernels[0].unit, "us");
  EXPECT_EQ(*measurements_to(m, MeasurementForm::extrap_text), text);
}

TEST(ExtrapText, WhatItCannotHoldIsRefused) {
  const auto written = [](const Measurements& m) {
    const auto text = measurements_to(m, MeasurementForm::extrap_text);
    return text ? *text : to_string(text.error());
  };
  Measurements m{{"p"}, {{"a", "time", "", {{1}, {2}}, {{1}, {2}}}, {"b", "time", "", {{1}}, {{1}}}}, {}};
  EXPECT_THAT(written(m),
              HasSubstr("needs every kernel at the same points, and time of b is not at those of the first"));
  m.kernels[1].points.push_back({3}), m.kernels[1].values.push_back({3});
  EXPECT_THAT(written(m), HasSubstr("needs every kernel at the same points"));
  m.kernels.pop_back();
  m.kernels[0].callpath = "two  blanks";
  EXPECT_THAT(written(m), HasSubstr("cannot hold the name \"two  blanks\""));
  m.kernels[0].callpath = "one blank";
  EXPECT_THAT(written(m), HasSubstr("REGION one blank\n"));
  m.parameters = {"the size"};
  EXPECT_THAT(written(m), HasSubstr("cannot hold the name \"the size\""));
}

constexpr std::string_view kJson =
    "{\"parameters\": [\"p\", \"n\"],\n"
    " \"measurements\": {\n"
    "  \"main->solve\": {\"time\": [{\"point\": [4, 10], \"values\": [2]}, {\"point\": [2, 10], \"values\": "
    "[1, 1.5]}],\n"
    "                  \"visits\": [{\"values\": [3], \"point\": [2, 10]}]},\n"
    "  \"\": {\"time\": [{\"point\": [2, 10], \"values\": [9e0]}]}}}";

TEST(ExtrapJson, CallPathsHoldMetricsHoldPoints) {
  const Measurements m = read(kJson);
  EXPECT_THAT(m.parameters, ElementsAre("p", "n"));
  ASSERT_EQ(m.kernels.size(), 3u);
  EXPECT_EQ(m.kernels[0].callpath, "main->solve");
  EXPECT_EQ(m.kernels[0].points, (Points{{2, 10}, {4, 10}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{1, 1.5}, {2}}));
  EXPECT_EQ(m.kernels[1].metric, "visits");
  EXPECT_EQ(m.kernels[1].values, (Points{{3}}));
  EXPECT_EQ(m.kernels[2].callpath, "");
  EXPECT_EQ(m.kernels[2].values, (Points{{9}}));
}

TEST(ExtrapJson, ParametersMayComeLast) {
  const Measurements m =
      read("{\"measurements\":{\"a\":{\"t\":[{\"point\":[1],\"values\":[2]}]}},\"parameters\":[\"p\"]}");
  EXPECT_THAT(m.parameters, ElementsAre("p"));
  EXPECT_THAT(
      refused(
          "{\"measurements\":{\"a\":{\"t\":[{\"point\":[1],\"values\":[2]}]}},\"parameters\":[\"p\",\"n\"]}"),
      HasSubstr("points have 1 coordinates, and the file names 2 parameters"));
}

constexpr std::string_view kIds =
    "{\"callpaths\":[{\"id\":2,\"name\":\"b\"},{\"id\":1,\"name\":\"a\"}],\n"
    "\"coordinates\":[{\"id\":1,\"parameter_value_pairs\":[{\"parameter_id\":2,\"parameter_value\":10},{"
    "\"parameter_id\":1,\"parameter_value\":\"4\"}]}],\n"
    "\"measurements\":[{\"callpath_id\":2,\"coordinate_id\":1,\"id\":1,\"metric_id\":1,\"value\":3.5},\n"
    "{\"callpath_id\":2,\"coordinate_id\":1,\"id\":2,\"metric_id\":1,\"value\":2.5}],\n"
    "\"metrics\":[{\"id\":1,\"name\":\"time\"}],\"parameters\":[{\"id\":2,\"name\":\"n\"},{\"id\":1,\"name\":"
    "\"p\"}]}";

TEST(ExtrapJson, TheOlderShapeNamesAllByNumbers) {
  const Measurements m = read(kIds);
  EXPECT_THAT(m.parameters, ElementsAre("p", "n"));
  ASSERT_EQ(m.kernels.size(), 1u);
  EXPECT_EQ(m.kernels[0].callpath, "b");
  EXPECT_EQ(m.kernels[0].metric, "time");
  EXPECT_EQ(m.kernels[0].points, (Points{{4, 10}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{3.5, 2.5}}));
  const auto without = [](std::string_view part) {
    std::string text(kIds);
    text.replace(text.find(part), part.size(), "");
    return refused(text);
  };
  EXPECT_THAT(without("{\"id\":2,\"name\":\"b\"},"),
              HasSubstr("a measurement names call path 2, which is not there"));
  EXPECT_THAT(without("{\"parameter_id\":2,\"parameter_value\":10},"),
              HasSubstr("coordinate 1 has no value of parameter n"));
  EXPECT_THAT(without("\"metric_id\":1,"), HasSubstr("f:3:70: error: \"metric_id\" is missing"));
  EXPECT_THAT(without("\"id\":1,\"parameter_value_pairs\""), HasSubstr("this is not JSON"));
}

TEST(ExtrapJson, ErrorsNameLineAndColumn) {
  EXPECT_THAT(
      refused(
          "{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[{\"point\":[1],\"values\":[\"x\"]}]}}}"),
      HasSubstr("f:2:50: error: \"x\" is not a number"));
  EXPECT_THAT(
      refused(
          "{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[{\"point\":[1,2],\"values\":[1]}]}}}"),
      HasSubstr("f:2:54: error: a point has 2 coordinates"));
  EXPECT_THAT(refused("{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[{\"values\":[1]}]}}}"),
              HasSubstr("f:2:40: error: a point of t has no \"point\""));
  EXPECT_THAT(refused("{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":[]}}"),
              HasSubstr("f:2:21: error: this is not expected here"));
  EXPECT_THAT(refused("{\"parameters\":{}}"), HasSubstr("f:1:15: error: this is not expected here"));
  EXPECT_THAT(
      refused(
          "{\"parameters\":[\"p\"],\n \"measurements\":{\"a\":{\"t\":[{\"point\":[1],\"values\":[NaN]}]}}}"),
      AllOf(HasSubstr("f:2:51: error: this is not JSON"), HasSubstr("NaN")));
  EXPECT_THAT(refused("{\"parameters\":[\"p\"],}"), HasSubstr("f:1:21: error: this is not JSON"));
  EXPECT_THAT(refused("{\"parameters\":[\"p\"]}}"), HasSubstr("f:1:21: error: this is not JSON"));
  EXPECT_THAT(refused("{\"Extra-P\":\"4.0\",\"measurements\":{}}"),
              HasSubstr("this is an experiment of Extra-P (.extra-p), which is not read"));
  EXPECT_THAT(refused("[1]"), HasSubstr("neither CSV nor one of Extra-P's forms"));
}

TEST(ExtrapJson, EveryBeginningOfAFileIsRefusedAtItsEnd) {
  for (const std::string_view whole : {kJson, kIds})
    for (std::size_t size = 2; size < whole.size(); ++size) {
      const std::string_view cut = whole.substr(0, size);
      const auto line = 1 + std::ranges::count(cut, '\n');
      EXPECT_THAT(refused(cut),
                  AllOf(HasSubstr("the JSON ends too early"), HasSubstr("f:" + std::to_string(line) + ":")))
          << cut;
    }
}

TEST(ExtrapJson, WhatIsNotUnderstoodIsPassedOverAndSaid) {
  const Measurements m = read(
      "{\"tool\":{\"a\":[1,{\"values\":[]}]},\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{"
      "\"point\":[1],\"sd\":2,\"values\":[3,null]},{\"point\":[2],\"sd\":[2],\"values\":[]}]}}}");
  EXPECT_EQ(m.kernels[0].points, (Points{{1}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{3}}));
  EXPECT_THAT(m.warnings, ElementsAre("f:1:9: \"tool\" is not understood, and passed over",
                                      "f:1:96: \"sd\" is not understood, and passed over (and 1 more time)",
                                      "f:1:110: a value of t is not a number, which is left out",
                                      "f:1:150: a point of t has no value, and is left out"));
}

TEST(ExtrapJson, OptionsForColumnsAreRefused) {
  EXPECT_THAT(refused(kJson, {.parameters = {"p"}}), HasSubstr("a file of Extra-P, which names them itself"));
}

TEST(ExtrapJsonLines, ALineIsAValueOrSeveral) {
  const Measurements m = read(
      "{\"params\":{\"x\":20,\"y\":1},\"metric\":\"time\",\"callpath\":\"test\",\"value\":2}\n\n"
      "{\"value\":[4,5],\"params\":{\"y\":1,\"x\":10},\"metric\":\"time\",\"callpath\":\"test\"}\r\n"
      "{\"params\":{\"x\":20,\"y\":1},\"value\":3,\"callpath\":\"test\",\"metric\":\"time\"}\n"
      "{\"params\":{\"x\":20,\"y\":1},\"value\":7}");
  EXPECT_THAT(m.parameters, ElementsAre("x", "y"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].points, (Points{{10, 1}, {20, 1}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{4, 5}, {2, 3}}));
  EXPECT_EQ(m.kernels[1].callpath, "");
  EXPECT_EQ(m.kernels[1].metric, "value");
}

TEST(ExtrapJsonLines, ErrorsNameLineAndColumn) {
  const std::string good = "{\"params\":{\"x\":1},\"value\":2}\n";
  EXPECT_THAT(refused(good + "{\"params\":{\"y\":1},\"value\":2}"),
              HasSubstr("f:2:1: error: the line has no value of parameter x"));
  EXPECT_THAT(refused(good + "{\"params\":{\"x\":1,\"y\":1},\"value\":2}"),
              HasSubstr("f:2:1: error: the line has a parameter that the first has not"));
  EXPECT_THAT(refused(good + "{\"params\":{\"x\":\"a\"},\"value\":2}"),
              HasSubstr("f:2:16: error: parameter x is not a number"));
  EXPECT_THAT(refused(good + "{\"params\":{\"x\":1}}"), HasSubstr("f:2:1: error: the line has no \"value\""));
  EXPECT_THAT(refused(good + "{\"value\":1}"), HasSubstr("f:2:1: error: the line has no \"params\""));
  EXPECT_THAT(refused(good + "{\"params\":{\"x\":1},\"value\":2"),
              HasSubstr("f:2:28: error: the JSON ends too early"));
  EXPECT_THAT(refused(good + "{\"params\":{\"x\":1};\"value\":2}"),
              HasSubstr("f:2:18: error: this is not JSON"));
  EXPECT_THAT(refused("{\"params\":{\"x\":1},\"unit\":\"s\",\"value\":2}\n{\"params\":{\"x\":1},\"unit\":"
                      "\"us\",\"value\":2}"),
              HasSubstr("f:2:1: error: value is in s before and in us here"));
}

TEST(ExtrapForms, NumbersThatAreNotComputedWithAreLeftOutOrRefused) {
  const Measurements text = read("PARAMETER p\nPOINTS 1 2\nDATA 1e-320 4\nDATA 2 1e300\n");
  EXPECT_EQ(text.kernels[0].values, (Points{{4}, {2}}));
  EXPECT_THAT(text.warnings, ElementsAre("f:3:6: a value of value is smaller than 1e-30, which is left out",
                                         "f:4:8: a value of value is larger than 1e30, which is left out"));
  EXPECT_THAT(refused("PARAMETER p\nPOINTS 1 1e200\nDATA 1\nDATA 2\n"),
              HasSubstr("f:2:10: error: 1e200 is larger than 1e30"));
  const Measurements lines = read("{\"params\":{\"p\":1},\"value\":[3,1e-200]}\n");
  EXPECT_EQ(lines.kernels[0].values, (Points{{3}}));
  EXPECT_THAT(lines.warnings,
              ElementsAre(HasSubstr("f:1:30: a value is smaller than 1e-30, which is left out")));
  EXPECT_THAT(refused("{\"params\":{\"p\":1e31},\"value\":3}\n"),
              HasSubstr("parameter p is larger than 1e30"));
  EXPECT_THAT(refused("{\"params\":{\"p\":1},\"value\":1e999}\n"), HasSubstr("1e999 is larger than 1e30"));
  const std::string json =
      R"({"parameters":["p"],"measurements":{"m":{"t":[{"point":[1],"values":[1e-300,5]}]}}})";
  EXPECT_EQ(read(json).kernels[0].values, (Points{{5}}));
}

}  // namespace
}  // namespace parcast::interchange
