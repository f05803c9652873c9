// SPDX-License-Identifier: Apache-2.0
#include "machine/pattern_cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "machine/cost.h"

namespace parcast::machine {
namespace {

using symbolic::Expression;
using symbolic::SymbolKind;

/// 10 us + 1 ns m on any p > 1, with corrections at 2 and 8 processes.
PatternCost bent() {
  PatternCost out;
  out.name = "allreduce", out.pattern = recording::Pattern::allreduce;
  PatternCost::Piece piece;
  piece.growth = "1";
  piece.startup = {10e-6, 0, 1, Origin::measured}, piece.per_byte = {1e-9, 0, 1, Origin::measured};
  out.pieces = {piece};
  out.corrections = {{2, 100, 1e-6}, {2, 300, 5e-6}, {2, 500, -3e-6}, {8, 100, 9e-6}};
  return out;
}

TEST(PatternCost, CorrectionIsStraightInSizeAndInTheLogarithmOfTheCount) {
  const PatternCost table = bent();
  EXPECT_NEAR(correction_at(table, 2, 100), 1e-6, 1e-18);
  EXPECT_NEAR(correction_at(table, 2, 150), 2e-6, 1e-18);
  EXPECT_NEAR(correction_at(table, 2, 400), 1e-6, 1e-18);
  // log2 4 is half way between log2 2 and log2 8.
  EXPECT_NEAR(correction_at(table, 4, 300), (5e-6 + 9e-6) / 2, 1e-18);
  EXPECT_NEAR(correction_at(table, 4, 150), (2e-6 + 9e-6) / 2, 1e-18);
}

TEST(PatternCost, CorrectionIsConstantBeyondItsKnots) {
  const PatternCost table = bent();
  EXPECT_EQ(correction_at(table, 2, 0), 1e-6);
  EXPECT_EQ(correction_at(table, 2, 1e9), -3e-6);
  EXPECT_EQ(correction_at(table, 1024, 1e9), 9e-6);
  EXPECT_EQ(correction_at(PatternCost{}, 8, 0), 0);
}

TEST(PatternCost, SecondsArePiecesAndCorrection) {
  PatternCost table = bent();
  EXPECT_NEAR(piece_seconds(table, 4, 1000), 11e-6, 1e-18);
  EXPECT_NEAR(pattern_seconds(table, 4, 300), 10.3e-6 + 7e-6, 1e-18);
  // At most 0.9 of the pieces' formula is subtracted.
  table.corrections = {{2, 0, -1}};
  EXPECT_NEAR(pattern_seconds(table, 2, 1000), 1.1e-6, 1e-18);
}

TEST(PatternCost, ExpressionHasTheValueOfTheCorrectionEverywhere) {
  PatternCost table = bent();
  table.corrections.push_back({8, 1023, 0.5e-6}), table.corrections.push_back({8, 4095, 0.75e-6}),
      table.corrections.push_back({48, 0, -1.25e-6});
  const Expression m = symbolic::symbol("m", SymbolKind::parameter),
                   p = symbolic::symbol("p", SymbolKind::processes);
  const Expression correction = correction_expression(table, m, p);
  for (const double processes : {2.0, 3.0, 5.0, 8.0, 9.0, 31.0, 48.0, 500.0})
    for (const double bytes : {0.0, 50.0, 100.0, 120.0, 300.0, 499.0, 700.0, 2048.0, 1e7})
      EXPECT_NEAR(symbolic::evaluate(correction, {{"m", bytes}, {"p", processes}}).value(),
                  correction_at(table, processes, bytes), 1e-17)
          << processes << " " << bytes;
}

TEST(PatternCost, CollectivesCostWhatTheTableSays) {
  Machine machine;
  machine.name = "test", machine.nodes = 8;
  machine.patterns = {bent()};
  const symbolic::Binding costs = cost_binding(machine);
  const auto seconds = [&](const Expression& executions, std::int64_t bytes, int processes) {
    const auto cost =
        collective(machine, recording::Pattern::allreduce, executions, Expression(bytes), processes);
    return symbolic::evaluate(cost.startup + cost.transfer, costs).value();
  };
  EXPECT_NEAR(seconds(1, 150, 4), pattern_seconds(machine.patterns[0], 4, 150), 1e-18);
  EXPECT_NEAR(seconds(10, 1500, 4), 10 * pattern_seconds(machine.patterns[0], 4, 150), 1e-17);
  EXPECT_EQ(seconds(0, 0, 4), 0);  // zero executions cost nothing
}

TEST(PatternCost, RefusesCorrectionsThatAreOutOfOrderOrNoNumbers) {
  const auto message = [](std::vector<PatternCost::Correction> corrections) {
    Machine machine;
    machine.name = "test", machine.nodes = 8;
    machine.links["network"] = {};
    machine.patterns = {bent()};
    machine.patterns[0].corrections = std::move(corrections);
    const auto checked = check(machine);
    return checked ? std::string() : checked.error().what;
  };
  EXPECT_EQ(message({{2, 8, 1}, {2, 16, -1}, {4, 8, 1}}), "");
  EXPECT_EQ(message({{2, 16, 1}, {2, 8, 1}}),
            "row 2 of the corrections of allreduce is not above the one before it");
  EXPECT_EQ(message({{2, 16, NAN}}), "row 1 of the corrections of allreduce has seconds that are no number");
  EXPECT_EQ(message({{2, -1, 1}}),
            "row 1 of the corrections of allreduce has a size that is not 0 bytes or more");
  EXPECT_EQ(message({{1, 16, 1}}), "row 1 of the corrections of allreduce has 1 processes");
}

}  // namespace
}  // namespace parcast::machine
