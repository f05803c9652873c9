// SPDX-License-Identifier: Apache-2.0
#include "observations/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::Recording;
using Given = std::map<std::string, double>;

Recording run(const std::string& command, Given parameters = {}, std::int32_t processes = 1) {
  Recording out = testing::record("app", std::move(parameters), processes,
                                  [](testing::Tape& tape) { tape.compute(1e-3); });
  for (auto& rank : out.ranks) rank.command = split(command, ' ');
  return out;
}

struct Taken {
  std::vector<Given> parameters;
  std::vector<std::string> said;  // codes
  std::string text;
};

Taken take(std::vector<Recording> recordings) {
  Taken out;
  for (const Notice& notice : take_arguments(recordings))
    out.said.push_back(notice.code), out.text += notice.text + "\n";
  for (const Recording& each : recordings) out.parameters.push_back(each.parameters);
  return out;
}

TEST(Arguments, NumbersThatDifferAreNamedAfterTheirOption) {
  const Taken taken = take({run("./app -n 24 --steps=30 -k5 -var x 20 in.txt"),
                            run("./app --steps=60 -n 32 -k6 -var x 1e-3 in.txt")});
  EXPECT_EQ(taken.parameters[0], (Given{{"n", 24}, {"steps", 30}, {"k", 5}, {"x", 20}}));
  EXPECT_EQ(taken.parameters[1], (Given{{"n", 32}, {"steps", 60}, {"k", 6}, {"x", 0.001}}));
  EXPECT_EQ(taken.said, std::vector<std::string>{"argument"});
  EXPECT_EQ(taken.text,
            "numbers of the command line are parameters: n after -n, steps after --steps=, k after -k, x "
            "after -var x\n");
}

TEST(Arguments, WordsAloneAreCountedAndListsTakenApart) {
  const Taken taken = take({run("app 24 cannon 7 -g 8x8x4"), run("app 32 cannon 7 -g 8x16x4")});
  EXPECT_EQ(taken.parameters[0], (Given{{"arg1", 24}, {"g_2", 8}}));
  EXPECT_EQ(taken.parameters[1], (Given{{"arg1", 32}, {"g_2", 16}}));
}

TEST(Arguments, WhatParametersOrTheProcessCountSayIsNotTaken) {
  // The first word is N, the second 2 N, the third the process count.
  const Taken taken = take({run("app 24 48 1", {{"N", 24}}), run("app 32 64 2", {{"N", 32}}, 2)});
  EXPECT_EQ(taken.parameters[1], (Given{{"N", 32}}));
  EXPECT_TRUE(taken.said.empty());
  // Differences between runs with equal N are taken.
  const Taken more = take({run("app 24 10", {{"N", 24}}), run("app 24 20", {{"N", 24}})});
  EXPECT_EQ(more.parameters[1], (Given{{"N", 24}, {"arg2", 20}}));
}

TEST(Arguments, ANameThatStandsForSomethingElseIsNotUsedTwice) {
  const Taken taken = take({run("app -p 5 -n 1", {{"n", 9}}), run("app -p 6 -n 2", {{"n", 9}})});
  EXPECT_EQ(taken.parameters[0], (Given{{"n", 9}, {"p_arg", 5}, {"n_arg", 1}}));
}

TEST(Arguments, AnOptionGivenTwiceHasTwoNumbers) {
  const Taken taken = take({run("app -d 1 -d 2"), run("app -d 3 -d 4")});
  EXPECT_EQ(taken.parameters[1], (Given{{"d", 3}, {"d_2", 4}}));
}

TEST(Arguments, RunsOfOtherWordsAreGroupsByTheirPlaces) {
  std::vector<Recording> recordings{run("app -in small.txt"), run("app -in large.txt"),
                                    run("app -in small.txt --fast")};
  const std::vector<Notice> notices = take_arguments(recordings);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_THAT(
      notices[0].hint,
      ::testing::HasSubstr("a model of each group (small.txt: recordings 1, 3; large.txt: recording 2)"));
  EXPECT_THAT(notices[1].hint, ::testing::HasSubstr("(without: recordings 1, 2; with it: recording 3)"));
}

TEST(Arguments, DifferencesThatAreNoNumbersAreSaid) {
  const Taken taken = take({run("app -in small.txt --fast"), run("app -in large.txt -i 3")});
  EXPECT_TRUE(taken.parameters[0].empty());
  EXPECT_THAT(taken.said, ::testing::Each("unnamed-argument"));
  EXPECT_EQ(taken.text,
            "the command lines differ after -in (large.txt, small.txt)\nthe command lines differ by --fast "
            "(not in all)\nthe command lines differ after -i (3, nothing)\n");
  // The parameter n distinguishes these runs; so do an added number and the process count.
  EXPECT_TRUE(
      take({run("app -in small.txt", {{"n", 1}}), run("app -in large.txt", {{"n", 2}})}).said.empty());
  EXPECT_EQ(take({run("app -o out1.txt 1"), run("app -o out2.txt 2")}).said,
            std::vector<std::string>{"argument"});
  EXPECT_TRUE(take({run("app -g grid1.txt"), run("app -g grid2.txt", {}, 2)}).said.empty());
}

TEST(Arguments, NothingIsTakenWhereRunsAreAlikeOrACommandLineIsNotKnown) {
  EXPECT_TRUE(take({run("app -n 24"), run("app -n 24")}).parameters[0].empty());
  std::vector<Recording> recordings{run("app -n 24"), run("app -n 32")};
  recordings[1].ranks[0].command.clear();
  EXPECT_TRUE(take(recordings).parameters[0].empty());
  // A line of maximum length may end within a word.
  const std::string much(1022 - std::string("app  -n 24").size(), 'a');
  EXPECT_TRUE(take({run("app " + much + " -n 24"), run("app " + much + " -n 2")}).parameters[0].empty());
}

TEST(Arguments, OneCompiledProgramHasItsNumbersWithoutAnotherRun) {
  std::vector<Recording> recordings{run("app -n 24")};
  EXPECT_TRUE(take(recordings).parameters[0].empty());
  recordings[0].ranks[0].counted.modules.emplace_back();
  EXPECT_EQ(take(recordings).parameters[0], (Given{{"n", 24}}));
  recordings[0].parameters = {{"N", 7}};
  EXPECT_EQ(take(recordings).parameters[0], (Given{{"N", 7}}));
}

}  // namespace
}  // namespace parcast::program
