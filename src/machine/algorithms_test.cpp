// SPDX-License-Identifier: Apache-2.0
#include "machine/algorithms.h"

#include <gmock/gmock.h>

#include "machine/machine_file.h"
#include "machine/tools.h"

namespace parcast::machine {
namespace {

using recording::Pattern;
using testing::HasSubstr;

TEST(Algorithms, TextsReadBack) {
  for (const char* text : {"ring", "recursive_doubling, ring from 64KiB",
                           "linear, recursive_doubling from 100B, ring from 1MiB"}) {
    const auto choices = algorithms_from(Pattern::allreduce, text);
    ASSERT_TRUE(choices) << text << ": " << to_string(choices.error());
    EXPECT_EQ(algorithms_text(*choices), text);
  }
}

TEST(Algorithms, AreChosenByTheBytesThatTheyReach) {
  const auto choices =
      algorithms_from(Pattern::allreduce, "linear, recursive_doubling from 100B, ring from 1KiB");
  ASSERT_TRUE(choices);
  EXPECT_EQ(algorithm_at(*choices, 0, false), Algorithm::linear);
  EXPECT_EQ(algorithm_at(*choices, 99, false), Algorithm::linear);
  EXPECT_EQ(algorithm_at(*choices, 100, false), Algorithm::recursive_doubling);
  EXPECT_EQ(algorithm_at(*choices, 1023, false), Algorithm::recursive_doubling);
  EXPECT_EQ(algorithm_at(*choices, 1024, false), Algorithm::ring);
  EXPECT_EQ(algorithm_at(*choices, 0, true), Algorithm::ring);
}

TEST(Algorithms, TheUsualOnesChangeAt64KiB) {
  EXPECT_EQ(algorithms_text(usual_algorithms(Pattern::allreduce)), "recursive_doubling, ring from 64KiB");
  EXPECT_EQ(algorithms_text(usual_algorithms(Pattern::allgather)), "bruck, ring from 64KiB");
  EXPECT_EQ(algorithms_text(usual_algorithms(Pattern::alltoall)), "bruck, pairwise from 64KiB");
  EXPECT_EQ(algorithms_text(usual_algorithms(Pattern::barrier)), "dissemination");
  EXPECT_TRUE(usual_algorithms(Pattern::neighbourhood).empty());
  EXPECT_TRUE(algorithms_of(Pattern::none).empty());
}

TEST(Algorithms, WhatIsNotOneIsRefusedByName) {
  const auto error = [](const char* text) {
    const auto choices = algorithms_from(Pattern::allreduce, text);
    return choices ? "no error" : choices.error().what + "; " + choices.error().hint;
  };
  EXPECT_THAT(error("rings"), HasSubstr("\"rings\" is not an algorithm for allreduce; did you mean ring?"));
  EXPECT_THAT(error("pairwise"),
              HasSubstr("known are recursive_doubling, ring, rabenseifner, binomial, linear"));
  EXPECT_THAT(error("ring from 2us"), HasSubstr("a size in bytes is expected"));
  EXPECT_THAT(error("ring, linear"), HasSubstr("does not ascend from 0 bytes"));
  EXPECT_THAT(error("ring from 1KiB"), HasSubstr("does not ascend from 0 bytes"));
  EXPECT_THAT(error("ring, linear from 2KiB, ring from 1KiB"), HasSubstr("does not ascend"));
  EXPECT_THAT(error(""), HasSubstr("\"\" is not an algorithm"));
}

TEST(Algorithms, StandInTheMachineFileAndAreSetLikeAnyParameter) {
  const auto machine = machine_from_toml(
      "name = \"m\"\n[collectives]\nbarrier = \"linear\"\nallreduce = \"ring, linear from 4KiB\"\n",
      "m.machine.toml");
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(algorithms_text(machine->collectives.at(Pattern::allreduce)), "ring, linear from 4KiB");
  Machine again = *machine_from_toml(to_toml(*machine), "again");
  EXPECT_EQ(again.collectives, machine->collectives);
  EXPECT_EQ(to_toml(again), to_toml(*machine));
  ASSERT_TRUE(set_parameter(again, "collectives.barrier=binomial"));
  EXPECT_EQ(again.collectives.at(Pattern::barrier), (AlgorithmChoices{{0, Algorithm::binomial}}));
  EXPECT_EQ(set_parameter(again, "collectives.barier=linear").error().hint, "did you mean barrier?");
  EXPECT_FALSE(set_parameter(again, "collectives.barrier=ring"));
}

TEST(Algorithms, ErrorsOfTheFileShowThePlace) {
  const auto error = [](const std::string& line) {
    return to_string(
        machine_from_toml("name = \"m\"\n[collectives]\n" + line + "\n", "m.machine.toml").error());
  };
  EXPECT_THAT(error("barrier = \"tree\""),
              HasSubstr("m.machine.toml:3:11: error: \"tree\" is not an algorithm for barrier"));
  EXPECT_THAT(error("barier = \"linear\""),
              HasSubstr("m.machine.toml:3:1: error: \"barier\" is not known here"));
  EXPECT_THAT(error("barrier = 3"), HasSubstr("barrier is a number, but must be a text"));
}

}  // namespace
}  // namespace parcast::machine
