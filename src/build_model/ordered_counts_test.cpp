// SPDX-License-Identifier: Apache-2.0
// The totals of few runs leave open how often a call in every fifth iteration is executed. Their order does
// not.
#include <gtest/gtest.h>

#include <algorithm>

#include "build_model/recorded_runs.h"
#include "model/binding.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

struct At {
  std::int64_t n = 0, steps = 0;
  std::int32_t p = 1;
};

constexpr std::int64_t kEvery = 5;

recording::Recording halo_at(const At& at) {
  return testing::record(
      "halo", {{"n", static_cast<double>(at.n)}, {"steps", static_cast<double>(at.steps)}}, at.p,
      [&](testing::Tape& tape) {
        const std::int32_t r = tape.rank(), p = tape.processes();
        for (std::int64_t step = 1; step <= at.steps; ++step) {
          tape.compute(1e-4);
          if (r + 1 < p) tape.send(10, r + 1, static_cast<std::uint64_t>(8 * at.n));
          if (r > 0) tape.receive(11, r - 1, static_cast<std::uint64_t>(8 * at.n));
          tape.collective("MPI_Barrier", 12, recording::Pattern::barrier, recording::kNoPeer, 0);
          tape.begin("check");
          tape.compute(1e-5);
          tape.end();
          if (step % kEvery == 0)
            tape.collective("MPI_Allreduce", 14, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
      });
}

Result<Model> model_of(const std::vector<At>& points) {
  RecordedRuns runs;
  for (const At& at : points) runs.add(halo_at(at));
  const Structure structure = runs.find_structure();
  EXPECT_TRUE(structure.found()) << to_string(structure.missing);
  return runs.make_model();
}

const std::vector<At> kFew{{96, 10, 1}, {96, 10, 2},  {145, 10, 2}, {96, 17, 2},  {202, 10, 3},
                           {96, 10, 3}, {145, 23, 3}, {96, 10, 4},  {145, 10, 4}, {96, 17, 4}};

const Node* call_of(const Model& model, const std::string& label) {
  const auto at = std::ranges::find(model.nodes, label, &Node::label);
  return at == model.nodes.end() ? nullptr : &*at;
}

/// Executions of the segment between two calls, or the end of the region "check".
std::int64_t executions(const Model& model, const std::string& from, const std::string& to, const At& at,
                        std::int32_t rank, bool& exact) {
  const auto label = [&](NodeId id) {
    return id == kNone ? std::string() : model.nodes[static_cast<std::size_t>(id)].label;
  };
  const auto binding =
      bind(model, {{{"n", static_cast<double>(at.n)}, {"steps", static_cast<double>(at.steps)}}, at.p}, rank);
  for (const Segment& segment : model.segments)
    if (label(segment.from) == from && label(segment.to) == to) {
      exact = segment.executions.origin == Origin::exact;
      const auto value = symbolic::evaluate(segment.executions.expression, *binding);
      return value ? std::llround(*value) : -1;
    }
  ADD_FAILURE() << from << " .. " << to;
  return -1;
}

TEST(OrderedCounts, ACallInEveryFifthIterationIsExact) {
  const auto model = model_of(kFew);
  ASSERT_TRUE(model) << to_string(model.error());
  const Node* reduce = call_of(*model, "MPI_Allreduce");
  ASSERT_NE(reduce, nullptr);
  EXPECT_EQ(reduce->executions.origin, Origin::exact);
  for (const std::int64_t steps : {99, 100, 123}) {
    const auto binding = bind(*model, {{{"n", 500}, {"steps", static_cast<double>(steps)}}, 16}, 3);
    EXPECT_EQ(std::llround(*symbolic::evaluate(reduce->executions.expression, *binding)), steps / kEvery)
        << steps;
  }
}

// Of 123 steps 24 end with a reduction, and the last is none of them.
TEST(OrderedCounts, SegmentsFollowTheOrderThroughRegionsThatItDoesNotHave) {
  const auto model = model_of(kFew);
  ASSERT_TRUE(model) << to_string(model.error());
  const At at{500, 123, 16};
  bool exact = false;
  EXPECT_EQ(executions(*model, "MPI_Allreduce", "MPI_Recv", at, 15, exact), 24);
  EXPECT_TRUE(exact);
  EXPECT_EQ(executions(*model, "MPI_Allreduce", "MPI_Send", at, 0, exact), 24);
  EXPECT_TRUE(exact);
  const At ends_with_one{500, 120, 16};
  EXPECT_EQ(executions(*model, "MPI_Allreduce", "MPI_Send", ends_with_one, 0, exact), 23);
}

// One number of iterations: nothing distinguishes every fifth iteration from two at all.
TEST(OrderedCounts, OneNumberOfPeriodsIsNoEvidence) {
  const auto model = model_of({{96, 10, 1},
                               {96, 10, 2},
                               {145, 10, 2},
                               {96, 12, 2},
                               {202, 10, 3},
                               {96, 10, 3},
                               {145, 13, 3},
                               {96, 10, 4},
                               {145, 10, 4}});
  ASSERT_TRUE(model) << to_string(model.error());
  const Node* reduce = call_of(*model, "MPI_Allreduce");
  ASSERT_NE(reduce, nullptr);
  EXPECT_NE(symbolic::to_text(reduce->executions.expression), "floor(steps/5)");
}

/// Two reductions in an inner loop of each step, and a barrier in every fifth step. Each step may begin with
/// a broadcast.
recording::Recording nested_at(const At& at, bool with_broadcast) {
  return testing::record(
      "nested", {{"n", static_cast<double>(at.n)}, {"steps", static_cast<double>(at.steps)}}, at.p,
      [&](testing::Tape& tape) {
        for (std::int64_t step = 1; step <= at.steps; ++step) {
          if (with_broadcast) tape.collective("MPI_Bcast", 9, recording::Pattern::broadcast, 0, 8);
          for (int k = 0; k < 2; ++k)
            tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer,
                            static_cast<std::uint64_t>(8 * at.n));
          if (step % kEvery == 0)
            tape.collective("MPI_Barrier", 14, recording::Pattern::barrier, recording::kNoPeer, 0);
        }
      });
}

Result<Model> model_of_nested(bool with_broadcast) {
  RecordedRuns runs;
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const std::int64_t n : {96, 145, 202}) runs.add(nested_at({n, 10, p}, with_broadcast));
  for (const At& at : std::vector<At>{{96, 53, 1}, {96, 53, 2}, {145, 53, 2}, {96, 17, 1}, {96, 23, 1}})
    runs.add(nested_at(at, with_broadcast));
  EXPECT_TRUE(runs.find_structure().found());
  return runs.make_model();
}

void expect_every_fifth(const Result<Model>& model) {
  ASSERT_TRUE(model) << to_string(model.error());
  const Node* barrier = call_of(*model, "MPI_Barrier");
  ASSERT_NE(barrier, nullptr);
  EXPECT_EQ(barrier->executions.origin, Origin::exact) << symbolic::to_text(barrier->executions.expression);
  EXPECT_EQ(symbolic::to_text(barrier->executions.expression), "floor(steps/5)");
}

// Few runs leave the inner loop's two rounds without evidence for each variable alone; they were two in all.
TEST(OrderedCounts, ALoopOfTheSameRoundsInAllRunsIsCertain) {
  expect_every_fifth(model_of_nested(true));
}

// Without a call before the inner loop there is one loop of 2 steps rounds.
TEST(OrderedCounts, ALoopOfTwiceAParameterIsCertain) {
  expect_every_fifth(model_of_nested(false));
}

}  // namespace
}  // namespace parcast::program
