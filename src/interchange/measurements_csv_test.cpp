// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "interchange/measurement_columns.h"
#include "interchange/measurement_units.h"
#include "interchange/measurements.h"

namespace parcast::interchange {
namespace {

using fit::Measurements;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Points = std::vector<std::vector<double>>;

Measurements read(std::string_view text, const MeasurementOptions& options = {}) {
  auto out = measurements_from(text, "f.csv", options);
  EXPECT_TRUE(out) << to_string(out.error());
  return out ? std::move(*out) : Measurements{};
}

std::string refused(std::string_view text, const MeasurementOptions& options = {}) {
  const auto out = measurements_from(text, "f.csv", options);
  return out ? "read" : to_string(out.error());
}

TEST(MeasurementsCsv, ARunAboutItselfIsTakenApart) {
  const Measurements m = read(
      "application,case,machine,nodes,processes,threads,parameters,repetition,seconds\n"
      "life,row,bird,1,4,1,nx=2048;steps=300,1,2.5\n"
      "life,row,bird,1,4,1,nx=2048;steps=300,2,2.25\n"
      "life,row,bird,1,8,1,nx=1024;steps=300,1,1.5\n"
      "life,block,bird,2,4,1,nx=2048;steps=300,1,2\n");
  EXPECT_THAT(m.parameters, ElementsAre("nodes", "processes", "nx"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].callpath, "row");
  EXPECT_EQ(m.kernels[0].metric, "seconds");
  EXPECT_EQ(m.kernels[0].unit, "s");
  EXPECT_EQ(m.kernels[0].points, (Points{{1, 4, 2048}, {1, 8, 1024}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{2.5, 2.25}, {1.5}}));
  EXPECT_EQ(m.kernels[1].callpath, "block");
  EXPECT_EQ(m.kernels[1].points, (Points{{2, 4, 2048}}));
  EXPECT_THAT(m.warnings, IsEmpty());
}

TEST(MeasurementsCsv, SeveralTextsAndMetricsMakeKernelsEach) {
  const Measurements m =
      read("machine,benchmark,p,t_min_us,t_max_us\nA,Bcast,2,1,3\nA,Reduce,2,4,5\nB,Bcast,4,6,7\n");
  ASSERT_EQ(m.kernels.size(), 6u);
  EXPECT_EQ(m.kernels[0].callpath, "A->Bcast");
  EXPECT_EQ(m.kernels[0].metric, "t_min_us");
  EXPECT_EQ(m.kernels[0].unit, "us");
  EXPECT_EQ(m.kernels[5].callpath, "B->Bcast");
  EXPECT_EQ(m.kernels[5].metric, "t_max_us");
  EXPECT_EQ(m.kernels[5].values, (Points{{7}}));
}

TEST(MeasurementsCsv, SeparatorsQuotesMarkAndLineEndsDoNotMatter) {
  const Measurements plain = read("region,p,time\n\"a, b\",2,1.5\n\"a, b\",4,1\n");
  for (const std::string_view text :
       {"\xEF\xBB\xBFregion;p;time\r\na, b;2;1.5\r\n\r\n# note\r\na, b;4;+1\r\n",
        "region\tp\ttime\na, b\t2\t1.5\na, b\t4\t1.0",
        "region, p , time\n \"a, b\" , 2, 15e-1\n\"a, b\",4,1"}) {
    const Measurements m = read(text);
    EXPECT_EQ(m.parameters, plain.parameters);
    ASSERT_EQ(m.kernels.size(), 1u) << text;
    EXPECT_EQ(m.kernels[0].points, plain.kernels[0].points);
    EXPECT_EQ(m.kernels[0].values, plain.kernels[0].values);
  }
  EXPECT_EQ(read("region;p;time\n\"a;\"\"b\"\"\";2;1\nc;4;1\n").kernels[0].callpath, "a;\"b\"");
}

TEST(MeasurementsCsv, RowsOfOnePointAreRepetitionsInTheirOrder) {
  const Measurements m = read("p,time\n4,3\n2,7\n4,1\n4,2\n");
  EXPECT_EQ(m.kernels[0].points, (Points{{2}, {4}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{7}, {3, 1, 2}}));
}

TEST(MeasurementsCsv, TheSameRepetitionWithAnotherValueIsRefusedAndTheColumnNamed) {
  EXPECT_THAT(
      refused("p,nodes,repetition,time\n4,1,1,3\n2,1,1,9\n4,2,1,2\n", {.parameters = {"p"}}),
      testing::AllOf(HasSubstr("f.csv:4: error: the same repetition of p = 4 has another value in line 2"),
                     HasSubstr("is nodes a parameter? name it: --parameters p,nodes")));
  const Measurements m = read("p,repetition,time\n4,1,3\n2,1,9\n4,1,3\n");
  EXPECT_EQ(m.kernels[0].values, (Points{{9}, {3}}));
  EXPECT_THAT(m.warnings,
              ElementsAre("f.csv:4: the same repetition with the same value precedes, and counts once"));
}

TEST(MeasurementsCsv, WhatWasNotMadeAParameterAndVariesIsSaid) {
  const Measurements m = read("p,threads,time\n4,1,3\n4,2,2\n2,2,5\n4,1,3.5\n", {.parameters = {"p"}});
  EXPECT_EQ(m.kernels[0].values, (Points{{5}, {3, 2, 3.5}}));
  EXPECT_THAT(
      m.warnings,
      ElementsAre(
          "f.csv:3: threads is another than in a row before, and both are taken as runs of one point"));
}

TEST(MeasurementsCsv, ParametersComeInTheOrderAskedFor) {
  const Measurements m = read("p,n,time\n4,10,3\n2,20,5\n", {.parameters = {"n", "p"}});
  EXPECT_THAT(m.parameters, ElementsAre("n", "p"));
  EXPECT_EQ(m.kernels[0].points, (Points{{10, 4}, {20, 2}}));
  EXPECT_THAT(refused("p,n,time\n4,10,3\n", {.parameters = {"processes", "n"}}),
              HasSubstr("there is no column processes for a parameter"));
  EXPECT_THAT(refused("p,size,time\n4,10,3\n", {.parameters = {"sizes"}}), HasSubstr("did you mean size?"));
}

TEST(MeasurementsCsv, ValuesThatAreNoneAreLeftOutAndSaid) {
  const Measurements m = read("p,time,io_seconds\n2,1.5,\n4,nan,3\n8,-inf,\n16,2,4\n16,NA,\n");
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].points, (Points{{2}, {16}}));
  EXPECT_EQ(m.kernels[1].points, (Points{{4}, {16}}));
  EXPECT_THAT(m.warnings, ElementsAre("f.csv:2: io_seconds is empty, which is left out (and 2 more times)",
                                      "f.csv:3: time is nan, which is left out",
                                      "f.csv:4: time is -inf, which is left out",
                                      "f.csv:6: time is NA, which is left out"));
}

