// SPDX-License-Identifier: Apache-2.0
// Counts relative to the loop around them: formulas that the calls of a loop share, and counts at points that
// were not recorded, compared with those of the same program there.
#include "build_model/relative_counts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "build_model/build.h"
#include "build_model/next_recording.h"
#include "model/binding.h"
#include "observations/testing/synthetic_runs.h"
#include "symbolic/factor.h"

namespace parcast::program {
namespace {

using recording::Pattern;
using recording::Recording;
using testing::Tape;

constexpr std::uint64_t kBorder = 16;

/// A strip of rows: each step sends a row downwards, then reduces twice from one line and once from another.
Recording strips(int n, int steps, std::int32_t p) {
  return testing::record("strips", {{"n", n}, {"steps", steps}}, p, [&](Tape& tape) {
    for (int s = 0; s < steps; ++s) {
      if (tape.rank() + 1 < p) tape.send(10, tape.rank() + 1, 8 * static_cast<std::uint64_t>(n) + kBorder);
      if (tape.rank() > 0) tape.receive(11, tape.rank() - 1, 8 * static_cast<std::uint64_t>(n) + kBorder);
      for (int k = 0; k < 2; ++k)
        tape.collective("MPI_Allreduce", 12, Pattern::allreduce, recording::kNoPeer, 8);
      tape.collective("MPI_Allreduce", 13, Pattern::allreduce, recording::kNoPeer, 24);
    }
  });
}

/// Sizes and numbers of steps vary one at a time.
Model of_strips() {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const auto& [n, steps] : {std::pair{60, 10}, {90, 10}, {121, 10}, {60, 17}, {60, 31}})
      recordings.push_back(strips(n, steps, p));
  auto model = build_model(recordings);
  EXPECT_TRUE(model);
  return model ? *std::move(model) : Model{};
}

const Node& node_at(const Model& model, const std::string& where) {
  return *std::ranges::find_if(model.nodes, [&](const Node& node) { return node.where.ends_with(where); });
}

TEST(RelativeCounts, CallsOfALoopShareItsFormula) {
  const Model model = of_strips();
  const auto loop = std::ranges::find(model.nodes, NodeKind::loop, &Node::kind);
  ASSERT_NE(loop, model.nodes.end());
  EXPECT_EQ(node_at(model, ":13").executions.expression, loop->executions.expression);
  EXPECT_EQ(node_at(model, ":12").executions.expression,
            symbolic::Expression(2) * loop->executions.expression);
}

TEST(RelativeCounts, BytesAreASizeTimesTheMessages) {
  const Model model = of_strips();
  const Recording unseen = strips(200, 77, 7);
  const auto predicted = predict_counts(model, {unseen.parameters, unseen.processes});
  ASSERT_TRUE(predicted);
  for (std::int32_t r = 0; r < 7; ++r) {
    const PredictedCounts& of_rank = (*predicted)[static_cast<std::size_t>(r)];
    EXPECT_EQ(of_rank.bytes_sent.value, r < 6 ? 77 * (8 * 200 + 16) : 0) << r;
    EXPECT_EQ(of_rank.calls.at("MPI_Allreduce").value, 3 * 77);
  }
}

// Data decide how many of the n particles a message holds, about n / (2 p).
TEST(RelativeCounts, BytesThatDataDecideAreAFittedSizeTimesTheMessages) {
  std::vector<Recording> recordings;
  const auto size = [](int n, std::int32_t p, std::int32_t rank) {
    return static_cast<std::uint64_t>(8 * (n / (2 * p) + (37 * rank + 11 * n + 5 * p) % 7));
  };
  for (const std::int32_t p : {2, 3, 4, 6})
    for (const auto& [n, steps] : {std::pair{600, 10}, {900, 10}, {1210, 10}, {600, 17}, {600, 31}})
      recordings.push_back(testing::record("drift", {{"n", n}, {"steps", steps}}, p, [&](Tape& tape) {
        for (int s = 0; s < steps; ++s) {
          tape.send(10, (tape.rank() + 1) % p, size(n, p, tape.rank()));
          tape.receive(11, (tape.rank() + p - 1) % p, size(n, p, (tape.rank() + p - 1) % p));
        }
      }));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  const Node& sent = node_at(*model, ":10");
  EXPECT_EQ(sent.messages.origin, Origin::exact);
  EXPECT_EQ(sent.bytes.origin, Origin::fitted);
  const auto predicted = predict_counts(*model, {{{"n", 1210}, {"steps", 100}}, 8});
  ASSERT_TRUE(predicted);
  const double true_size = 8 * (1210 / 16.0 + 3);  // with the mean of the remainders
  EXPECT_NEAR(predicted->front().bytes_sent.value, 100 * true_size, 0.1 * 100 * true_size);
  const auto each = symbolic::quotient(sent.bytes.expression, sent.messages.expression);
  ASSERT_TRUE(each);
  for (const auto& symbol : symbolic::free_symbols(*each)) EXPECT_NE(symbol.name(), "steps");
}

TEST(RelativeCounts, InitAndFinalizeAreOnceByTheStandard) {
  const auto model = build_model({strips(60, 10, 2)});
  ASSERT_TRUE(model);
  for (const Node& node : model->nodes)
    if (node.label == "MPI_Init" || node.label == "MPI_Finalize") {
      EXPECT_EQ(node.executions.origin, Origin::exact) << node.label;
      EXPECT_EQ(node.executions.expression, symbolic::Expression(1));
    }
}

/// `inner` reductions in each step; `inner` was 10 in all recordings.
TEST(RelativeCounts, AFactorThatAParameterMayBeIsNoMultiple) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const int steps : {7, 10, 12})
      recordings.push_back(testing::record("nested", {{"inner", 10}, {"steps", steps}}, p, [&](Tape& tape) {
        for (int s = 0; s < steps; ++s) {
          tape.collective("MPI_Barrier", 5, Pattern::barrier, recording::kNoPeer, 0);
          for (int k = 0; k < 10; ++k)
            tape.collective("MPI_Allreduce", 6, Pattern::allreduce, recording::kNoPeer, 8);
        }
      }));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  const Count& count = node_at(*model, ":6").executions;
  EXPECT_EQ(count.origin, Origin::ambiguous);
  const auto names_inner = [](const symbolic::Expression& e) {
    return std::ranges::any_of(symbolic::free_symbols(e),
                               [](const auto& symbol) { return symbol.name() == "inner"; });
  };
  EXPECT_TRUE(names_inner(count.expression) || std::ranges::any_of(count.alternatives, names_inner));
  EXPECT_FALSE(names_inner(count.expression) && std::ranges::all_of(count.alternatives, names_inner))
      << "10 is a reading, too";
}

