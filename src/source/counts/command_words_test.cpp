// SPDX-License-Identifier: Apache-2.0
#include "source/counts/command_words.h"

#include <gmock/gmock.h>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;
using ::testing::Eq;
using ::testing::Optional;

CommandWords words(const std::vector<std::vector<std::string>>& commands, const std::vector<double>& sizes) {
  std::vector<recording::Recording> recordings;
  Inputs inputs;
  inputs.parameters = {"n"};
  for (std::size_t k = 0; k < commands.size(); ++k) {
    recordings.emplace_back().ranks.emplace_back().command = commands[k];
    inputs.runs.emplace_back().parameters = {sizes[k]};
    inputs.order.push_back(k);
  }
  return CommandWords(recordings, inputs);
}

TEST(CommandWords, AreParametersThatEachRunWasGivenThereOrConstants) {
  const CommandWords given = words({{"./a", "40", "7", "-v", "5"}, {"./a", "97", "7", "-v", "6"}}, {40, 97});
  EXPECT_THAT(given.number(1, 0), Optional(Eq(parameter_symbol("n"))));
  EXPECT_THAT(given.number(2, 0), Optional(Eq(Expression(7))));
  EXPECT_EQ(given.number(3, 0), std::nullopt) << "no number";
  EXPECT_EQ(given.number(4, 0), std::nullopt) << "neither a parameter nor the same";
  EXPECT_THAT(given.count(), Optional(Eq(Expression(5))));
}

TEST(CommandWords, MayHoldSeveralNumbers) {
  const CommandWords given = words({{"./a", "40x3", "1e3"}, {"./a", "97x3", "1e3"}}, {40, 97});
  EXPECT_EQ(given.number(1, 0), std::nullopt);
  EXPECT_THAT(given.number(1, 1), Optional(Eq(parameter_symbol("n"))));
  EXPECT_THAT(given.number(1, 2), Optional(Eq(Expression(3))));
  EXPECT_EQ(given.number(1, 3), std::nullopt);
  EXPECT_THAT(given.number(2, 0), Optional(Eq(Expression(1000))));
  EXPECT_EQ(words({{"./a", "40x"}, {"./a", "97x"}}, {40, 97}).number(1, 1), std::nullopt);
}

TEST(CommandWords, AreThereInAllRuns) {
  const CommandWords given = words({{"./a", "40", "2"}, {"./a", "97"}}, {40, 97});
  EXPECT_THAT(given.number(1, 0), Optional(Eq(parameter_symbol("n"))));
  EXPECT_EQ(given.number(2, 0), std::nullopt);
  EXPECT_EQ(given.count(), std::nullopt);
}

}  // namespace
}  // namespace parcast::program