TEST(MeasurementsCsv, RowsWithoutAPointAreLeftOutAndSaid) {
  const Measurements m = read("nodes,p,time\n1,2,1.5\n,4,3\n2,4,2\n,8,1\n");
  EXPECT_EQ(m.kernels[0].points, (Points{{1, 2}, {2, 4}}));
  EXPECT_THAT(m.warnings,
              ElementsAre("f.csv:3: nodes has no value, and the row is left out (and 1 more time)"));
}

TEST(MeasurementsCsv, DecimalCommasAndUnitsInCellsAreRefused) {
  EXPECT_THAT(refused("p;time\n2;1,5\n4;2\n"),
              HasSubstr("f.csv:2: error: time is 1,5, with a comma in the number"));
  EXPECT_THAT(refused("x;time\n0,5;1\n1;2\n"),
              HasSubstr("f.csv:2: error: x is 0,5, with a comma in the number"));
  EXPECT_THAT(refused("p,time\n\"1,024\",1\n2,2\n"), HasSubstr("p is 1,024, with a comma in the number"));
  EXPECT_THAT(refused("p,time\n2,3us\n4,1\n"),
              HasSubstr("f.csv:2: error: time is \"3us\", which is not a number"));
  EXPECT_THAT(refused("p,time\n2,1\nfour,1\n", {.parameters = {"p"}}),
              HasSubstr("f.csv:3: error: p is \"four\", which is not a number"));
}

