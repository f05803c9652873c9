// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs.h"

namespace parcast::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

fit::Kernel kernel(const std::string& callpath, const std::string& metric, const std::string& unit = "") {
  return {callpath, metric, unit, {{2, 100}, {4, 100}, {8, 200}}, {{30}, {15}, {9}}};
}

Invocation words(std::vector<std::string> flags) {
  auto invocation = parse_words(plan_verb(), [&] {
    flags.insert(flags.begin(), {"--next", "data.csv"});
    return flags;
  }());
  EXPECT_TRUE(invocation);
  return *std::move(invocation);
}

TEST(PlanRequest, TheWholeProgramsFirstTimeIsAskedAbout) {
  const fit::Measurements data{
      {"p", "n"}, {kernel("main", "time"), kernel("", "bytes"), kernel("", "seconds")}, {}};
  EXPECT_EQ(*kernel_asked(words({}), data), 2u);
  EXPECT_EQ(*kernel_asked(words({"--metric", "bytes"}), data), 1u);
  EXPECT_EQ(*kernel_asked(words({"--callpath", "mai*"}), data), 0u);
}

TEST(PlanRequest, WhatFitsSeveralIsAnErrorThatListsThem) {
  const fit::Measurements data{
      {"p", "n"}, {kernel("main->a", "time"), kernel("main->b", "time"), kernel("main->b", "calls")}, {}};
  EXPECT_THAT(kernel_asked(words({}), data).error().what, HasSubstr("2 call paths"));
  EXPECT_EQ(kernel_asked(words({"--callpath", "main"}), data).error().hint, "name one of main->a, main->b");
  EXPECT_EQ(kernel_asked(words({"--metric", "tim"}), data).error().hint, "did you mean time?");
  EXPECT_EQ(*kernel_asked(words({"--callpath", "main->b", "--metric", "calls"}), data), 2u);
}

TEST(PlanRequest, UnitsOfTimes) {
  EXPECT_THAT(seconds_per_unit(kernel("", "time", "ms")), Optional(1e-3));
  EXPECT_THAT(seconds_per_unit(kernel("", "comm_us")), Optional(1e-6));
  EXPECT_THAT(seconds_per_unit(kernel("", "seconds")), Optional(1.0));
  EXPECT_EQ(seconds_per_unit(kernel("", "time")), std::nullopt);
  EXPECT_EQ(seconds_per_unit(kernel("", "time_min")), std::nullopt);
  EXPECT_THAT(seconds_per_unit(kernel("", "time_min", "min")), Optional(60.0));
}

TEST(PlanRequest, ReadsPointListsBudgetAndCores) {
  const fit::Measurements data{{"p", "n"}, {kernel("", "time", "ms")}, {}};
  std::vector<std::string> notes;
  const auto request = plan_request(
      words({"--at", "p=64,n=400", "--allow", "p=1,2,4,...,16", "--budget", "2h", "--least", "10"}), data,
      notes);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->asked, ElementsAre(64, 400));
  EXPECT_THAT(*request->allowed[0], ElementsAre(1, 2, 4, 8, 16));
  EXPECT_FALSE(request->allowed[1]);
  EXPECT_THAT(request->budget, Optional(7200.0));
  EXPECT_THAT(request->cores, Optional(0u));
  EXPECT_EQ(request->unit, 1e-3);
  EXPECT_DOUBLE_EQ(request->least, 0.1);
  EXPECT_THAT(notes, ElementsAre());
}

TEST(PlanRequest, WhatIsAssumedIsTold) {
  fit::Measurements data{{"nodes", "n"}, {kernel("", "time")}, {}};
  std::vector<std::string> notes;
  ASSERT_TRUE(plan_request(words({"--at", "nodes=64,n=400"}), data, notes));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("seconds are assumed"), HasSubstr("costs its time alone")));
  notes.clear();
  const auto request = plan_request(words({"--at", "nodes=64,n=400", "--cores", "nodes"}), data, notes);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->cores, Optional(0u));
  EXPECT_EQ(notes.size(), 1u);
}

TEST(PlanRequest, WhatCannotBeMeantIsRefused) {
  const fit::Measurements data{{"p", "n"}, {kernel("", "time", "s")}, {}};
  std::vector<std::string> notes;
  const auto why = [&](std::vector<std::string> flags) {
    const auto request = plan_request(words(std::move(flags)), data, notes);
    return request ? "" : request.error().what;
  };
  EXPECT_EQ(why({}), "nothing is asked");
  EXPECT_EQ(why({"--at", "p=64"}), "n has no value");
  EXPECT_EQ(why({"--at", "p=64,128,n=1"}), "several points are asked about");
  EXPECT_EQ(why({"--at", "p=64,n=1", "--cores", "q"}), "\"q\" is no parameter of the data");
  EXPECT_EQ(why({"--at", "p=64,n=1", "--budget", "100"}), "--budget 100 needs a unit");
  EXPECT_EQ(why({"--at", "p=64,n=1", "--allow", "p=1,2", "--allow", "p=4"}), "p is given twice");
  EXPECT_EQ(why({"--at", "p=64,n=1", "--repetitions", "1.5"}),
            "--repetitions is no whole number of at most 1000");
}

TEST(PlanRequest, AConstantOfTheDataMayBeGivenAsItIs) {
  fit::Measurements data{{"p", "n"}, {kernel("", "time", "s")}, {}};
  data.constants["steps"] = 200;
  std::vector<std::string> notes;
  const auto request = plan_request(words({"--at", "p=64,n=1,steps=200"}), data, notes);
  ASSERT_TRUE(request) << to_string(request.error());
  const auto other = plan_request(words({"--at", "p=64,n=1,steps=300"}), data, notes);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "steps is 200 in every row, so its effect at 300 is unknown");
}

}  // namespace
}  // namespace parcast::cli
