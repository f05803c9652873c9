// SPDX-License-Identifier: Apache-2.0
#include "predict/assumed_link.h"

#include <gtest/gtest.h>

#include "predict/equation/equation.h"
#include "predict/model_builder.h"
#include "predict/question.h"

namespace parcast::predict {
namespace {

using namespace by_hand;

/// 10 ms of computing, and 100 barriers of 2 x 5 us between two processes.
program::Model barriers() {
  Builder b;
  b.segment(0, program::kNone, program::kNone, 1, proportional(Expression(1), 10e-3));
  b.collective(0, "MPI_Barrier", recording::Pattern::barrier, program::Synchronisation::global, 100, 0);
  return b.model;
}

/// Nodes of one core; the link has that name.
machine::Machine with_link(const std::string& name) {
  machine::Machine out = simple_machine(5e-6, 0, 0);
  if (name != "network") out.links = {{name, out.links.at("network")}};
  return out;
}

Prediction answer(const machine::Machine& machine, std::int32_t p) {
  return equation_engine().predict(barriers(), machine, ask(p)).value();
}

TEST(AssumedLink, RaisesTheUpperEndByNineTimesTheMessages) {
  const Prediction known = answer(with_link("network"), 2), assumed = answer(with_link("core"), 2);
  const double messages = known.seconds.value - 10e-3;
  ASSERT_GT(messages, 1e-4);
  EXPECT_NEAR(assumed.seconds.value, known.seconds.value, 1e-9);
  EXPECT_LT(known.seconds.high, known.seconds.value + messages);
  EXPECT_NEAR(assumed.seconds.high, known.seconds.value + 9 * messages, 1e-9);
  EXPECT_EQ(assumed.seconds.low, known.seconds.low);
}

TEST(AssumedLink, LeavesOneProcessAsItIs) {
  EXPECT_EQ(answer(with_link("core"), 1).seconds.high, answer(with_link("network"), 1).seconds.high);
}

TEST(IgnoredParts, OfAMachineFileAreNamedOnce) {
  machine::Machine machine = with_link("network");
  EXPECT_TRUE(ignored_parts("equation", machine, ask(2)).empty());
  machine.network.emplace();
  const auto warnings = ignored_parts("equation", machine, ask(2));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, "part-ignored");
  EXPECT_TRUE(ignored_parts("simulate", machine, ask(2)).empty());
  EXPECT_TRUE(ignored_parts("equation", machine, ask(1)).empty());
}

}  // namespace
}  // namespace parcast::predict