TEST(MeasurementsCsv, ATextAmongNumbersIsASlip) {
  EXPECT_THAT(refused("p,n,seconds\n1,1000,2\n2,1OOO,1\n4,1000,0.5\n"),
              HasSubstr("f.csv:3: error: n is \"1OOO\", and most of its cells are numbers"));
  EXPECT_EQ(read("p,n,seconds\n1,1000,2\n2,1OOO,1\n4,1000,0.5\n", {.parameters = {"p"}}).kernels.size(), 2u);
  EXPECT_EQ(read("p,case,seconds\n1,a,2\n2,1,1\n4,b,0.5\n").kernels.size(), 3u);
}

TEST(MeasurementsCsv, FractionsRightOfTheFirstMetricAreMeasuredAndThatIsSaid) {
  const Measurements m = read("p,seconds,solve,inners\n2,4,2.5,7\n4,3,1.5,8\n");
  EXPECT_THAT(m.parameters, ElementsAre("p", "inners"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[1].metric, "solve");
  EXPECT_EQ(m.kernels[1].unit, "");
  EXPECT_THAT(
      m.warnings,
      ElementsAre("f.csv: columns right of seconds that hold fractions are taken as measured: solve"));
  EXPECT_EQ(read("p,seconds,solve,inners\n2,4,2.5,7\n4,3,1.5,8\n", {.metrics = {"solve"}}).kernels.size(),
            1u);
}

TEST(MeasurementsCsv, WithoutMetricOrParameterTheErrorSaysWhatToName) {
  EXPECT_THAT(refused("p,cost\n2,1\n4,2\n"),
              testing::AllOf(HasSubstr("no column is known by its name to hold measured values"),
                             HasSubstr("name it: --metrics cost")));
  EXPECT_EQ(read("p,cost\n2,1\n4,2\n", {.metrics = {"cost"}}).kernels[0].metric, "cost");
  EXPECT_THAT(refused("p,time\n2,1\n2,2\n"), HasSubstr("no column of numbers varies"));
  EXPECT_EQ(read("p,time\n2,1\n2,2\n", {.parameters = {"p"}}).kernels[0].values, (Points{{1, 2}}));
  EXPECT_THAT(refused("p,time\n"), HasSubstr("the file has a header and no row"));
  EXPECT_THAT(refused("p,time\n2,\n4,\n"), HasSubstr("no measured value is in it"));
}

TEST(MeasurementsCsv, OneValueARowIsReadToo) {
  const Measurements m = read(
      "callpath,metric,unit,p,repetition,value\nmain,time,ms,2,1,5\nmain,visits,,2,1,7\nmain,time,ms,2,2,"
      "6\n");
  EXPECT_THAT(m.parameters, ElementsAre("p"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].callpath, "main");
  EXPECT_EQ(m.kernels[0].unit, "ms");
  EXPECT_EQ(m.kernels[0].values, (Points{{5, 6}}));
  EXPECT_EQ(m.kernels[1].unit, "");
  EXPECT_THAT(refused("metric,unit,p,value\ntime,s,2,1\ntime,us,4,1\n"),
              HasSubstr("f.csv:3: error: time is in s before and in us here"));
  EXPECT_EQ(read("metric,p,value\ntime,2,1\nvisits,2,3\n", {.metrics = {"visits"}}).kernels.size(), 1u);
}

TEST(MeasurementsCsv, AUnitIsGivenOrNamedAndNotBoth) {
  EXPECT_EQ(read("p,time\n2,1\n4,2\n", {.unit = "us"}).kernels[0].unit, "us");
  EXPECT_EQ(read("p,time\n2,1\n4,2\n").kernels[0].unit, "");
  EXPECT_THAT(refused("p,seconds\n2,1\n4,2\n", {.unit = "us"}),
              HasSubstr("seconds is in s, and us is given as the unit"));
}

TEST(MeasurementsCsv, ParametersThatAreNotKeysAndValuesAreRefused) {
  EXPECT_THAT(refused("parameters,p,time\nn=3;fast,2,1\n"),
              HasSubstr("f.csv:2: error: \"fast\" in the column of parameters is not key=value"));
  EXPECT_THAT(refused("n,parameters,time\n1,n=3,1\n"), HasSubstr("n is a column and a parameter too"));
  EXPECT_THAT(refused("parameters,time\nn=3;n=4,1\n"), HasSubstr("n occurs twice among the parameters"));
  const Measurements m = read("parameters,p,time\nn=3;compiler=gcc,2,1\nn=4,2,1\n");
  EXPECT_THAT(m.parameters, ElementsAre("n"));
  EXPECT_EQ(m.kernels[0].callpath, "gcc");
  EXPECT_EQ(m.kernels[1].callpath, "");
}

TEST(MeasurementsCsv, NamesTellUnits) {
  EXPECT_EQ(unit_of_metric("seconds"), "s");
  EXPECT_EQ(unit_of_metric("comm_seconds"), "s");
  EXPECT_EQ(unit_of_metric("T_avg_US"), "us");
  EXPECT_EQ(unit_of_metric("MaxPingPongLatency_usec"), "us");
  EXPECT_EQ(unit_of_metric("mbytes_per_s"), "MB/s");
  EXPECT_EQ(unit_of_metric("sent_bytes"), "B");
  for (const char* name : {"time", "s", "us", "nodes", "status", "threads", "visits"})
    EXPECT_EQ(unit_of_metric(name), "") << name;
  for (const char* name : {"seconds", "Time", "time_max", "min_time", "walltime", "PAPI_FP_OPS", "t_avg_us",
                           "visits", "solve_time"})
    EXPECT_TRUE(names_metric(name)) << name;
  for (const char* name : {"p", "n", "nodes", "bytes", "size", "threads", "steps", "max", "timeout", "s"})
    EXPECT_FALSE(names_metric(name)) << name;
}

TEST(MeasurementsCsv, AColumnOfRanksBecomesMeanAndLargestRunByRun) {
  const Measurements m = read(
      "p,rank,repetition,time_us\n"
      "2,0,1,10\n2,1,1,30\n"
      "2,0,2,20\n2,1,2,22\n"
      "4,0,1,5\n4,1,1,6\n4,2,1,7\n4,3,1,10\n");
  EXPECT_THAT(m.parameters, ElementsAre("p"));
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].metric, "time_us");
  EXPECT_EQ(m.kernels[0].largest_of, "");
  EXPECT_EQ(m.kernels[0].values, (Points{{20, 21}, {7}}));
  EXPECT_EQ(m.kernels[1].metric, "time_us_max");
  EXPECT_EQ(m.kernels[1].largest_of, "time_us");
  EXPECT_EQ(m.kernels[1].unit, "us");
  EXPECT_EQ(m.kernels[1].values, (Points{{30, 22}, {10}}));
  EXPECT_THAT(m.warnings, IsEmpty());
}

