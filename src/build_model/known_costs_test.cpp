// SPDX-License-Identifier: Apache-2.0
#include "build_model/known_costs.h"

#include <gtest/gtest.h>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

/// A loop of two receives from neighbours, which ranks at the ends of a row do not have, and a wait:
///
///     for steps: MPI_Irecv from the left (c.c:1), MPI_Irecv from the right (c.c:2), MPI_Waitall (c.c:3)
struct Row {
  static constexpr NodeId kLeft = 2, kRight = 3, kWait = 4;
  static constexpr std::uint32_t kLoopStep = 0, kLeftStep = 1, kRightStep = 2, kWaitStep = 3, kSteps = 4;
  Model model;
  Structure structure;

  Row() {
    model.processes = {1, 2, 4};
    model.parameters = {{"n", {10, 20}}};
    model.sources = {{.digest = "", .parameters = {{"n", 20}}, .processes = 4}};
    add_node(NodeKind::program, "row", "");
    add_node(NodeKind::loop, "loop", "");
    add_node(NodeKind::call, "MPI_Irecv", "c.c:1");
    add_node(NodeKind::call, "MPI_Irecv", "c.c:2");
    add_node(NodeKind::call, "MPI_Waitall", "c.c:3");
    add_segment(kNone, kLeft, 100);
    add_segment(kWait, kLeft, 7);
    add_segment(kLeft, kRight, 2);
    add_segment(kRight, kWait, 1);
    const Partner left{.kind = Partner::Kind::offset}, right{.kind = Partner::Kind::offset};
    structure.processes = {2, 4};
    structure.step_count = kSteps;
    structure.steps.resize(1);
    structure.steps[0].kind = Step::Kind::loop;
    add_step(trace::Kind::start_receive, 1, kLeftStep, left);
    add_step(trace::Kind::start_receive, 2, kRightStep, right);
    add_step(trace::Kind::wait, 3, kWaitStep, {});
  }

  void add_node(NodeKind kind, const std::string& label, const std::string& where) {
    Node node;
    node.id = static_cast<NodeId>(model.nodes.size());
    node.parent = node.id < 2 ? node.id - 1 : 1;
    node.kind = kind, node.label = label, node.where = where;
    model.nodes.push_back(std::move(node));
  }

  /// `factor` x n microseconds each.
  Segment& add_segment(NodeId from, NodeId to, double factor, const Expression& executions = 1) {
    statistics::GrowthHypothesis law;
    law.terms = {{factor * 1e-6, {1}, {0}}};
    law.weight = 1;
    statistics::GrowthModel growth;
    growth.arguments = {"n"};
    growth.hypotheses = {law};
    Segment segment;
    segment.from = from, segment.to = to, segment.owner = 1;
    segment.executions = {executions, Origin::exact, {}, {}, {}, 0, ""};
    segment.cost.arguments = {parameter_symbol("n")};
    segment.cost.growth = growth;
    segment.cost.origin = Origin::fitted;
    model.segments.push_back(std::move(segment));
    return model.segments.back();
  }

  void add_step(trace::Kind kind, int line, std::uint32_t id, const Partner& partner) {
    trace::Place place;
    place.call = kind == trace::Kind::wait ? "MPI_Waitall" : "MPI_Irecv";
    place.file = "/home/user/c.c", place.line = line;
    structure.places.push_back(place);
    Step step;
    step.id = id, step.operation = kind, step.partner = partner;
    step.place = static_cast<std::uint32_t>(structure.places.size() - 1);
    structure.steps[0].body.push_back(std::move(step));
  }

  Computing& computing(std::size_t step, std::uint32_t after) {
    return structure.steps[0].body[step].computing.emplace_back(
        Computing{after, 0, Expression(999), Origin::measured});
  }

  /// Returns microseconds at n = 20.
  double taken(std::size_t step) {
    take_known_costs(model, structure);
    const auto value = symbolic::evaluate(structure.steps[0].body[step].computing.front().seconds,
                                          {{"n", 20.0}, {"p", 4.0}});
    EXPECT_TRUE(value);
    return value ? *value * 1e6 : -1;
  }
};

TEST(KnownCosts, ComputingBetweenOperationsIsThatOfTheirSegment) {
  Row row;
  row.computing(0, Row::kWaitStep);
  EXPECT_NEAR(row.taken(0), 7 * 20, 1e-9);
  EXPECT_EQ(row.structure.steps[0].body[0].computing.front().origin, Origin::fitted);
}

TEST(KnownCosts, ARankWithoutAPartnerComputesThroughTheCallThatFindsNone) {
  Row row;
  row.computing(1, Row::kWaitStep);  // no left neighbour: from the wait, past c.c:1, to c.c:2
  row.computing(2, Row::kLeftStep);  // no right neighbour: past c.c:2
  EXPECT_NEAR(row.taken(1), (7 + 2) * 20, 1e-9);
  EXPECT_NEAR(row.taken(2), (2 + 1) * 20, 1e-9);
}

TEST(KnownCosts, TheFirstComputingBeginsBeforeAllCalls) {
  Row row;
  row.computing(1, Row::kSteps);
  EXPECT_NEAR(row.taken(1), (100 + 2) * 20, 1e-9);
}

TEST(KnownCosts, ASegmentOfOneProcessAloneIsNoWay) {
  Row row;
  row.add_segment(Row::kWait, Row::kLeft, 50,
                  conditional(Expression(1) - processes_symbol(), Expression(1), Expression(0)));
  row.computing(0, Row::kWaitStep);
  EXPECT_NEAR(row.taken(0), 7 * 20, 1e-9);
}

TEST(KnownCosts, WhereSeveralWaysLeadTheFitStays) {
  Row row;
  row.add_segment(Row::kWait, Row::kRight, 3);  // some ranks do not call c.c:1 at all
  row.computing(1, Row::kWaitStep);
  EXPECT_NEAR(row.taken(1), 999e6, 1);
  Row twice;
  twice.add_segment(Row::kWait, Row::kLeft, 3);
  twice.computing(0, Row::kWaitStep);
  EXPECT_NEAR(twice.taken(0), 999e6, 1);
}

}  // namespace
}  // namespace parcast::program
