// SPDX-License-Identifier: Apache-2.0
#include "calibrate/combine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace parcast::calibrate {
namespace {

using testing::ElementsAre;

Measurements launch_of(int processes, double factor) {
  Measurements m;
  m.processes = processes;
  m.points = {{"message-core", processes, 8, 1e-6 * factor, 1e-9, 100, 0.9e-6 * factor, 1.1e-6 * factor, 2},
              {"message-core", processes, 1024, 2e-6 * factor, 1e-9, 100, 0, 0, 1}};
  m.values = {{"core_speed", 2e9 * factor, 1e6, 10}, {"eager_limit-core", 4096 * factor, 0, 5}};
  m.sweep = {{processes, 4096, 1e-9, 1e10}};
  return m;
}

const Value& value_of(const Measurements& measured, std::string_view name) {
  const auto found = std::ranges::find(measured.values, name, &Value::name);
  EXPECT_NE(found, measured.values.end()) << name;
  return *found;
}

// Two launches that differ by a factor e^0.1: the standard deviation of 0 and 0.1 is 0.1 / sqrt 2, and that
// of their mean is 0.05.
TEST(Combined, WhatDiffersBetweenLaunchesEntersTheErrors) {
  const auto joined = combined({launch_of(2, 1), launch_of(2, std::exp(0.1))});
  ASSERT_EQ(joined.size(), 1u);
  ASSERT_EQ(joined[0].points.size(), 2u);
  const TablePoint& point = joined[0].points[0];
  const double middle = (1 + std::exp(0.1)) / 2;
  EXPECT_DOUBLE_EQ(point.seconds, 1e-6 * middle);
  EXPECT_NEAR(point.drift, 0.05, 1e-12);
  EXPECT_NEAR(point.standard_error, 0.05 * point.seconds, 1e-18);
  EXPECT_EQ(point.samples, 200);
  EXPECT_EQ(point.outliers, 4);
  // One degree of freedom: 1.96 times the error must equal 12.7 times the deviation of the mean.
  EXPECT_DOUBLE_EQ(joined[0].values[0].value, 2e9 * middle);
  EXPECT_NEAR(joined[0].values[0].standard_error,
              0.05 * 2e9 * middle * 12.706204736174698 / 1.959963984540054, 10);
  // the limit is the larger value, not one between the two
  EXPECT_EQ(joined[0].values[1].value, 4096 * std::exp(0.1));
}

TEST(Combined, LaunchesThatAgreeKeepTheErrorsOfTheirRepeats) {
  const auto joined = combined({launch_of(2, 1), launch_of(2, 1), launch_of(2, 1), launch_of(2, 1)});
  EXPECT_EQ(joined[0].points[0].seconds, 1e-6);
  EXPECT_DOUBLE_EQ(joined[0].points[0].standard_error, 0.5e-9);  // error of the mean of four
  EXPECT_EQ(joined[0].points[0].drift, 0);
  EXPECT_EQ(joined[0].values[1].standard_error, 0);
}

TEST(Combined, ALaunchThatTellsNoShareOfACoreHadAllOfIt) {
  Measurements shared = launch_of(2, 1), whole = launch_of(2, 1);
  shared.values.push_back({"core_share-core", 0.6, 0, 1});
  EXPECT_DOUBLE_EQ(value_of(combined({shared, whole})[0], "core_share-core").value, 0.8);
  whole.points.clear();  // this launch measured no messages
  EXPECT_DOUBLE_EQ(value_of(combined({shared, whole})[0], "core_share-core").value, 0.6);
}

TEST(Combined, HowFastCoresAreFromLaunchToLaunchIsTheDrift) {
  const auto joined =
      combined({launch_of(2, 1), launch_of(2, std::exp(.1)), launch_of(2, std::exp(.2)), launch_of(1, 1)});
  const Value& drift = value_of(joined[0], "drift");  // of three launches
  EXPECT_NEAR(drift.value, .1, 1e-12);
  EXPECT_NEAR(drift.standard_error, .1 / 2, 1e-12);  // two degrees of freedom: 1 / sqrt(2 x 2)
  EXPECT_EQ(drift.samples, 3);
  // one launch has no drift
  EXPECT_EQ(std::ranges::count(joined[1].values, std::string("drift"), &Value::name), 0);
}

TEST(Combined, ThatOneLaunchLacksOneSidedCallsIsSaidWhereNoOtherHasThem) {
  Measurements whole = launch_of(2, 1), ended = launch_of(2, 1);
  ended.notes.emplace_back(kWithoutOneSided);
  const auto says = [](const std::vector<Measurements>& joined) {
    return std::ranges::any_of(joined[0].notes,
                               [](const std::string& note) { return note.starts_with(kWithoutOneSided); });
  };
  EXPECT_FALSE(says(combined({whole, ended})));
  EXPECT_TRUE(says(combined({ended, ended})));
}

// Each launch measures cores at its start and at its end.
TEST(Combined, ALaunchShowsNoDriftByItself) {
  std::vector<Measurements> launches{launch_of(1, 1), launch_of(1, 1)};
  launches[0].values = {{"core_speed", 1e9, 0, 9}, {"core_speed", 1.1e9, 0, 9}};
  EXPECT_EQ(std::ranges::count(combined({launches[0]})[0].values, std::string("drift"), &Value::name), 0);
  const Value alone = value_of(combined({launches[0]})[0], "core_speed");
  EXPECT_DOUBLE_EQ(alone.value, 1.05e9);
  // two values: their deviation divided by sqrt 2, ln 1.1 / sqrt 2 / sqrt 2
  EXPECT_NEAR(alone.standard_error, 1.05e9 * std::log(1.1) / 2, 1);
  launches[1].values = {{"core_speed", 2e9, 0, 9}, {"core_speed", 2.2e9, 0, 9}};
  const auto joined = combined(launches);
  const Value& drift = value_of(joined[0], "drift");
  EXPECT_NEAR(drift.value, std::log(2) / std::sqrt(2), 1e-12);
  EXPECT_NEAR(drift.standard_error, drift.value / std::sqrt(2), 1e-12);  // one degree of freedom
  EXPECT_EQ(drift.samples, 2);
}

TEST(Combined, OperationsDriftAsOneKind) {
  std::vector<Measurements> launches{launch_of(1, 1), launch_of(1, 1)};
  // Differences of .2 and .6 in logarithms: deviations of .2 / sqrt 2 and .6 / sqrt 2, with root mean square
  // sqrt(.1).
  launches[0].values = {{"operations.double_add.dependent", 1e-9, 0, 9},
                        {"operations.double_add.independent", 1e-9, 0, 9}};
  launches[1].values = {{"operations.double_add.dependent", 1e-9 * std::exp(.2), 0, 9},
                        {"operations.double_add.independent", 1e-9 * std::exp(-.6), 0, 9}};
  const auto joined = combined(launches);
  const Value& drift = value_of(joined[0], "drift");
  EXPECT_NEAR(drift.value, std::sqrt(.1), 1e-12);
  // one degree of freedom, regardless of the number of operations
  EXPECT_NEAR(drift.standard_error, std::sqrt(.1 / 2), 1e-12);
  EXPECT_EQ(drift.samples, 2);
}

TEST(Combined, OneLaunchOfACountStaysAsItIs) {
  const auto joined = combined({launch_of(1, 1), launch_of(2, 1)});
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(to_text(joined[0]), to_text(launch_of(1, 1)));
  EXPECT_EQ(to_text(joined[1]), to_text(launch_of(2, 1)));
}

TEST(Combined, PointsOfTheSweepStayApartAndNotesAreSaidOnce) {
  Measurements first = launch_of(2, 1), second = launch_of(2, 1);
  first.notes = {"messages beyond 1024 bytes were left out"},
  second.notes = {"messages beyond 2048 bytes were left out", "another"};
  const auto joined = combined({first, second});
  ASSERT_EQ(joined[0].sweep.size(), 2u);
  EXPECT_EQ(joined[0].sweep[1].pass, 1);
  EXPECT_THAT(joined[0].notes, ElementsAre("messages beyond 1024 bytes were left out", "another"));
}

// Calculated by hand. With one degree of freedom each, the common square is (0.04 + 0) / 2 = 0.02; the
// results are (0.04 + 2 * 0.02) / 3 and (0 + 2 * 0.02) / 3.
TEST(Moderated, FewLaunchesAreDrawnTowardsWhatAllHave) {
  const auto out = moderated({0.2, 0}, {1, 1});
  EXPECT_NEAR(out[0], std::sqrt(0.08 / 3), 1e-15);
  EXPECT_NEAR(out[1], std::sqrt(0.04 / 3), 1e-15);
  EXPECT_THAT(moderated({0.2, 0}, {0, 0}), ElementsAre(0, 0));
}

TEST(Combined, ALaunchWithAFewSamplesIsPassedOverBesideOneWithMany) {
  Measurements few, many;
  few.processes = many.processes = 2;
  few.points = {{"scan", 2, 8, 9e-3, 1e-3, 5}};
  many.points = {{"scan", 2, 8, 1e-3, 1e-4, 60}};
  const auto joined = combined({few, many});
  ASSERT_EQ(joined[0].points.size(), 1u);
  EXPECT_EQ(joined[0].points[0].seconds, 1e-3);
  EXPECT_EQ(joined[0].points[0].samples, 60);
}

// Calculated by hand. The median of launches at levels 1 and 3 is at 2, for costs of 1, 2 and 4 us. 64 bytes,
// measured only by the first launch, are adjusted from 1 to 2.
TEST(Combined, ASizeOfOneLaunchIsBroughtToTheLevelOfAll) {
  Measurements fast, slow;
  fast.processes = slow.processes = 2;
  fast.points = {
      {"scan", 2, 8, 1e-6, 1e-9, 50}, {"scan", 2, 64, 2e-6, 1e-9, 50}, {"scan", 2, 512, 4e-6, 1e-9, 50}};
  slow.points = {
      {"scan", 2, 8, 3e-6, 1e-9, 50}, {"scan", 2, 512, 12e-6, 1e-9, 50}, {"scan", 2, 4096, 60e-6, 1e-9, 50}};
  const std::vector<TablePoint> points = combined({fast, slow})[0].points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_DOUBLE_EQ(points[0].seconds, 2e-6);
  EXPECT_NEAR(points[1].seconds, 4e-6, 1e-18);
  EXPECT_DOUBLE_EQ(points[2].seconds, 8e-6);
  EXPECT_NEAR(points[3].seconds, 40e-6, 1e-17);  // beyond the last common size the level is constant
  for (const TablePoint& point : points) EXPECT_DOUBLE_EQ(point.drift, points[0].drift);
}

// Levels 1 : 1 at 16 bytes and 1 : 3 at 256 bytes (the medians are 1 and 2). Half way by ratio, the slow
// launch is at sqrt(1 * 3 / 2) of the median.
TEST(Combined, LevelsMayDifferFromSizeToSize) {
  Measurements even, slow;
  even.processes = slow.processes = 2;
  even.points = {{"scan", 2, 16, 1e-6, 0, 50}, {"scan", 2, 256, 1e-6, 0, 50}};
  slow.points = {{"scan", 2, 16, 1e-6, 0, 50}, {"scan", 2, 64, 1e-6, 0, 50}, {"scan", 2, 256, 3e-6, 0, 50}};
  const TablePoint between = combined({even, slow})[0].points.at(1);
  EXPECT_EQ(between.bytes, 64);
  EXPECT_NEAR(between.seconds, 1e-6 / std::sqrt(1.5), 1e-18);
  EXPECT_GE(between.standard_error, between.seconds * std::log(1.5) / 2 * 0.999);
}

TEST(Combined, WithoutASizeThatAllMeasuredLevelsAreNotKnown) {
  Measurements first, second;
  first.processes = second.processes = 2;
  first.points = {{"scan", 2, 8, 1e-6, 1e-9, 50}};
  second.points = {{"scan", 2, 64, 5e-6, 1e-9, 50}};
  const std::vector<TablePoint> points = combined({first, second})[0].points;
  EXPECT_EQ(points.at(0).seconds, 1e-6);
  EXPECT_EQ(points.at(1).seconds, 5e-6);
  EXPECT_EQ(points.at(1).drift, 0);
}

TEST(Combined, WhatSomeLaunchCameToIsNotLeftOut) {
  Measurements first, second;
  first.processes = second.processes = 4;
  first.left_out = {{"scan", 4, 0}, {"gather", 4, 512}};
  second.points = {{"scan", 4, 8, 1e-3, 1e-5, 30}, {"gather", 4, 64, 1e-3, 1e-5, 30}};
  second.left_out = {{"gather", 4, 1024}};
  const auto joined = combined({first, second});
  ASSERT_EQ(joined[0].left_out.size(), 1u);
  EXPECT_EQ(joined[0].left_out[0].table, "gather");
  EXPECT_EQ(joined[0].left_out[0].bytes, 512);
}

}  // namespace
}  // namespace parcast::calibrate
