// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cli/verb.h"

namespace parcast::cli {
namespace {

Verb sample() {
  Verb verb{.name = "try", .summary = "", .inputs = "FILE..."};
  verb.fewest_inputs = 1;
  verb.most_inputs = 3;
  verb.flags = {{"--output", 'o', "FILE", ""}, {"--set", 's', "K=V", "", true}, {"--all", 'a', "", ""}};
  verb.examples = {"parcast try x"};
  return verb;
}

TEST(Arguments, AFlagTakesOneWordAndLeavesTheRest) {
  const auto parsed = parse_words(sample(), {"-o", "out", "a", "b", "-s", "n=1", "c", "-s", "m=2"});
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->value("--output"), "out");
  EXPECT_EQ(parsed->inputs, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(parsed->values("--set"), (std::vector<std::string>{"n=1", "m=2"}));
  EXPECT_FALSE(parsed->has("--all"));
}

TEST(Arguments, ValuesMayStandBehindAnEqualsSign) {
  const auto parsed = parse_words(sample(), {"--output=x=y", "a", "--all", "--json"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->value("--output"), "x=y");
  EXPECT_TRUE(parsed->has("--all"));
  EXPECT_TRUE(parsed->json());
}

TEST(Arguments, DefaultsHaveAValueAndAreNotGiven) {
  auto parsed = parse_words(sample(), {"a", "-s", "n=1"});
  ASSERT_TRUE(parsed);
  parsed->set_default("--output", "usual");
  parsed->set_default("--set", "m=2");
  EXPECT_EQ(parsed->value("--output"), "usual");
  EXPECT_FALSE(parsed->has("--output"));
  EXPECT_EQ(parsed->values("--set"), std::vector<std::string>{"n=1"});
}

TEST(Arguments, WhatIsWrongIsNamed) {
  EXPECT_EQ(parse_words(sample(), {"a", "--outputt", "x"}).error().hint, "did you mean --output?");
  EXPECT_EQ(parse_words(sample(), {"a", "-o", "x", "-o", "y"}).error().what, "--output was given 2 times");
  EXPECT_FALSE(parse_words(sample(), {}));
  EXPECT_FALSE(parse_words(sample(), {"a", "b", "c", "d"}));
  EXPECT_FALSE(parse_words(sample(), {"a", "-o"}));
}

TEST(Arguments, TheLaunchLineIsTakenAsItStands) {
  Verb verb = sample();
  verb.takes_launch_line = true;
  verb.fewest_inputs = 0;
  const auto parsed = parse_words(verb, {"-a", "--", "mpirun", "-n", "2", "--all", "--", "x"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->launch, (std::vector<std::string>{"mpirun", "-n", "2", "--all", "--", "x"}));
  EXPECT_FALSE(parse_words(verb, {"-a"}));
}

}  // namespace
}  // namespace parcast::cli
