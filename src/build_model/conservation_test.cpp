// SPDX-License-Identifier: Apache-2.0
#include "build_model/conservation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

const Expression kSteps = parameter_symbol("steps");

Count count(Expression expression, Origin origin, std::vector<Expression> alternatives = {},
            std::vector<std::string> open = {}) {
  Count out;
  out.expression = std::move(expression);
  out.origin = origin;
  out.alternatives = std::move(alternatives);
  out.open = std::move(open);
  return out;
}

// init; loop { wait; every tenth: reduce }; gather. The gather follows a reduce or a wait; only its law is
// checked.
enum : NodeId { kProgram, kInit, kWait, kReduce, kGather };

Model model(Count wait_to_gather, Count reduce_to_gather) {
  Model out;
  out.parameters = {{"steps", {20, 33, 47}}};
  out.processes = {1, 2, 4};
  const Expression reduces = symbolic::ceil(kSteps / 10);
  const std::pair<NodeKind, Expression> nodes[]{{NodeKind::program, 1},
                                                {NodeKind::call, 1},
                                                {NodeKind::region, kSteps},
                                                {NodeKind::region, reduces},
                                                {NodeKind::call, 1}};
  for (const auto& [kind, executions] : nodes) {
    Node node;
    node.id = static_cast<NodeId>(out.nodes.size());
    node.kind = kind;
    node.executions = count(executions, Origin::exact);
    out.nodes.push_back(node);
  }
  const auto segment = [&](NodeId from, NodeId to, Count executions) {
    Segment s;
    s.from = from, s.to = to, s.executions = std::move(executions);
    out.segments.push_back(s);
  };
  segment(kNone, kInit, count(1, Origin::exact));
  segment(kWait, kReduce, count(reduces, Origin::exact));
  segment(kWait, kGather, std::move(wait_to_gather));
  segment(kReduce, kGather, std::move(reduce_to_gather));
  return out;
}

double at(const Count& count, double steps) {
  Model empty;
  empty.parameters = {{"steps", {}}};
  return symbolic::evaluate(count.expression, *bind(empty, {{{"steps", steps}}, 2}, 0)).value();
}

// 1 if steps is a multiple of ten, else 0.
Expression tenth() {
  return 1 - symbolic::ceil(kSteps / 10) + symbolic::floor(kSteps / 10);
}

TEST(Conservation, ALoneUnknownIsTheDifference) {
  Model m = model(count(symbolic::floor(kSteps / 25), Origin::ambiguous, {kSteps - 19}, {"steps"}),
                  count(tenth(), Origin::exact));
  conserve(m);
  const Count& found = m.segments[2].executions;
  EXPECT_EQ(found.origin, Origin::exact);
  EXPECT_TRUE(found.alternatives.empty());
  for (const double steps : {1, 20, 33, 100, 101})
    EXPECT_EQ(at(found, steps), std::fmod(steps, 10) == 0 ? 0 : 1) << steps;
}

TEST(Conservation, AFittedCountIsTheDifferenceToo) {
  Model m = model(count(symbolic::real(0.5), Origin::fitted), count(tenth(), Origin::exact));
  conserve(m);
  EXPECT_EQ(m.segments[2].executions.origin, Origin::exact);
  EXPECT_EQ(at(m.segments[2].executions, 33), 1);
}

TEST(Conservation, CandidatesThatAddUpArePreferred) {
  const Expression even = 1 - symbolic::modulo(kSteps, 2);
  Model m =
      model(count(symbolic::floor(kSteps / 25), Origin::ambiguous, {symbolic::modulo(kSteps, 2)}, {"steps"}),
            count(tenth(), Origin::ambiguous, {even}, {"steps"}));
  conserve(m);
  const Count& waits = m.segments[2].executions;
  const Count& reduces = m.segments[3].executions;
  for (const double steps : {20, 33, 94, 1000, 1001})
    EXPECT_EQ(at(waits, steps) + at(reduces, steps), 1) << steps;
  EXPECT_EQ(waits.origin, Origin::ambiguous);
  EXPECT_TRUE(waits.alternatives.empty());  // floor(steps / 25) is more than the one gather that follows
}

TEST(Conservation, WithoutSuchCandidatesOneBecomesTheDifference) {
  Model m = model(count(symbolic::floor(kSteps / 25), Origin::ambiguous, {}, {"steps"}),
                  count(1 - symbolic::modulo(kSteps, 2), Origin::ambiguous, {}, {"steps"}));
  conserve(m);
  for (const double steps : {20, 33, 94, 1000})
    EXPECT_EQ(at(m.segments[2].executions, steps) + at(m.segments[3].executions, steps), 1) << steps;
}

TEST(Conservation, ADifferenceThatIsNegativeSomewhereIsNone) {
  // One of the exact counts is wrong: 2 steps cannot be part of 1.
  Model m = model(count(symbolic::real(0.5), Origin::fitted), count(2 * kSteps, Origin::exact));
  conserve(m);
  EXPECT_EQ(m.segments[2].executions.origin, Origin::fitted);
}

TEST(Conservation, WhatFollowsTheLastCallIsNotAsked) {
  Model m = model(count(1 - tenth(), Origin::exact), count(tenth(), Origin::exact));
  m.nodes[kGather].call_class = recording::CallClass::finalise;
  const Model before = m;
  conserve(m);
  for (std::size_t s = 0; s < m.segments.size(); ++s)
    EXPECT_EQ(m.segments[s].executions.expression, before.segments[s].executions.expression);
}

// A second thread ends with a wait, so one of two waits is followed by the gather.
TEST(Conservation, WhereAThreadEndsNothingNeedsToFollow) {
  Model m = model(count(1, Origin::fitted), count(0, Origin::exact));
  m.nodes[kWait].kind = NodeKind::call;
  m.nodes[kWait].executions = count(2, Origin::exact);
  m.nodes[kReduce].executions = m.segments[1].executions = count(0, Origin::exact);
  m.nodes[kGather].executions = count(1, Origin::fitted);
  Model single = m;
  conserve(m, {kWait});
  EXPECT_EQ(at(m.segments[2].executions, 20), 1);
  conserve(single);
  EXPECT_EQ(at(single.segments[2].executions, 20), 2);
}

}  // namespace
}  // namespace parcast::program
