// SPDX-License-Identifier: Apache-2.0
// The closed form and the recursion agree where their assumptions coincide, and the equation engine uses the
// recursion where they do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "predict/dependence/classify.h"
#include "predict/dependence/recursion.h"
#include "predict/equation/equation.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using dependence::Shape;
using program::kNone;
using program::NodeId;
using program::PeerRelation;
using program::Synchronisation;
using recording::CallClass;
using recording::Pattern;

machine::Machine paper_machine() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(m, Pattern::allreduce, "log2", 4e-6, 1e-6, 3e-10, 0);
  return m;
}

bool warned(const std::vector<Warning>& warnings, const std::string& code) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const Warning& w) { return w.code == code; });
}

double seconds(const program::Model& model, const Question& q, std::vector<Warning>* warnings = nullptr) {
  const auto result = equation_engine().predict(model, paper_machine(), q);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  if (!result.ok()) return 0;
  if (warnings) *warnings = result->warnings;
  return result->seconds.value;
}

dependence::Step local(const std::vector<double>& compute) {
  dependence::Step step;
  step.cost.clear();
  for (const double c : compute) step.cost.push_back({.compute = c});
  return step;
}

TEST(Agreement, ABulkSynchronousLoopWithUnequalRanks) {
  Builder b;
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, 3000);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 3000, 8);
  b.segment(loop, reduce, reduce, 3000, proportional(1 + modulo(3 * r(), Expression(7)), 1e-4));
  const int p = 13;
  dependence::Step body_loop;
  body_loop.kind = dependence::StepKind::loop;
  body_loop.trips = 3000;
  std::vector<double> compute;
  for (int rank = 0; rank < p; ++rank) compute.push_back(1e-4 * (1 + 3 * rank % 7));
  dependence::Step all;
  all.kind = dependence::StepKind::global;
  all.cost = {{.compute = 0, .startup = 4e-6 + 1e-6 * std::log2(p), .transfer = 8 * 3e-10}};
  body_loop.body = {local(compute), all};
  const auto evaluated = dependence::evaluate({p, {body_loop}});
  ASSERT_TRUE(evaluated.ok());
  EXPECT_NEAR(seconds(b.model, ask(p)) / evaluated->ranks[0].end, 1, 1e-9);
}

// One receive from the left, work, one send to the right: a pipeline over p ranks.
Builder pipeline(std::int64_t blocks) {
  Builder b("sweep");
  b.model.processes = {2, 4};
  const NodeId loop = b.loop(0, blocks);
  const Expression inner_left = min(r(), 1);             // 0 on the first rank
  const Expression inner_right = min(p() - 1 - r(), 1);  // 0 on the last
  const NodeId receive =
      b.message(loop, "MPI_Recv", CallClass::receive, PeerRelation::offset, {-1}, blocks * inner_left, 800);
  const NodeId send =
      b.message(loop, "MPI_Send", CallClass::send, PeerRelation::offset, {1}, blocks * inner_right, 800);
  b.segment(loop, receive, send, blocks, proportional(Expression(1), 1e-4));
  return b;
}

TEST(Agreement, APipelineIsFillingAndSteadyState) {
  const std::int64_t blocks = 400;
  const Builder b = pipeline(blocks);
  EXPECT_EQ(dependence::classify(b.model, 0).shape, Shape::pipeline);
  const int p = 20;
  std::vector<Warning> warnings;
  const double send = 3e-7;
  const double receive = 3e-7;
  const double flight = 2e-6 + 800e-9;
  const double stage = receive + 1e-4 + send;
  const double exact =
      p * 1e-4 + (p - 1) * (send + flight + receive) + static_cast<double>(blocks - 1) * stage;
  EXPECT_NEAR(seconds(b.model, ask(p), &warnings) / exact, 1, 1e-9);
  // Too many ranks for the recursion: filling and steady state in closed form, with an error of less than one
  // message.
  const int many = 10'000;
  const double closed = seconds(b.model, ask(many), &warnings);
  EXPECT_NEAR(closed,
              many * 1e-4 + (many - 1) * (send + flight + receive) + static_cast<double>(blocks - 1) * stage,
              1e-6);
  EXPECT_TRUE(warned(warnings, "pipeline-approximate"));
}

// A master hands out work items one by one. Its loop has no iterations on the worker, which computes in a
// loop of its own.
TEST(Agreement, WhatOnlyTheMasterDoesTakesTheWorkerNothing) {
  constexpr std::int64_t kTasks = 300;
  Builder b("farm");
  b.model.processes = {2};
  const Expression master = conditional(p() - 2 - r(), 1, 0), worker = conditional(r() - 1, 1, 0);
  b.message(0, "MPI_Send", CallClass::send, PeerRelation::offset, {1}, master, 4);
  const NodeId masters = b.loop(0, kTasks * master);
  b.message(masters, "MPI_Recv", CallClass::receive, PeerRelation::offset, {1}, kTasks * master, 8);
  b.message(masters, "MPI_Send", CallClass::send, PeerRelation::offset, {1}, kTasks * master, 4);
  const NodeId workers = b.loop(0, kTasks * worker);
  const NodeId receive =
      b.message(workers, "MPI_Recv", CallClass::receive, PeerRelation::offset, {-1}, kTasks * worker, 4);
  const NodeId send =
      b.message(workers, "MPI_Send", CallClass::send, PeerRelation::offset, {-1}, kTasks * worker, 8);
  b.segment(workers, receive, send, kTasks * worker, proportional(Expression(1), 1e-4));
  const double computing = kTasks * 1e-4, messages = kTasks * 2 * (3e-7 + 2e-6 + 8e-9 + 3e-7);
  const double found = seconds(b.model, ask(2));
  EXPECT_GE(found, computing);
  EXPECT_LE(found, computing + 2 * messages);
}