TEST(MeasurementsCsv, ARankThatComesAgainIsAnotherRun) {
  const Measurements m = read("p,rank,time\n1,0,3\n1,0,5\n2,0,1\n2,1,2\n2,0,3\n");
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].values, (Points{{3, 5}, {1.5, 3}}));
  EXPECT_EQ(m.kernels[1].values, (Points{{3, 5}, {2, 3}}));
  EXPECT_THAT(m.warnings, Contains(HasSubstr("runs of one point have different numbers of ranks")));
}

TEST(MeasurementsCsv, ValuesOfAPointMayBeToldToBeRanks) {
  MeasurementOptions options;
  options.ranks = true;
  const Measurements m = read("p,time\n1,3\n2,1\n2,2\n", options);
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].values, (Points{{3}, {1.5}}));
  EXPECT_EQ(m.kernels[1].values, (Points{{3}, {2}}));
  EXPECT_EQ(m.kernels[1].largest_of, "time");
  EXPECT_THAT(refused("p,rank,time\n1,0,3\n2,0,1\n2,1,2\n", options),
              HasSubstr("the table has ranks in a column"));
  EXPECT_THAT(refused("p,time,time_max\n1,3,4\n2,1,4\n", options), HasSubstr("there is such a metric"));
}

TEST(MeasurementsCsv, RanksNeedANumberAndANameOfTheirLargest) {
  EXPECT_THAT(refused("p,rank,time\n1,0,3\n2,,1\n"), HasSubstr("the row has no rank"));
  EXPECT_THAT(refused("p,rank,time,time_max\n1,0,3,3\n2,0,1,1\n"), HasSubstr("there is such a column"));
  EXPECT_THAT(read("rank,time\n1,3\n2,1\n", {.parameters = {"rank"}}).parameters, ElementsAre("rank"));
}

