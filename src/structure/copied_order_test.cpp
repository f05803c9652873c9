// SPDX-License-Identifier: Apache-2.0
// Programs whose order follows no rule: their ranks are copies of those of a recorded run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/find.h"
#include "structure/generate.h"
#include "structure/testing/test_programs.h"
#include "trace/computing.h"
#include "trace/paired.h"

namespace parcast::program {
namespace {

using recording::Pattern;
using ::testing::HasSubstr;
using testing::TracedRank;

/// In each of n rounds each rank sends to the next one of a ring: at p = 6 that of 0, 3, 1, 5, 2 and 4.
void in_a_ring(TracedRank& rank) {
  const std::vector<std::int64_t> order =
      rank.p == 2 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, 3, 1, 5, 2, 4};
  const std::size_t at = static_cast<std::size_t>(std::ranges::find(order, rank.r) - order.begin());
  const std::int64_t to = order[(at + 1) % order.size()],
                     from = order[(at + order.size() - 1) % order.size()];
  for (std::int64_t round = 0; round < rank["n"]; ++round) {
    rank.compute(1e-3 * static_cast<double>(1 + rank.r));
    rank.exchange(10, to, from, 8 * rank["n"]);
  }
  rank.collective(20, Pattern::allreduce, 8);
}

Model model_of(Structure structure) {
  Model model;
  model.program = "in_a_ring";
  model.parameters = {{"n", {10, 20, 30}}};
  model.structure = std::move(structure);
  return model;
}

Result<Model> copied_model(const testing::Program& program) {
  PARCAST_ASSIGN(
      auto found,
      find_structure_and_grids(
          testing::runs_of(
              program,
              {{2, {{"n", 10}}}, {2, {{"n", 20}}}, {6, {{"n", 10}}}, {6, {{"n", 20}}}, {6, {{"n", 30}}}}),
          {"n"}, {{}}));
  return model_of(std::move(found.structure));
}

/// The model of in_a_ring; its search takes some seconds.
const Result<Model>& ring_model() {
  static const Result<Model> model = copied_model(in_a_ring);
  return model;
}

std::size_t messages_of(const trace::Trace& trace) {
  std::size_t sent = 0;
  for (const std::uint32_t sequence : trace.sequence_of)
    for (const auto& [index, times] : trace::executions_of(trace.sequences[sequence]))
      if (trace.operations[index].kind == trace::Kind::start_send ||
          trace.operations[index].kind == trace::Kind::send)
        sent += times;
  return sent;
}

TEST(CopiedOrder, AnotherSizeOfTheRecordedProcessCountIsTheProgramsOwnTrace) {
  const Result<Model>& model = ring_model();
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_FALSE(model->structure->found());
  EXPECT_EQ(model->structure->copied, 6);
  EXPECT_THAT(model->structure->missing.what, HasSubstr("no rule"));
  const auto trace = generate(*model, {{{"n", 45}}, 6});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(testing::difference(*trace, testing::trace_of(in_a_ring, 6, {{"n", 45}}), 1e-9), "");
  EXPECT_THAT(trace->assumptions,
              ::testing::Contains(HasSubstr("each does what it did in the recording at p = 6")));
}

// Twelve ranks are two rings of six. Of ten, the last four have messages from 6 to 9 and from 9 to 7 alone.
TEST(CopiedOrder, MoreProcessesAreCopiesAndTheLastMayBeInPart) {
  const Result<Model>& model = ring_model();
  ASSERT_TRUE(model) << to_string(model.error());
  const auto twelve = generate(*model, {{{"n", 10}}, 12}), ten = generate(*model, {{{"n", 10}}, 10});
  ASSERT_TRUE(twelve) << to_string(twelve.error());
  ASSERT_TRUE(ten) << to_string(ten.error());
  EXPECT_EQ(messages_of(*twelve), 120u);
  EXPECT_EQ(messages_of(*ten), 80u);
  EXPECT_TRUE(trace::is_paired(*twelve));
  EXPECT_TRUE(trace::is_paired(*ten));
  EXPECT_THAT(ten->assumptions, ::testing::Contains(HasSubstr("rank r mod 6 did")));
  for (std::size_t rank = 0; rank < 12; ++rank)  // rank r computes 1 + r mod 6 ms in each of ten rounds
    EXPECT_NEAR(trace::computing_of(twelve->sequences[twelve->sequence_of[rank]]),
                1e10 * static_cast<double>(1 + rank % 6), 10);
}

/// One run at p = 6 has a broadcast more: its order is not that of the run of the largest n.
TEST(CopiedOrder, RunsInAnotherOrderAreLeftOut) {
  const auto odd_run = [](TracedRank& rank) {
    if (rank.p == 6 && rank["n"] == 20) rank.collective(5, Pattern::broadcast, 8);
    in_a_ring(rank);
  };
  const auto model = copied_model(odd_run);
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->copied, 6);
  const auto trace = generate(*model, {{{"n", 30}}, 6});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(testing::difference(*trace, testing::trace_of(odd_run, 6, {{"n", 30}}), 1e-9), "");
}

