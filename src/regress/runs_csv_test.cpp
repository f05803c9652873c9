// SPDX-License-Identifier: Apache-2.0
#include "regress/runs_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace parcast::regress {
namespace {

Result<Runs> read(const std::string& text, const TableOptions& options = {}) {
  return runs_from_csv(text, "runs.csv", options);
}

bool says(const std::vector<std::string>& notes, const std::string& what) {
  return std::ranges::any_of(notes,
                             [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

TEST(RunsCsv, ColumnsThatNoNameTellsAreCounts) {
  const auto runs = read("program,p,seconds,operations,messages\nfft,4,1.5,2e9,300\nlu,8,2.5,3e9,400\n");
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->counts, (std::vector<std::string>{"operations", "messages"}));
  EXPECT_EQ(runs->parameters, (std::vector<std::string>{"p"}));
  ASSERT_EQ(runs->runs.size(), 2u);
  EXPECT_EQ(runs->runs[1].program, "lu");
  EXPECT_EQ(runs->runs[1].seconds, 2.5);
  EXPECT_EQ(runs->runs[1].counts, (std::vector<double>{3e9, 400}));
  EXPECT_EQ(runs->runs[1].parameters.at("p"), 8);
  EXPECT_EQ(runs->runs[1].place, "runs.csv:3");
  EXPECT_TRUE(says(runs->notes, "counts are operations, messages; parameters p"));
}

TEST(RunsCsv, WhereCountsAreNamedTheOthersAreParameters) {
  const auto runs =
      read("application,n,time_ms,operations,remark\nfft,64,1500,2e9,warm\n", {.counts = {"operations"}});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->counts, (std::vector<std::string>{"operations"}));
  EXPECT_EQ(runs->parameters, (std::vector<std::string>{"n"}));
  EXPECT_EQ(runs->runs[0].seconds, 1.5);
  EXPECT_TRUE(says(runs->notes, "passed over remark"));
}

// 2/3 n^3 / p at n = 30, p = 4 is 4500; 29 ceil(log2 4) = 58.
TEST(RunsCsv, FormulasGiveTheCounts) {
  const auto formulas = formulas_from_csv(
      "program,operations,messages\ngauss,2/3*n^3/p,(n-1)*ceil(log2(p))\n*,n,0\n", "counts.csv");
  ASSERT_TRUE(formulas);
  const auto runs = read("program,n,p,seconds\ngauss,30,4,1\nother,7,4,2\n", {.formulas = &*formulas});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->runs[0].counts, (std::vector<double>{4500, 58}));
  EXPECT_EQ(runs->runs[1].counts, (std::vector<double>{7, 0}));
}

TEST(RunsCsv, FormulasThatHaveNoValueAreRefusedWithBothPlaces) {
  const auto formulas = formulas_from_csv("program,operations\ngauss,n*m\n", "counts.csv");
  ASSERT_TRUE(formulas);
  const auto unknown = read("program,n,seconds\ngauss,30,1\n", {.formulas = &*formulas});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().where.find("counts.csv:2, operations"), std::string::npos)
      << unknown.error().where;
  const auto other = read("program,n,seconds\ngaus,30,1\n", {.formulas = &*formulas});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().where, "runs.csv:2");
  EXPECT_NE(other.error().hint.find("gauss"), std::string::npos);
}

struct Refused {
  std::string text, where, what;
};

class IsRefused : public testing::TestWithParam<Refused> {};

TEST_P(IsRefused, WithItsPlace) {
  const auto runs = read(GetParam().text);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().where, GetParam().where);
  EXPECT_NE(runs.error().what.find(GetParam().what), std::string::npos) << runs.error().what;
}

INSTANTIATE_TEST_SUITE_P(
    Tables, IsRefused,
    testing::Values(
        Refused{"program,sekonds,ops\na,1,2\n", "runs.csv:1", "no column seconds"},
        Refused{"program,seconds,ops\na,0,2\n", "runs.csv:2", "takes time"},
        Refused{"program,seconds,ops\na,1,2\nb,-3,2\n", "runs.csv:3", "takes time"},
        Refused{"program,seconds,ops\na,1,-2\n", "runs.csv:2", "less than never"},
        Refused{"program,seconds,ops\na,1,many\n", "runs.csv:2", "not a number"},
        Refused{"program,seconds,ops\na,1e300,1\n", "runs.csv:2", "seconds is 1e300, larger than 1e30"},
        Refused{"program,seconds,ops\na,1,1e-320\n", "runs.csv:2", "ops is 1e-320, smaller than 1e-30"},
        Refused{"program,seconds,ops\na,1,\n", "runs.csv:2", "ops is empty"},
        Refused{"program,seconds,ops\na,nan,1\n", "runs.csv:2", "not a number"},
        Refused{"program,seconds,ops\n,1,1\n", "runs.csv:2", "names no program"},
        Refused{"program,p,seconds,ops\na,0,1,1\n", "runs.csv:2", "p is 0"},
        Refused{"program,nodes,seconds,ops\na,1.5,1,1\n", "runs.csv:2", "nodes is 1.5"},
        Refused{"program,seconds\na,1\n", "runs.csv:1", "no column of counts"},
        Refused{"program,seconds,ops\n", "runs.csv", "no rows"},
        Refused{"program,seconds,ops,ops\na,1,2,3\n", "runs.csv:1", "named twice"},
        Refused{"program,seconds,time_ms,ops\na,1,1000,2\n", "runs.csv:1",
                "seconds and time_ms are both the time"}),
    [](const auto& instance) { return "Case" + std::to_string(instance.index); });