TEST(MeasurementsCsv, CellsAreNumbersMissingOrText) {
  EXPECT_EQ(value_of("+2.5e-3").number, 2.5e-3);
  for (const char* cell : {"nan", "NaN", "-nan", "inf", "-Inf", "NA", "n/a", "null", "-"})
    EXPECT_EQ(value_of(cell).kind, Cell::missing) << cell;
  for (const char* cell : {"1.5s", "1,5", "0x10", "+-1", "--", "x"})
    EXPECT_EQ(value_of(cell).kind, Cell::text) << cell;
  EXPECT_EQ(value_of("").kind, Cell::empty);
  for (const char* cell : {"1,5", "-0,25", "1,024", "1,024,000", "1,5e3", "12,345.5"})
    EXPECT_TRUE(has_decimal_comma(cell)) << cell;
  for (const char* cell : {"1.5", "a,b", ",5,", "1,", "1,2,3", "cce,9"})
    EXPECT_FALSE(has_decimal_comma(cell)) << cell;
}

TEST(MeasurementsCsv, AColumnWithOneNumberIsAConstant) {
  const Measurements m = read("p,steps,host,half,seconds\n1,200,a,7,4\n2,2e2,a,7,2\n4,200.0,a,,1\n");
  EXPECT_THAT(m.parameters, ElementsAre("p"));
  EXPECT_THAT(m.constants, ElementsAre(testing::Pair("steps", 200)));
}

TEST(MeasurementsCsv, NumbersThatAreNotComputedWithAreLeftOutWithTheirLine) {
  const Measurements m = read("p,time\n1,1\n2,1e-320\n4,3\n8,1e-200\n16,+1e160\n1e40,2\n");
  EXPECT_EQ(m.kernels[0].points, (Points{{1}, {4}}));
  EXPECT_EQ(m.kernels[0].values, (Points{{1}, {3}}));
  EXPECT_THAT(m.warnings,
              ElementsAre(HasSubstr(":3: time is smaller than 1e-30, which is left out (and 1 more time)"),
                          HasSubstr(":6: time is larger than 1e30, which is left out"),
                          HasSubstr(":7: p is larger than 1e30, and the row is left out")));
  EXPECT_EQ(value_of("1e-4000").fault, "smaller than 1e-30");
}

}  // namespace
}  // namespace parcast::interchange
