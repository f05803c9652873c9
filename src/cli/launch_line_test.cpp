// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_line.h"

#include <gtest/gtest.h>

namespace parcast::cli {
namespace {

using Words = std::vector<std::string>;

Verb sample() {
  Verb verb{.name = "try", .summary = ""};
  verb.takes_launch_line = true;
  verb.flags = {{"--output", 'o', "FILE", ""}, {"--param", 0, "K=V", "", true}, {"--stack", 0, "", ""}};
  verb.examples = {"parcast try x"};
  return verb;
}

Words launch_of(const Words& words) {
  const auto parsed = parse_words(sample(), words);
  return parsed ? parsed->launch : Words{"refused: " + parsed.error().what};
}

TEST(LaunchLine, BeginsWithTheFirstWordThatIsNoFlag) {
  const Words launch{"mpirun", "-n", "2", "./app", "--", "-q"};
  for (Words flags : {Words{},
                      {"--"},
                      {"-q"},
                      {"-o", "out"},
                      {"-oout"},
                      {"-qo", "out"},
                      {"--output=out"},
                      {"--param", "N=1", "--stack", "--param=M=2"},
                      {"-o", "--", "--"}}) {
    flags.insert(flags.end(), launch.begin(), launch.end());
    EXPECT_EQ(launch_of(flags), launch) << flags.front();
  }
  EXPECT_EQ(parse_words(sample(), {"-o", "out", "./app", "-o", "x"})->value("--output"), "out");
}

TEST(LaunchLine, AMistypedFlagIsNoLaunchLine) {
  const auto parsed = parse_words(sample(), {"--parm", "N=1", "mpirun", "./app"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().hint, "did you mean --param?");
  EXPECT_EQ(launch_of({"--stack"}), Words{"refused: parcast try needs a launch line"});
  EXPECT_EQ(launch_of({"--"}), Words{"refused: parcast try needs a launch line"});
}

std::optional<Error> warning(const Words& words) {
  return misplaced_flags(sample(), parse_words(sample(), words).value());
}

TEST(LaunchLine, FlagsBehindTheProgramAreNamedWithTheCommandThatWasMeant) {
  const auto found =
      warning({"--param", "N=1", "mpirun", "-n", "2", "./my app", "--param", "M=2", "--stack"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, "--param M=2 --stack follows mpirun and goes to the program, not to parcast try");
  EXPECT_EQ(found->hint,
            "flags of parcast try come first: parcast try --param N=1 --param M=2 --stack -- mpirun -n 2 "
            "'./my app'");
  EXPECT_EQ(warning({"./app", "--param=M=2"})->hint,
            "flags of parcast try come first: parcast try --param=M=2 -- ./app");
}

TEST(LaunchLine, FlagsThatAnyProgramMayHaveAreItsOwn) {
  EXPECT_FALSE(warning({"--param", "N=1", "--", "./app", "-o", "x", "--output", "y", "--quiet", "--json"}));
  EXPECT_FALSE(warning({"./app", "--param"}));
  EXPECT_FALSE(warning({"./app", "--stack=4"}));
}

}  // namespace
}  // namespace parcast::cli