// Two sizes leave every formula of n open. Both arguments are in the launch line, and the program's name
// contains a blank.
TEST(NextRecording, IsALineToCopyAtValuesThatWereNotRecorded) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2})
    for (const auto& [n, steps] : {std::pair{60, 10}, {90, 10}, {60, 20}}) {
      recordings.push_back(strips(n, steps, p));
      for (auto& rank : recordings.back().ranks)
        rank.command = {"./my app", std::to_string(n), std::to_string(steps)};
    }
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  const auto next = std::ranges::find(model->notices, "next-run", &Notice::code);
  ASSERT_NE(next, model->notices.end());
  EXPECT_THAT(next->hint, ::testing::StartsWith("parcast record --param n="));
  EXPECT_THAT(next->hint, ::testing::HasSubstr("'./my app' "));
  for (const char* recorded : {"n=60 ", "n=90 ", "steps=10 ", "steps=20 "})
    EXPECT_THAT(next->hint, ::testing::Not(::testing::HasSubstr(recorded)));
}

/// Returns the run to record next for a barrier executed once, or as the alternative gives.
std::optional<NextRecording> next_for(const symbolic::Expression& alternative) {
  Model model;
  model.processes = {1, 2, 3, 4};
  model.parameters = {{.name = "n", .values = {128, 191, 256}}};
  for (const double n : model.parameters[0].values)
    for (const std::int32_t p : model.processes) {
      Source& source = model.sources.emplace_back();
      source.parameters = {{"n", n}}, source.processes = p;
    }
  Node& barrier = model.nodes.emplace_back();
  barrier.executions.expression = 1, barrier.executions.origin = Origin::ambiguous;
  barrier.executions.alternatives = {alternative};
  model.share_by_origin["ambiguous"] = .11;
  return next_recording(model, {{}, {.11}}, {});
}