/// Fewer processes than in the recorded run have no place for its roots and partners.
TEST(CopiedOrder, FewerProcessesAreRefusedWithTheReason) {
  const Result<Model>& model = ring_model();
  ASSERT_TRUE(model) << to_string(model.error());
  for (const std::int32_t p : {2, 5}) {
    const auto refused = generate(*model, {{{"n", 10}}, p});
    ASSERT_FALSE(refused) << p;
    EXPECT_THAT(refused.error().what, HasSubstr("copies of the run at p = 6 serve no fewer processes"));
  }
}

TEST(CopiedOrder, MoreThanAMillionProcessesAreRefused) {
  const Result<Model>& model = ring_model();
  ASSERT_TRUE(model) << to_string(model.error());
  const auto refused = generate(*model, {{{"n", 10}}, 1'000'000'000});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("at most 1,048,576 processes"));
}

TEST(CopiedOrder, ARootOfTheRecordedRunIsThatOfMoreProcesses) {
  const auto with_root = [](TracedRank& rank) {
    in_a_ring(rank);
    rank.collective(30, Pattern::broadcast, 8, rank.p - 1);
  };
  const auto model = copied_model(with_root);
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->copied, 6);
  const auto twelve = generate(*model, {{{"n", 10}}, 12});
  ASSERT_TRUE(twelve) << to_string(twelve.error());
  EXPECT_TRUE(std::ranges::any_of(twelve->operations, [](const trace::Operation& each) {
    return each.kind == trace::Kind::collective && each.root == 5;
  }));
}

TEST(CopiedOrder, AnOrderOfTooManyStepsIsNotKept) {
  const auto long_one = [](TracedRank& rank) {
    for (int line = 0; line < 5600; ++line) rank.collective(100 + line, Pattern::broadcast, 8);
    in_a_ring(rank);
  };
  const auto model = copied_model(long_one);
  // The search for rules ends, or comes to its limit: an error, or a structure without steps.
  EXPECT_FALSE(model && model->structure->has_steps());
  const std::string reason = model ? model->structure->missing.what : model.error().what;
  EXPECT_THAT(reason, HasSubstr("no rule"));
  EXPECT_THAT(reason, HasSubstr("steps of all ranks, more than the 32,768 that a model keeps"));
}

/// Returns a trace whose receives take whichever message arrives first.
trace::Trace by_arrival(trace::Trace trace) {
  for (trace::Operation& each : trace.operations)
    if (each.kind == trace::Kind::start_receive) each.peer = trace::kAny;
  return trace;
}

/// Returns the model of in_a_ring with receives from any source. `came`: the program whose messages came in
/// the run of n = 20 on 6 processes.
Result<Model> copied_as_it_came(const testing::Program& came) {
  std::vector<TracedRun> runs = testing::runs_of(
      in_a_ring, {{2, {{"n", 10}}}, {2, {{"n", 20}}}, {6, {{"n", 10}}}, {6, {{"n", 20}}}, {6, {{"n", 30}}}});
  for (TracedRun& run : runs) {
    const auto n = static_cast<std::int64_t>(run.run.parameters[0]);
    const bool of_came = n == 20 && run.run.processes == 6;
    run.as_it_came = {testing::trace_of(of_came ? came : in_a_ring, run.run.processes, {{"n", n}}), {}};
    run.trace = by_arrival(std::move(run.trace));
  }
  PARCAST_ASSIGN(auto found, find_structure_and_grids(std::move(runs), {"n"}, {{}}));
  return model_of(std::move(found.structure));
}

/// A program reacts to the message that came, so another one could make its copies wait for ever.
TEST(CopiedOrder, ReceivesFromAnySourceTakeTheMessagesThatCame) {
  const auto model = copied_as_it_came(in_a_ring);
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->copied, 6);
  const auto trace = generate(*model, {{{"n", 45}}, 6});
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(testing::difference(*trace, testing::trace_of(in_a_ring, 6, {{"n", 45}}), 1e-9), "");
}

TEST(CopiedOrder, WhereTheyCameInAnotherOrderInEachRunTheyTakeTheFirst) {
  const auto model = copied_as_it_came([](TracedRank& rank) {
    in_a_ring(rank);
    rank.exchange(40, (rank.r + 1) % rank.p, (rank.r + rank.p - 1) % rank.p, 8);
  });
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->structure->copied, 6);
  const auto trace = generate(*model, {{{"n", 45}}, 6});
  ASSERT_TRUE(trace) << to_string(trace.error());
  const trace::Trace expected = by_arrival(testing::trace_of(in_a_ring, 6, {{"n", 45}}));
  EXPECT_EQ(testing::difference(*trace, expected, 1e-9), "");
}

}  // namespace
}  // namespace parcast::program