TEST(RunsCsv, ARowThatRepeatsAnotherCountsOnceUnlessItIsNumbered) {
  const auto once = read("program,seconds,ops\na,1,2\nb,1,2\na,1,2\n");
  ASSERT_TRUE(once);
  EXPECT_EQ(once->runs.size(), 2u);
  EXPECT_TRUE(says(once->notes, "runs.csv:4 repeats runs.csv:2"));
  const auto twice = read("program,seconds,ops,repetition\na,1,2,1\na,1,2,2\n");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->runs.size(), 2u);
}

TEST(RunsCsv, ChiReadsBackAsTheSameRuns) {
  const auto runs = read("program,p,seconds,operations,\"a,b\"\nfft,4,1.5,2e9,300\nlu,8,0.1,3e9,400\n");
  ASSERT_TRUE(runs);
  const auto again = read(chi_to_csv(*runs, {1.4, 0.2}));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->counts, runs->counts);
  EXPECT_EQ(again->parameters, runs->parameters);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(again->runs[i].program, runs->runs[i].program);
    EXPECT_EQ(again->runs[i].seconds, runs->runs[i].seconds);
    EXPECT_EQ(again->runs[i].counts, runs->runs[i].counts);
    EXPECT_EQ(again->runs[i].parameters, runs->runs[i].parameters);
  }
}

TEST(RunsCsv, ChiKeepsRepetitionsAndWhatSomeRunsLack) {
  const auto numbered = read("program,repetition,seconds,ops\na,1,1,2\na,2,1,2\n"),
             with_p = read("program,p,seconds,ops\nb,4,1,3\n");
  ASSERT_TRUE(numbered && with_p);
  const auto both = joined({*numbered, *with_p});
  ASSERT_TRUE(both);
  const auto again = read(chi_to_csv(*both, {}));
  ASSERT_TRUE(again) << again.error().what;
  ASSERT_EQ(again->runs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(again->runs[i].repetition, both->runs[i].repetition);
    EXPECT_EQ(again->runs[i].parameters, both->runs[i].parameters);
  }
  EXPECT_TRUE(says(again->notes, "runs.csv:2 and 1 more have no p"));
}

TEST(RunsCsv, RowsThatAreAskedAboutAreAllKept) {
  const auto known = read("program,seconds,ops\na,1,2\n"),
             asked = read("program,ops\na,5\na,5\n", {.counts = {"ops"}, .asked = true});
  ASSERT_TRUE(known && asked);
  auto empty = *known;
  empty.runs.clear();
  EXPECT_EQ(joined({empty, *asked}, Repeated::kept)->runs.size(), 2u);
}

TEST(RunsCsv, TablesAreJoinedByTheNamesOfTheirCounts) {
  auto a = read("program,seconds,x,y\na,1,2,3\n"), b = read("program,seconds,y,x\nb,1,5,4\n"),
       c = read("program,seconds,x\nc,1,2\n");
  ASSERT_TRUE(a && b && c);
  const auto both = joined({*a, *b});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->runs[1].counts, (std::vector<double>{4, 5}));
  EXPECT_FALSE(joined({*a, *c}));
  EXPECT_FALSE(joined({*c, *a}));
}

TEST(RunsCsv, ARowThatStandsInTwoTablesCountsOnce) {
  const auto a = read("program,seconds,x,y\na,1,2,3\na,2,2,3\n"),
             b = read("program,seconds,y,x\na,1,3,2\na,1,2,3\n");
  ASSERT_TRUE(a && b);
  const auto both = joined({*a, *b});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->runs.size(), 3u);
  EXPECT_TRUE(says(both->notes, "repeats runs.csv:2 in everything, and counts once"));
  const auto first = read("program,repetition,seconds,x\na,1,1,2\n"),
             second = read("program,repetition,seconds,x\na,2,1,2\n");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(joined({*first, *second})->runs.size(), 2u) << "numbered apart";
}

