// SPDX-License-Identifier: Apache-2.0
#include "source/counts/alternatives.h"

#include <gmock/gmock.h>

#include "model/binding.h"
#include "source/counts/source_count.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

// One run of n = 64 on 2 x 2 processes.
Inputs one_run() {
  Inputs inputs;
  inputs.order = {0};
  inputs.parameters = {"n"};
  inputs.runs = {{{64}, 4}};
  return inputs;
}

const Expression n = parameter_symbol("n"), p = processes_symbol();

// Two blocks of one function, of one and of three additions.
std::vector<facts::Module> two_blocks() {
  facts::Function function;
  function.blocks.resize(2);
  function.blocks[0].operations = {{"double_add", 1}};
  function.blocks[1].operations = {{"double_add", 3}};
  facts::Module module;
  module.functions = {function};
  return {module};
}

BlockCount block(int number, const Expression& count, std::vector<Expression> alternatives = {}) {
  return {{0, 0}, number, count, CountTier::recognised, !alternatives.empty(), 0, std::move(alternatives)};
}

double at(const Expression& expression, double size, double processes) {
  return symbolic::evaluate(expression, {{"n", size}, {"p", processes}}).value();
}

TEST(Alternatives, AreWhatAllWorkIsMultipliedWith) {
  // n^2 / 4 may be n^2 / p, which is a quarter on 16 processes. The n of the other block is certain.
  const Expression square = n * n;
  const std::vector<BlockCount> blocks{block(0, n),
                                       block(1, square / 4, {square / p, square / 4, square / 4})};
  const std::vector<Expression> alternatives = alternatives_of(two_blocks(), blocks, one_run());
  ASSERT_EQ(alternatives.size(), 1u) << "the other hypotheses say what is taken";
  EXPECT_NEAR(at(alternatives[0], 64, 4), 1, 1e-12);
  EXPECT_NEAR(at(alternatives[0], 64, 16), (64 + 3 * 4096 / 16.0) / (64 + 3 * 4096 / 4.0), 1e-12);
  EXPECT_EQ(deciding_run(alternatives, one_run()), "a recording at p = 1, n = 64 would decide");
}

TEST(Alternatives, ThatSayTheSameWhereverRunsAreLookedAtAreNone) {
  EXPECT_THAT(alternatives_of(two_blocks(), {block(0, n), block(1, n * n)}, one_run()), ::testing::IsEmpty());
  const Expression other = max(n * n, 3);
  EXPECT_THAT(alternatives_of(two_blocks(), {block(1, n * n, {other, other, other})}, one_run()),
              ::testing::IsEmpty());
  EXPECT_EQ(deciding_run({}, one_run()), "");
}

TEST(Alternatives, OfPartsAndSumsAreThoseOfTheirParts) {
  const SourceCount sides = with_alternatives({n / 2, CountTier::recognised}, {n / p});
  const SourceCount points = sides * sides + SourceCount{n};
  ASSERT_EQ(points.alternatives.size(), kHypotheses);
  EXPECT_EQ(at(points.value, 64, 8), 32 * 32 + 64);
  EXPECT_EQ(at(points.by(0), 64, 8), 8 * 8 + 64) << "both sides in one hypothesis";
  EXPECT_EQ(at(points.by(1), 64, 8), 32 * 32 + 64);
  EXPECT_EQ(at((SourceCount{n * n} / sides).by(0), 64, 8), 512);
  EXPECT_TRUE((SourceCount{n} * SourceCount{p}).alternatives.empty());
}

}  // namespace
}  // namespace parcast::program