// Sides of a grid become 3 at p = 9 at the earliest. Rows in blocks and rows dealt out differ at p = 9 only
// where n leaves 1 by 3: of the small sizes beyond 128 at 130.
TEST(NextRecording, HasAsManyProcessesAsSeparateTheFormulas) {
  const auto more = next_for(1 + symbolic::floor(program::processes_symbol() / 9));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->point.processes, 9);
  const symbolic::Expression n = symbolic::symbol("n", symbolic::SymbolKind::parameter);
  const auto two_more = next_for(1 + symbolic::conditional(-symbolic::modulo(n, 130), 1, 0));
  ASSERT_TRUE(two_more);
  EXPECT_EQ(two_more->point.parameters.at("n"), 130);
}

/// On q x q x q ranks: those with a neighbour below in all three directions send to it, three times in a step
/// and once before.
Recording corners(int steps, int q) {
  return testing::record("corners", {{"steps", steps}}, q * q * q, [&](Tape& tape) {
    const int z = tape.rank() / (q * q), y = tape.rank() / q % q, x = tape.rank() % q;
    for (int s = 0; s <= steps; ++s)
      for (int k = 0; k < (s == 0 ? 1 : 3); ++k)
        if (x > 0 && y > 0 && z > 0)
          tape.send(20, tape.rank() - q * q - q - 1, 8);
        else
          tape.collective("MPI_Barrier", 21, Pattern::barrier, recording::kNoPeer, 0);
  });
}

TEST(RelativeCounts, WhatCornersOfACubeDoIsAConditionTimesACount) {
  std::vector<Recording> recordings;
  for (const int q : {1, 2, 3})
    for (const int steps : {10, 17, 25}) recordings.push_back(corners(steps, q));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  const auto predicted = predict_counts(*model, {{{"steps", 40}}, 64});
  ASSERT_TRUE(predicted);
  for (int r = 0; r < 64; ++r) {
    const bool corner = r % 4 > 0 && r / 4 % 4 > 0 && r / 16 > 0;
    EXPECT_EQ((*predicted)[static_cast<std::size_t>(r)].messages_sent.value, corner ? 3 * 40 + 1 : 0) << r;
  }
}

/// The inner ranks of three and four processes, all recorded with 20 steps: their counts may be any multiple
/// of the steps.
TEST(RelativeCounts, ANumberWhereAParameterNeverVariedIsNotExact) {
  std::vector<Recording> recordings;
  const auto record = [&](int n, int steps, std::int32_t p) {
    recordings.push_back(testing::record("inner", {{"n", n}, {"steps", steps}}, p, [&](Tape& tape) {
      for (int s = 0; s < 14 * steps; ++s)
        if (tape.rank() > 0 && tape.rank() < p - 1) tape.send(10, tape.rank() + 1, 64);
      tape.collective("MPI_Allreduce", 11, Pattern::allreduce, recording::kNoPeer, 8);
    }));
  };
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const int n : {96, 145, 201}) record(n, 20, p);
  record(96, 31, 2), record(96, 57, 2), record(145, 31, 1);
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  EXPECT_GT(node_at(*model, ":10").executions.origin, Origin::exact);
  EXPECT_EQ(node_at(*model, ":11").executions.origin, Origin::exact);
  record(96, 31, 3), record(201, 57, 3);
  const auto varied = build_model(recordings);
  ASSERT_TRUE(varied);
  const auto predicted = predict_counts(*varied, {{{"n", 400}, {"steps", 123}}, 8});
  ASSERT_TRUE(predicted);
  for (std::int32_t r = 0; r < 8; ++r)
    EXPECT_EQ((*predicted)[static_cast<std::size_t>(r)].messages_sent.value, r > 0 && r < 7 ? 14 * 123 : 0);
}