TEST(RunsCsv, ARunInWordsHasEveryCount) {
  const auto runs = read("program,p,seconds,x,y\na,4,1,2,3\n");
  ASSERT_TRUE(runs);
  const auto run = run_from_words("program=b,p=8,y=7,x=1e3", *runs, nullptr);
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->counts, (std::vector<double>{1000, 7}));
  EXPECT_TRUE(std::isnan(run->seconds));
  EXPECT_FALSE(run_from_words("program=b,x=1", *runs, nullptr));
  EXPECT_FALSE(run_from_words("program=b,x=1,z=3,y=2", *runs, nullptr));
  EXPECT_FALSE(run_from_words("x", *runs, nullptr));
}

TEST(RunsCsv, ArraysHaveAFootprintAndTraffic) {
  const auto runs = read(
      "program,seconds,footprint_a,traffic_b,operations,traffic_a,footprint_b\nx,1,100,40,7,1000,4\ny,2,200,"
      "50,8,2000,5\n");
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->counts, (std::vector<std::string>{"operations"}));
  EXPECT_EQ(runs->arrays, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(runs->runs[1].arrays[0].footprint, 200);
  EXPECT_EQ(runs->runs[1].arrays[0].traffic, 2000);
  EXPECT_EQ(runs->runs[0].arrays[1].footprint, 4);
  EXPECT_EQ(runs->runs[0].arrays[1].traffic, 40);
  EXPECT_TRUE(says(runs->notes, "arrays a, b"));
  const auto named = read("program,seconds,footprint_a\nx,1,100\n", {.counts = {"footprint_a"}});
  ASSERT_TRUE(named) << named.error().what;
  EXPECT_EQ(named->counts, (std::vector<std::string>{"footprint_a"}));
  EXPECT_TRUE(named->arrays.empty());
}

// A matrix of doubles in stripes over 4 processes, read in each of 30 steps: 8 * 900 / 4 bytes and 30 times
// that.
TEST(RunsCsv, ArraysFollowFromFormulas) {
  const auto formulas = formulas_from_csv(
      "program,operations,footprint_A,traffic_A\nlu,n,8*n^2/p,n*8*n^2/p\nfft,n,,\n", "counts.csv");
  ASSERT_TRUE(formulas) << formulas.error().what;
  EXPECT_EQ(formulas->counts, (std::vector<std::string>{"operations"}));
  const auto runs = read("program,n,p,seconds\nlu,30,4,1\nfft,30,4,2\n", {.formulas = &*formulas});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->runs[0].arrays[0].footprint, 1800);
  EXPECT_EQ(runs->runs[0].arrays[0].traffic, 54000);
  EXPECT_EQ(runs->runs[1].arrays[0].footprint, 0);
  const auto asked = run_from_words("program=lu,n=10,p=2", *runs, &*formulas);
  ASSERT_TRUE(asked) << asked.error().what;
  EXPECT_EQ(asked->arrays[0].footprint, 400);
}

TEST(RunsCsv, ArraysOfSeveralTablesAreMatchedByName) {
  auto one = read("program,seconds,footprint_a,traffic_a,footprint_b,traffic_b\nx,1,1,2,3,4\n"),
       other = read("program,seconds,footprint_b,traffic_b,footprint_a,traffic_a\nx,1,5,6,7,8\n");
  const auto less = read("program,seconds,footprint_b,traffic_b\nx,1,5,6\n");
  ASSERT_TRUE(one && other && less);
  EXPECT_FALSE(joined({*one, *less}));
  const auto both = joined({*one, *other});
  ASSERT_TRUE(both) << both.error().what;
  EXPECT_EQ(both->runs[1].arrays[0].footprint, 7);
  EXPECT_EQ(both->runs[1].arrays[1].traffic, 6);
  const auto asked = run_from_words("footprint_a=9,traffic_a=10,footprint_b=11,traffic_b=12", *both, nullptr);
  ASSERT_TRUE(asked) << asked.error().what;
  EXPECT_EQ(asked->arrays[1].footprint, 11);
  EXPECT_FALSE(run_from_words("footprint_a=9,traffic_a=10,footprint_b=11", *both, nullptr));
}

TEST(RunsCsv, ArraysThatCannotBeAreRefusedWithTheirPlace) {
  for (const auto& [text, where, what] :
       {std::tuple("program,seconds,footprint_a\nx,1,5\n", "runs.csv:1", "none traffic_a"),
        {"program,seconds,footprint_a,traffic_a\nx,1,-5,0\n", "runs.csv:2", "footprint_a is -5"},
        {"program,seconds,footprint_a,traffic_a\nx,1,0,8\n", "runs.csv:2", "a process holds none of it"}}) {
    const auto runs = read(text);
    ASSERT_FALSE(runs) << text;
    EXPECT_EQ(runs.error().where, where);
    EXPECT_NE(runs.error().what.find(what), std::string::npos) << runs.error().what;
  }
}

}  // namespace
}  // namespace parcast::regress
