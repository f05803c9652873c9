// SPDX-License-Identifier: Apache-2.0
#include "model/resolved.h"

#include <gtest/gtest.h>

namespace parcast::program {
namespace {

using symbolic::Expression;

/// Returns a model recorded at p in {1, 2}, N in {10, 20, 30} and steps = 40, with one call whose executions
/// are `count`.
Model recorded(Count count) {
  Model model;
  model.parameters = {{"N", {10, 20, 30}}, {"steps", {40}}};
  model.processes = {1, 2};
  for (const int p : {1, 2})
    for (const double n : {10, 20, 30}) {
      Source source;
      source.parameters = {{"N", n}, {"steps", 40}};
      source.processes = p;
      model.sources.push_back(source);
    }
  model.nodes.resize(1);
  model.nodes[0].executions = std::move(count);
  return model;
}

Count ambiguous(Expression one, Expression other, std::vector<std::string> open,
                std::vector<std::vector<double>> settling) {
  Count count;
  count.expression = std::move(one);
  count.alternatives = {std::move(other)};
  count.origin = Origin::ambiguous;
  count.open = std::move(open);
  count.settling = std::move(settling);
  return count;
}

Origin origin_at(const Model& model, double n, double steps, std::int32_t p) {
  return resolved(model, {{{"N", n}, {"steps", steps}}, p}).nodes[0].executions.origin;
}

const Expression kN = parameter_symbol("N"), kSteps = parameter_symbol("steps"), kP = processes_symbol();

TEST(Resolved, AValueThatNeverVariedIsNoDoubtWhileItStays) {
  const Model model = recorded(ambiguous(2 * kSteps * kN, 80 * kN, {"steps"}, {{40}}));
  EXPECT_EQ(origin_at(model, 1600, 40, 16), Origin::exact);
  EXPECT_EQ(origin_at(model, 1000, 41, 16), Origin::ambiguous);
  EXPECT_EQ(resolved_as_recorded(model).nodes[0].executions.origin, Origin::exact);
}

TEST(Resolved, AtARecordedProcessCountItsFormulasMayBeOne) {
  // p, 1 + log2 p and p^2 - 2 p + 2 are 1 and 2 at p = 1 and 2.
  const Model model = recorded(ambiguous(kP, kP * kP - 2 * kP + 2, {"p"}, {{1}, {2}}));
  EXPECT_EQ(origin_at(model, 1000, 40, 2), Origin::exact);
  EXPECT_EQ(origin_at(model, 1000, 40, 3), Origin::ambiguous);
  EXPECT_EQ(resolved_as_recorded(model).nodes[0].executions.origin, Origin::ambiguous);
}

TEST(Resolved, CandidatesThatDifferThereStayAmbiguous) {
  // A part rounded down or rounded up: at p = 2 they differ for every odd N.
  const Model model = recorded(ambiguous(floor(kN / kP), floor((kN + kP - 1) / kP), {"p"}, {{1}, {2}}));
  EXPECT_EQ(origin_at(model, 1000, 40, 2), Origin::ambiguous);
  EXPECT_EQ(origin_at(model, 1000, 40, 1), Origin::exact);
}

TEST(Resolved, OnlyWithValuesThatOtherRecordingsBearOut) {
  const Model model = recorded(ambiguous(kN, kN, {"N", "p"}, {{20, 2}, {10, 1}}));
  EXPECT_EQ(origin_at(model, 20, 40, 2), Origin::exact);
  EXPECT_EQ(origin_at(model, 10, 40, 2), Origin::ambiguous);
  EXPECT_EQ(origin_at(model, 25, 40, 1), Origin::ambiguous);
}

TEST(Resolved, WhatIsExactIsSoForTheKindOfValuesThatWereSeen) {
  Count count;
  count.expression = kN - 5;
  count.origin = Origin::exact;
  const Model model = recorded(count);
  EXPECT_EQ(origin_at(model, 20, 40, 1), Origin::exact);
  EXPECT_EQ(origin_at(model, 20.5, 40, 1), Origin::ambiguous);
  EXPECT_EQ(origin_at(model, -20, 40, 1), Origin::ambiguous);
  // Negative below 5, but a count cannot be negative.
  const Model small = resolved(model, {{{"N", 3}, {"steps", 40}}, 1});
  EXPECT_EQ(small.nodes[0].executions.origin, Origin::ambiguous);
  EXPECT_EQ(symbolic::evaluate(small.nodes[0].executions.expression,
                               *bind(small, {{{"N", 3}, {"steps", 40}}, 1}, 0))
                .value(),
            0);
}

TEST(Resolved, WithoutAlternativesItIsExactOnTheLatticeOnly) {
  Count count;
  count.expression = 8 * kN;
  count.origin = Origin::ambiguous;
  const Model model = recorded(count);  // N is a multiple of 10, p divides N
  EXPECT_EQ(origin_at(model, 1000, 40, 2), Origin::exact);
  EXPECT_EQ(origin_at(model, 1000, 40, 16), Origin::ambiguous);
  EXPECT_EQ(origin_at(model, 1001, 40, 1), Origin::ambiguous);
  EXPECT_EQ(resolved_as_recorded(model).nodes[0].executions.origin, Origin::exact);
}

TEST(Resolved, FittedCountsStayFitted) {
  Count count;
  count.expression = kN;
  count.origin = Origin::fitted;
  EXPECT_EQ(origin_at(recorded(count), 10, 40, 1), Origin::fitted);
}

}  // namespace
}  // namespace parcast::program
