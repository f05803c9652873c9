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

TEST(FoldedHelp, TheRestOfALongLineBeginsWhereItsTextBegins) {
  const std::string flag =
      "  -m, --machine X              machine: X.machine.toml, or one that parcast machine list names";
  const std::string margin(31, ' ');
  EXPECT_EQ(folded_help(flag + "\nshort\n", 60),
            "  -m, --machine X              machine: X.machine.toml, or\n" + margin +
                "one that parcast machine list\n" + margin + "names\nshort\n");
  EXPECT_EQ(
      folded_help("  fit         formulas for measured times alone, and predictions of larger runs", 60),
      "  fit         formulas for measured times alone, and\n              predictions of larger runs");
  EXPECT_EQ(folded_help("a sentence of the notes of a verb that is longer than one line", 30),
            "a sentence of the notes of a\n  verb that is longer than one\n  line");
  const std::string example = "  parcast predict app.model.json -m here -p 16 -s N=4096 --engine interpret";
  EXPECT_EQ(folded_help(example, 60), example);
  EXPECT_EQ(folded_help("  " + std::string(70, 'x'), 60), "  " + std::string(70, 'x'));
}

}  // namespace
}  // namespace parcast::cli
