// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <gmock/gmock.h>

namespace parcast::report {
namespace {

using testing::ElementsAre;

TEST(Percent, WhatIsThereNeverReadsAsNothing) {
  EXPECT_EQ(percent(0.66), "66%");
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.0049), "<1%");
  EXPECT_EQ(percent(0.005), "1%");
  EXPECT_EQ(in_percent(0.001), "<1 %");
  EXPECT_EQ(signed_percent(0.042), "+4.2 %");
  EXPECT_EQ(signed_percent(-0.125), "-12.5 %");
  EXPECT_EQ(size_percent(-0.125), "12.5 %");
}

TEST(Percents, SumToTheWhole) {
  const std::vector<double> thirds{1.0 / 3, 1.0 / 3, 1.0 / 3};
  EXPECT_THAT(percents(thirds), ElementsAre(34, 33, 33));
  const std::vector<double> mixed{0.955, 0.034, 0.011};
  EXPECT_THAT(percents(mixed), ElementsAre(96, 3, 1));
}

TEST(TimeScale, TheLargestHasFourDigits) {
  EXPECT_EQ(TimeScale(27.1).text(27.1), "27.10");
  EXPECT_EQ(TimeScale(27.1).text(0.05), "0.05");
  EXPECT_EQ(TimeScale(0.0123).text(0.0123), "12.30");
  EXPECT_EQ(TimeScale(0.0123).unit(), "ms");
  EXPECT_EQ(TimeScale(9e-7).text(9e-7), "0.900");
  EXPECT_EQ(TimeScale(9e-7).unit(), "us");
  EXPECT_EQ(TimeScale(86400).text(86400), "86400");
  EXPECT_EQ(TimeScale(0).text(0), "0.00");
  EXPECT_EQ(TimeScale(16000).text(2.77e20), "2.77e+20");
  EXPECT_EQ(TimeScale(1.257).whole_text(1.257), "1.257");
  EXPECT_EQ(TimeScale(1.257).whole_text(0.00913), "0.00913");
  EXPECT_EQ(TimeScale(1.257).whole_text(0.1234), "0.123");
  EXPECT_EQ(TimeScale(1.257).whole_text(0), "0.000");
}

TEST(Duration, LongOnesAreYearsAndNoneIsLongerThanCanBeMeant) {
  EXPECT_EQ(duration(41.3), "41.3 s");
  EXPECT_EQ(duration(7200), "2.00 h");
  EXPECT_EQ(duration(1513 * 3600.), "1513 h");
  EXPECT_EQ(duration(3 * 365.25 * 86400), "3.00 years");
  EXPECT_EQ(duration(2.77e20), "more than 100,000 years");
}

TEST(IntervalText, IsInTheUnitOfTheValueAsFarAsThatSuits) {
  EXPECT_EQ(interval_text(41.3, 38.1, 45.2), "38.1 .. 45.2");
  EXPECT_EQ(interval_text(0.95, 0.7, 1.2), "700 .. 1200");
  EXPECT_EQ(interval_text(1.5, 0, 700), "0 .. 700");
  EXPECT_EQ(interval_text(4.49 * 3600, 1.9 * 3600, 2.77e20), "1.90 h .. more than 100,000 years");
  EXPECT_EQ(interval_text(7e-5, 2e-5, 60), "20.0 us .. 60.0 s");
}

TEST(OriginsText, ExactOriginsAreOneGroupAndTheRestIsNamed) {
  EXPECT_EQ(
      origins_text(
          {{Origin::symbolic, 0.5}, {Origin::exact, 0.46}, {Origin::fitted, 0.03}, {Origin::unknown, 0.01}}),
      "counts (executions, bytes) are exact for 96 % of the time, fitted for 3 %, unknown for 1 %");
  EXPECT_EQ(origins_text({}), "");
}

TEST(OriginsText, SmallSharesLeaveLessThanAllToTheOthers) {
  EXPECT_EQ(
      origins_text({{Origin::fitted, 0.996}, {Origin::constant, 0.004}}),
      "counts (executions, bytes) are fitted for more than 99 % of the time, constant for less than 1 %");
  EXPECT_EQ(origins_text({{Origin::exact, 1}}), "counts (executions, bytes) are exact for 100 % of the time");
}

TEST(OriginsText, NamesTheLargestRowOfEachWeakerOrigin) {
  EXPECT_EQ(
      origins_text({{Origin::exact, 0.9}, {Origin::ambiguous, 0.1}},
                   {{Origin::exact, "update: computing"}, {Origin::ambiguous, "MPI_Sendrecv, line 130"}}),
      "counts (executions, bytes) are exact for 90 % of the time, ambiguous for 10 % "
      "(MPI_Sendrecv, line 130)");
}

TEST(Xml, SignsOfTheLanguageAndControlsAreEscaped) {
  EXPECT_EQ(xml("</script>&\"'"), "&lt;/script&gt;&amp;&quot;&#39;");
  EXPECT_EQ(xml("\033[2J\u202E"), "\\x1b[2J\\u202e");
}

TEST(Beyond, NamesFactorsWithTheProcessesFirst) {
  EXPECT_EQ(beyond({{"N", 10}, {"p", 4}}), "p x4, N x10 beyond the recordings");
  EXPECT_EQ(beyond({{"p", 0.25}, {"n", 1.6666}}), "p x0.25, n x1.7 beyond the recordings");
  EXPECT_EQ(beyond({{"p", 1}}), "");
}

TEST(Words, CountsAndTimes) {
  EXPECT_EQ(counted(1, "process"), "1 process");
  EXPECT_EQ(counted(1024, "process"), "1,024 processes");
  EXPECT_EQ(counted(2, "node"), "2 nodes");
  EXPECT_EQ(node_time(0.115), "6.90 node-min");
  EXPECT_EQ(node_time(12), "12.0 node-h");
  EXPECT_EQ(node_time(0.001), "3.60 node-s");
  EXPECT_EQ(parameters_text({{"N", 256}, {"dt", 0.1}}), "N = 256, dt = 0.1");
  EXPECT_EQ(bar(0.5, 40).size(), 20u);
  EXPECT_EQ(bar(7, 40).size(), 40u);
  EXPECT_EQ(bar(-1, 40), "");
}

}  // namespace
}  // namespace parcast::report
