// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/description.h"

namespace parcast::study {
namespace {

using testing::HasSubstr;

Description app(const std::vector<std::string>& launch, const std::vector<Axis>& vary) {
  Description out;
  out.launch = launch;
  out.vary = vary;
  return out;
}

std::string error_of(const Description& description, const std::vector<Template>& templates = {},
                     int cores = 4) {
  const auto design = design_of(description, templates, cores);
  return design ? "" : design.error().where + ": " + design.error().what;
}

TEST(Design, CrossesAllValues) {
  const auto design =
      design_of(app({"mpirun", "-n", "{p}", "app", "{N}"}, {{"p", "1,2"}, {"N", "10,20"}}), {}, 4);
  ASSERT_TRUE(design) << to_string(design.error());
  EXPECT_EQ(design->names, (std::vector<std::string>{"p", "N"}));
  EXPECT_EQ(design->points,
            (std::vector<Values>{
                {{"p", 1}, {"N", 10}}, {{"p", 1}, {"N", 20}}, {{"p", 2}, {"N", 10}}, {{"p", 2}, {"N", 20}}}));
  EXPECT_EQ(design->ask,
            (Values{{"p", 4}, {"N", 20}}));  // nothing was asked: twice the processes of the largest
}

std::vector<double> usual_p(int cores, bool oversubscribe) {
  Description description = app({"mpirun", "-n", "{p}", "app"}, {});
  description.oversubscribe = oversubscribe;
  const auto design = design_of(description, {}, cores);
  std::vector<double> out;
  for (const Values& point : design->points) out.push_back(point.at("p"));
  return out;
}

TEST(Design, TakesOneTwoAndFourProcessesUpToTheCores) {
  EXPECT_EQ(usual_p(8, false), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(usual_p(2, false), (std::vector<double>{1, 2}));
  EXPECT_EQ(usual_p(1, false), (std::vector<double>{1}));
  EXPECT_EQ(usual_p(2, true), (std::vector<double>{1, 2, 4}));
}

TEST(Design, PlaceholdersAndValuesBelongTogether) {
  EXPECT_EQ(error_of(app({"app", "{p}", "{M}"}, {{"N", "1,2"}})), ": the placeholder {M} has no values");
  EXPECT_EQ(error_of(app({"app", "{p}"}, {{"N", "1,2"}})),
            "--vary: N varies, but {N} is neither in the launch line nor in a template");
  EXPECT_EQ(error_of(app({"app", "{N}"}, {{"N", "1,2"}, {"p", "1,2"}})),
            "--vary: p varies, but {p} is neither in the launch line nor in a template");
  EXPECT_EQ(error_of(app({"app"}, {})), ": nothing varies: the launch line has no placeholder");
  EXPECT_EQ(error_of(app({"app", "{p}", "{N}"}, {{"N", "1,2"}, {"N", "3"}})), "--vary: N varies twice");
}

TEST(Design, TemplatesHavePlaceholders) {
  Description description = app({"app", "{p}", "--in=in.txt"}, {{"N", "1,2"}});
  description.templates = {"in.txt"};
  EXPECT_EQ(error_of(description, {{"in.txt", "size {N}\n"}}), "");
  EXPECT_EQ(error_of(description, {{"in.txt", "size {N} {M}\n"}}), ": the placeholder {M} has no values");
  description.launch = {"app", "{p}", "main.txt", "in.txt.old"};
  EXPECT_EQ(error_of(description, {{"in.txt", "size {N}\n"}}),
            "--template: the launch line does not name the template in.txt");
  description.launch = {"app", "{p}", "in.txt", "other/in.txt"};
  description.templates = {"in.txt", "other/in.txt"};
  EXPECT_EQ(error_of(description, {{"in.txt", "{N}"}, {"other/in.txt", ""}}),
            "--template: two templates are named in.txt");
}

TEST(Design, HostileNamesAreRefused) {
  for (const char* name : {"a/b", "../x", "", "N\n", "-x", "r", "g2_0", "c1_0"}) {
    const std::string error = error_of(app({"app", "{p}"}, {{name, "1,2"}}));
    EXPECT_THAT(error,
                testing::AnyOf(HasSubstr("cannot be the name of what varies"), HasSubstr("may not be named")))
        << name;
  }
}

TEST(Design, ProcessesAreWholeAndHaveCores) {
  EXPECT_EQ(error_of(app({"app", "{p}"}, {{"p", "0.5"}})),
            "--vary: p is 0.5, but must be a whole number from 1");
  EXPECT_EQ(error_of(app({"app", "{p}"}, {{"p", "1,8"}})),
            "--vary: p = 8 is more processes than the 4 cores here");
  Description more = app({"app", "{p}"}, {{"p", "1,8"}});
  more.oversubscribe = true;
  EXPECT_EQ(error_of(more), "");
  more.oversubscribe = false, more.vary = {{"p", "1,2"}}, more.checks = {{{"p", 8}}};
  EXPECT_EQ(error_of(more), "--check: p = 8 is more processes than the 4 cores here");
}

/// Virtual processors take turns: any number of them has undisturbed times.
TEST(Design, VirtualProcessorsNeedNoCores) {
  const std::vector<std::string> launch{"app", "--collections", "cooperative:{p}"};
  EXPECT_TRUE(runs_in_turn(app(launch, {})));
  EXPECT_TRUE(replays(app(launch, {})));
  EXPECT_EQ(error_of(app(launch, {{"p", "1,1024"}})), "");
  EXPECT_FALSE(runs_in_turn(app({"app", "--collections", "threads:{p}"}, {})));
  EXPECT_FALSE(runs_in_turn(app({"app", "--collections", "cooperative:4", "{p}"}, {})));
}

TEST(Design, ExtrapsParametersAreOfReplaysAlone) {
  Description description = app({"app", "--collections", "cooperative:{p}"}, {{"p", "1,2"}});
  description.set = {{"MipsRatio", "2"}};
  EXPECT_EQ(error_of(description), "");
  description.engine = "equation";
  EXPECT_THAT(error_of(description), HasSubstr("MipsRatio is a parameter of ExtraP's model"));
  description = app({"app", "{p}"}, {{"p", "1,2"}});
  description.graph = {{"CommStartupTime", "1,2"}};
  EXPECT_THAT(error_of(description), HasSubstr("a study of processes does not predict"));
}

TEST(Design, QuestionsNameEveryValueAndNoOther) {
  Description description = app({"app", "{p}", "{N}"}, {{"N", "1,2"}});
  description.ask = {{"p", 1024}};
  EXPECT_EQ(error_of(description), "--ask: the value of N is missing");
  description.ask = {{"p", 1024}, {"N", 5}, {"M", 1}};
  EXPECT_EQ(error_of(description), "--ask: \"M\" does not vary");
  description.ask = {{"p", 1024}, {"N", 5}};
  EXPECT_EQ(error_of(description), "");
  description.checks = {{{"N", 5}}};
  EXPECT_EQ(error_of(description), "--check: the value of p is missing");
}

TEST(Design, GraphsHaveTwoAxes) {
  Description description = app({"app", "{p}"}, {});
  description.graph = {{"p", "1,2"}, {"L", "*1,*2"}, {"G", "*1,*2"}};
  EXPECT_EQ(error_of(description), "--graph: 3 parameters vary in the graph, which has room for two");
  description.graph = {{"p", "1,2"}, {"p", "3,4"}};
  EXPECT_EQ(error_of(description), "--graph: p varies twice in the graph");
}

TEST(Design, IsNoLongerThanOneWouldWaitFor) {
  EXPECT_EQ(error_of(app({"app", "{N}", "{M}"}, {{"N", "1..40"}, {"M", "1..40"}})),
            "--vary: the values give 1600 runs, and at most 1000 are made");
}

TEST(Design, LimitsAreChecked) {
  Description description = app({"app", "{p}"}, {});
  description.precision = 0;
  EXPECT_EQ(error_of(description), "--precision: the precision is not between 0 and 100 %");
  description.precision.reset(), description.budget = 0;
  EXPECT_EQ(error_of(description), "--budget: the budget is not more than 0");
}

TEST(Design, ReadsPoints) {
  EXPECT_EQ(*values_from("--ask", "p=64, N=1e6"), (Values{{"p", 64}, {"N", 1e6}}));
  for (const char* bad : {"", "p", "=3", "p=x", "p=1,", "p=1e300"})
    EXPECT_FALSE(values_from("--ask", bad)) << bad;
  EXPECT_EQ(values_from("--ask", "p=1,p=2").error().what, "p is given twice");
}

}  // namespace
}  // namespace parcast::study