/// A ring: in each step every rank sends its rows to the next one, and all reduce.
Recording ring(int n, int steps, std::int32_t p) {
  return testing::record("ring", {{"n", n}, {"steps", steps}}, p, [&](Tape& tape) {
    const auto bytes = [&](std::int32_t rank) {
      return 8 * static_cast<std::uint64_t>(testing::block(n, p, rank));
    };
    const std::int32_t next = (tape.rank() + 1) % p, before = (tape.rank() + p - 1) % p;
    for (int s = 0; s < steps; ++s) {
      tape.exchange(20, {next, bytes(tape.rank())}, {before, bytes(before)});
      tape.collective("MPI_Allreduce", 21, Pattern::allreduce, recording::kNoPeer, 8);
    }
  });
}

Model of_rings(const std::vector<std::tuple<int, int, std::int32_t>>& points) {
  std::vector<Recording> recordings;
  for (const auto& [n, steps, p] : points) recordings.push_back(ring(n, steps, p));
  auto model = build_model(recordings);
  EXPECT_TRUE(model);
  return model ? *std::move(model) : Model{};
}

// Three sizes on four process counts: 191 rows of four processes are 48, 48, 48 and 47.
TEST(RelativeCounts, ThreeSizesOnSeveralProcessCountsEstablishAPart) {
  std::vector<std::tuple<int, int, std::int32_t>> points;
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const int n : {128, 191, 256}) points.emplace_back(n, 20, p);
  for (const std::int32_t p : {1, 2})
    for (const int n : {128, 191, 256}) points.emplace_back(n, 50, p);
  points.emplace_back(128, 31, 1);
  points.emplace_back(128, 57, 1);
  const Model model = of_rings(points);
  const Node& send = node_at(model, ":20");
  EXPECT_EQ(send.bytes.origin, Origin::exact) << symbolic::to_text(send.bytes.expression);
  const auto predicted = predict_counts(model, {{{"n", 200}, {"steps", 77}}, 7});
  ASSERT_TRUE(predicted);
  for (std::int32_t r = 0; r < 7; ++r)
    EXPECT_EQ((*predicted)[static_cast<std::size_t>(r)].bytes_sent.value, 77 * 8 * testing::block(200, 7, r));
}

// All numbers of steps are multiples of p, and so are the sizes: p floor(steps / p) is no alternative.
TEST(RelativeCounts, ANumberOfIterationsIsNotDividedAmongProcesses) {
  std::vector<std::tuple<int, int, std::int32_t>> points;
  for (const std::int32_t p : {1, 2, 4})
    for (const int n : {600, 800, 1000})
      for (const int steps : {20, 40, 60}) points.emplace_back(n, steps, p);
  const Model model = of_rings(points);
  const Node& reduce = node_at(model, ":21");
  EXPECT_EQ(symbolic::to_text(reduce.executions.expression), "steps");
  EXPECT_TRUE(reduce.executions.alternatives.empty()) << symbolic::to_text(reduce.executions.alternatives[0]);
  const Node& send = node_at(model, ":20");
  for (const symbolic::Expression& alternative : send.bytes.alternatives)
    EXPECT_TRUE(symbolic::quotient(alternative, parameter_symbol("steps"))) << symbolic::to_text(alternative);
}

// A reduction every 20 steps: one in 20 steps, and one in 35.
TEST(RelativeCounts, ANumberAtTwoCloseValuesOfAParameterIsNotExact) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 4})
    for (const auto& [n, steps] : {std::pair{96, 20}, {160, 20}, {240, 20}, {160, 35}})
      recordings.push_back(testing::record("every", {{"n", n}, {"steps", steps}}, p, [&](Tape& tape) {
        for (int s = 1; s <= steps; ++s) {
          tape.collective("MPI_Barrier", 5, Pattern::barrier, recording::kNoPeer, 0);
          if (s % 20 == 0) tape.collective("MPI_Allreduce", 6, Pattern::allreduce, recording::kNoPeer, 8);
        }
      }));
  const auto model = build_model(recordings);
  ASSERT_TRUE(model);
  EXPECT_GT(node_at(*model, ":6").executions.origin, Origin::exact)
      << symbolic::to_text(node_at(*model, ":6").executions.expression);
}

}  // namespace
}  // namespace parcast::program
