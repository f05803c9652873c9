// SPDX-License-Identifier: Apache-2.0
#include "build_model/data_decided.h"

#include <gtest/gtest.h>

#include "model/binding.h"

namespace parcast::program {
namespace {

Count rounds(std::int64_t times, Origin origin) {
  Count count;
  count.expression = times;
  count.origin = origin;
  return count;
}

symbolic::Binding at(double nx, double ny) {
  return {{"nx", nx}, {"ny", ny}};
}

// 197 sweeps of a grid of 20 x 20 points until its values change by less than 1e-4, 531 at 40 x 40, 1205 at
// 80 x 80 (Gauss-Seidel for the Laplace equation, counted).
TEST(DataDecided, RoundsUntilConvergenceAtOtherSizesLieBetweenTheAlternatives) {
  const Count count =
      with_unvaried_sizes(rounds(197, Origin::constant), std::vector<Parameter>{{"nx", {20}}});
  for (const auto& [size, truth] : {std::pair{20, 197}, {40, 531}, {80, 1205}}) {
    const auto value = value_of(count, at(size, 1));
    ASSERT_TRUE(value);
    EXPECT_EQ(value->value, 197);
    EXPECT_LE(value->low, truth);
    EXPECT_GE(value->high, truth);
  }
  EXPECT_EQ(value_of(count, at(20, 1))->low, 197) << "as recorded";
  EXPECT_EQ(value_of(count, at(20, 1))->high, 197);
  EXPECT_EQ(value_of(count, at(40, 1))->high, 788);
}

// Two ranks of one run also fit 1425 x (rank >= 0) and 712 p + 1.
TEST(DataDecided, ANumberAmongSeveralFormulasIsOneOfTheRun) {
  Count count = rounds(1425, Origin::ambiguous);
  count.alternatives = {712 * processes_symbol() + 1};
  count = with_unvaried_sizes(count, std::vector<Parameter>{{"nx", {96}}});
  EXPECT_EQ(count.origin, Origin::constant);
  EXPECT_EQ(value_of(count, at(192, 1))->high, 4 * 1425);
  Count formula = rounds(1425, Origin::ambiguous);
  formula.expression = 15 * parameter_symbol("nx") - 15;
  EXPECT_EQ(with_unvaried_sizes(formula, std::vector<Parameter>{{"nx", {96}}}).origin, Origin::ambiguous);
}

TEST(DataDecided, TwoSizesCountTogether) {
  const Count count =
      with_unvaried_sizes(rounds(100, Origin::constant), std::vector<Parameter>{{"nx", {10}}, {"ny", {10}}});
  EXPECT_EQ(value_of(count, at(20, 10))->high, 400);
  EXPECT_EQ(value_of(count, at(20, 20))->high, 1600);
  EXPECT_EQ(value_of(count, at(20, 20))->low, 25);
}

TEST(DataDecided, VariedParametersAndFormulasAddNothing) {
  const std::vector<Parameter> one{{"nx", {20}}}, two{{"nx", {20, 40}}};
  EXPECT_TRUE(with_unvaried_sizes(rounds(197, Origin::constant), two).alternatives.empty());
  EXPECT_TRUE(with_unvaried_sizes(rounds(197, Origin::exact), one).alternatives.empty());
}

/// A loop of `origin` with a call, and computing in it with the given share.
Model with_loop(Origin origin, double share) {
  Model model;
  model.nodes = {{.id = 0, .kind = NodeKind::program, .children = {1}},
                 {.id = 1, .parent = 0, .kind = NodeKind::loop, .children = {2}},
                 {.id = 2, .parent = 1, .kind = NodeKind::call, .where = "gs.c:12"}};
  model.nodes[1].executions = rounds(192, origin);
  model.segments.emplace_back();
  model.segments[0].from = model.segments[0].to = 2;
  model.segments[0].owner = 1;
  model.segments[0].share = share;
  return model;
}

TEST(DataDecided, LoopsWithoutAFormulaAreNamedWithTheirLine) {
  const auto loops = data_decided_loops(with_loop(Origin::constant, 0.7));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].name, "the loop at gs.c:12");
  Model without_lines = with_loop(Origin::constant, 0.7);
  without_lines.nodes[2].where = "", without_lines.nodes[1].label = "loop",
  without_lines.nodes[2].label = "MPI_Recv";
  EXPECT_EQ(data_decided_loops(without_lines)[0].name, "the loop around MPI_Recv");
  EXPECT_EQ(loops[0].share, 0.7);
  EXPECT_TRUE(data_decided_loops(with_loop(Origin::exact, 0.7)).empty());
  EXPECT_TRUE(data_decided_loops(with_loop(Origin::fitted, 0.001)).empty());
}

}  // namespace
}  // namespace parcast::program