TEST(Agreement, AHaloWithSendsBeforeReceivesIsNoPipeline) {
  Builder b;
  const NodeId loop = b.loop(0, 10);
  b.message(loop, "MPI_Send", CallClass::send, PeerRelation::offset, {1}, 10, 8);
  b.message(loop, "MPI_Recv", CallClass::receive, PeerRelation::offset, {-1}, 10, 8);
  b.message(loop, "MPI_Send", CallClass::send, PeerRelation::offset, {-1}, 10, 8);
  b.message(loop, "MPI_Recv", CallClass::receive, PeerRelation::offset, {1}, 10, 8);
  EXPECT_EQ(dependence::classify(b.model, 0).shape, Shape::neighbour);
}

TEST(Agreement, TwoSlowRanksInTurnAreEvaluatedByTheRecursionAndSaidSo) {
  // Rank 0 is slow before the first exchange, rank `other` before the second.
  const auto build = [](std::int64_t other) {
    Builder b;
    b.model.processes = {2, 4};
    const NodeId loop = b.loop(0, 2000);
    const NodeId first =
        b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {1}, 2000, 8);
    const NodeId second =
        b.message(loop, "MPI_Sendrecv", CallClass::send_receive, PeerRelation::offset_ring, {-1}, 2000, 8);
    const auto slow = [](std::int64_t rank) {
      const Expression distance = (r() - Expression(rank)) * (r() - Expression(rank));
      return 1 + conditional(-distance, 1, 0);
    };
    b.segment(loop, second, first, 2000, proportional(slow(0), 1e-3));
    b.segment(loop, first, second, 2000, proportional(slow(other), 1e-3));
    return b.model;
  };
  const double message = 2 * 3e-7 + 2e-6 + 8e-9;
  std::vector<Warning> warnings;
  EXPECT_NEAR(seconds(build(0), ask(12), &warnings), 2000 * (4e-3 + 2 * message), 1e-9);
  EXPECT_FALSE(warned(warnings, "evaluated-numerically"));
  // One exchange waits for the left neighbour and one for the right: rank 1's delay reaches rank 0 at once.
  EXPECT_NEAR(seconds(build(11), ask(12), &warnings) / (2000 * (4e-3 + 2 * message)), 1, 1e-3);
  EXPECT_TRUE(warned(warnings, "evaluated-numerically"));
  // When their distance is large, no chain of waits meets both in every iteration.
  EXPECT_NEAR(seconds(build(6), ask(12), &warnings) / (2000 * (3e-3 + 2 * message)), 1, 1e-3);
  EXPECT_FALSE(warned(warnings, "evaluated-numerically"));
}

// Two ranks exchange borders, each by a call at a different place of the source: neither waits for the
// other's computing before it.
TEST(Agreement, RanksThatWaitAtPlacesOfTheirOwnComputeAtOneTime) {
  Builder b;
  b.model.processes = {2};
  const NodeId loop = b.loop(0, 500);
  const Expression left = 500 * conditional(p() - 2 - r(), 1, 0), right = 500 * conditional(r() - 1, 1, 0);
  const auto side = [&](const Expression& executions, std::int64_t partner) {
    b.message(loop, "MPI_Irecv", CallClass::start_receive, PeerRelation::offset, {partner}, executions, 8);
    const NodeId send =
        b.message(loop, "MPI_Isend", CallClass::start_send, PeerRelation::offset, {partner}, executions, 8);
    const NodeId wait = b.message(loop, "MPI_Wait", CallClass::wait, PeerRelation::none, {}, executions, 8);
    b.segment(loop, send, wait, executions, proportional(Expression(1), 1e-3));
  };
  side(left, 1);
  side(right, -1);
  b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 500, 8);
  const double computing = 500 * 1e-3,
               all_that_is_communicated = 500 * (2 * (3e-7 + 2e-6 + 8e-9 + 3e-7) + 4e-6 + 1e-6 + 8 * 3e-10);
  const double found = seconds(b.model, ask(2));
  EXPECT_GE(found, computing);
  EXPECT_LE(found, computing + all_that_is_communicated);
}

TEST(Agreement, ShapesAreReadOffTheCalls) {
  Builder b;
  const NodeId global = b.loop(0, 10);
  b.collective(global, "MPI_Barrier", Pattern::barrier, Synchronisation::global, 10, 0);
  const NodeId rooted = b.loop(0, 10);
  b.collective(rooted, "MPI_Bcast", Pattern::broadcast, Synchronisation::from_root, 10, 8);
  const NodeId free = b.loop(0, 10);
  const NodeId irregular = b.loop(0, 10);
  b.message(irregular, "MPI_Recv", CallClass::receive, PeerRelation::several, {}, 10, 8);
  EXPECT_EQ(dependence::classify(b.model, global).shape, Shape::global);
  EXPECT_EQ(dependence::classify(b.model, rooted).shape, Shape::rooted);
  EXPECT_EQ(dependence::classify(b.model, free).shape, Shape::independent);
  EXPECT_EQ(dependence::classify(b.model, irregular).shape, Shape::other);
  EXPECT_EQ(dependence::classify(b.model, 0).shape, Shape::global);
}

}  // namespace
}  // namespace parcast::predict
