// SPDX-License-Identifier: Apache-2.0
#include "machine/curves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace parcast::machine {
namespace {

Parameter measured(double value) {
  return {value, 0, 10, Origin::measured};
}

/// A table of two pieces that grow with the rounds; messages of 2 us and 1 ns/B whose curve is corrected by 5
/// us.
Machine with_allreduce() {
  Machine machine;
  machine.name = "X";
  machine.cores_per_node = 64;
  Link& link = machine.links["core"];
  link.latency = measured(2e-6), link.gap_per_byte = measured(1e-9);
  link.corrections.push_back({0, measured(5e-6), measured(0)});
  PatternCost table;
  table.name = "allreduce", table.pattern = recording::Pattern::allreduce;
  table.pieces.push_back({0, "ceil_log2", measured(1e-6), measured(2e-6), measured(3e-9), measured(4e-9), 0});
  table.pieces.push_back({1000, "ceil_log2", measured(0), measured(5e-6), {}, measured(1e-9), 0});
  table.single_startup = measured(1e-7);
  for (const std::int32_t p : {1, 2, 4})
    for (const double bytes : {0.0, 100.0, 4000.0}) table.points.push_back({p, bytes, 1e-6, 0, 5});
  machine.patterns.push_back(table);
  return machine;
}

TEST(PatternCurve, FollowsTheFormulaPieceByPiece) {
  const Machine machine = with_allreduce();
  const PatternCurve curve(machine, machine.patterns[0]);
  EXPECT_DOUBLE_EQ(curve.fitted(4, 100), 1e-6 + 2 * 2e-6 + 100 * (3e-9 + 2 * 4e-9));
  EXPECT_DOUBLE_EQ(curve.fitted(5, 999), 1e-6 + 3 * 2e-6 + 999 * (3e-9 + 3 * 4e-9));
  EXPECT_DOUBLE_EQ(curve.fitted(4, 1000), 2 * 5e-6 + 1000 * 2 * 1e-9);
  EXPECT_DOUBLE_EQ(curve.fitted(1, 1000), 1e-7);
}

TEST(PatternCurve, MessagesAloneGoByTheUsualAlgorithmWithoutCorrections) {
  const Machine machine = with_allreduce();
  const PatternCurve curve(machine, machine.patterns[0]);
  // Recursive doubling of 100 bytes on 4 processes takes two rounds; Rabenseifner's four messages cost more.
  EXPECT_NEAR(*curve.from_messages(4, 100), 2 * (2e-6 + 100e-9), 1e-15);
  // At 1 MB it is Rabenseifner's: 2 r messages and 2 m (p - 1) / p bytes.
  EXPECT_NEAR(*curve.from_messages(4, 1e6), 4 * 2e-6 + 2 * 1e6 * 0.75 * 1e-9, 1e-12);
}

TEST(PatternCurve, TellsHowFarBeyondTheMeasurementsItIsAsked) {
  const Machine machine = with_allreduce();
  const PatternCurve curve(machine, machine.patterns[0]);
  EXPECT_EQ(curve.measured().processes, (std::vector<std::int32_t>{2, 4}));
  EXPECT_EQ(curve.measured().largest_bytes, 4000);
  EXPECT_EQ(curve.beyond_processes(3), 1);
  EXPECT_EQ(curve.beyond_processes(64), 16);
  EXPECT_EQ(curve.beyond_bytes(4000), 1);
  EXPECT_EQ(curve.beyond_bytes(40000), 10);
}

TEST(PatternCurve, AMessageIsComparedWithItsLinkAndAnUnknownPatternWithNothing) {
  Machine machine = with_allreduce();
  machine.patterns.resize(1);
  machine.patterns.push_back({recording::Pattern::none, "message-core", {{2, 8, 3e-6, 0, 1}}, {}, {}, {}});
  machine.patterns.push_back({recording::Pattern::none, "halo2d", {{4, 8, 3e-6, 0, 1}}, {}, {}, {}});
  EXPECT_NEAR(*PatternCurve(machine, machine.patterns[1]).from_messages(2, 1000), 2e-6 + 1e-6, 1e-15);
  EXPECT_FALSE(PatternCurve(machine, machine.patterns[2]).from_messages(4, 1000));
  Machine without = machine;
  without.links.clear();
  EXPECT_FALSE(PatternCurve(without, without.patterns[0]).from_messages(4, 100));
}

TEST(FormulaOf, ReadsAsPeopleWriteIt) {
  const Machine machine = with_allreduce();
  EXPECT_EQ(formula_of(machine.patterns[0].pieces[0]),
            "1.00 us + 2.00 us ceil(log2 p) + m (3.00 ns/B + 4.00 ns/B ceil(log2 p))");
  EXPECT_EQ(formula_of(machine.patterns[0].pieces[1]), "5.00 us ceil(log2 p) + m (1.00 ns/B ceil(log2 p))");
  EXPECT_EQ(formula_of({0, "1", {}, {}, measured(2e-9), {}, 0}), "m 2.00 ns/B");
}

}  // namespace
}  // namespace parcast::machine
