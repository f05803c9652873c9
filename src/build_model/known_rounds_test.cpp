// SPDX-License-Identifier: Apache-2.0
#include "build_model/known_rounds.h"

#include <gtest/gtest.h>

#include <vector>

#include "build_model/whole_model.h"
#include "observations/testing/synthetic_runs.h"
#include "structure/generate.h"

namespace parcast::program {
namespace {

using recording::CallClass;

/// `rounds` times: messages around a ring of several processes, computing, an allreduce.
recording::Recording ring(int n, int steps, int rounds, std::int32_t p) {
  return testing::record("ring", {{"n", n}, {"steps", steps}}, p, [&](testing::Tape& tape) {
    for (int round = 0; round < rounds; ++round) {
      if (p > 1) {
        const auto bytes = static_cast<std::uint64_t>(8 * n);
        tape.exchange(12, {(tape.rank() + 1) % p, bytes}, {(tape.rank() + p - 1) % p, bytes});
      }
      tape.compute(1e-8 * n * n / p);
      tape.collective("MPI_Allreduce", 15, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
  });
}

std::int64_t messages_at(const Model& model, double n, double steps, std::int32_t p) {
  const auto trace = generate(model, {{{"n", n}, {"steps", steps}}, p});
  EXPECT_TRUE(trace) << to_string(trace.error());
  std::int64_t out = 0;
  if (trace)
    for (const std::uint32_t sequence : trace->sequence_of)
      for (const auto& [index, times] : trace::executions_of(trace->sequences[sequence]))
        if (trace->operations[index].kind == trace::Kind::send ||
            trace->operations[index].kind == trace::Kind::start_send)
          out += static_cast<std::int64_t>(times);
  return out;
}

// Several processes always do 2 x 10 + 1 rounds, and one process shows that their number is 2 steps + 1.
TEST(KnownRounds, ComeFromTheRunsOfOneProcessWhereOnlyTheseVaryThem) {
  RecordedRuns runs;
  for (const int p : {2, 3, 4})
    for (const int n : {32, 45, 64}) runs.add(ring(n, 10, 21, p));
  for (const int n : {32, 45, 64})
    for (const int steps : {10, 17, 40}) runs.add(ring(n, steps, 2 * steps + 1, 1));
  const auto model = whole_model(runs, false, [](double, std::string_view) {});
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_TRUE(model->structure && model->structure->found());
  EXPECT_EQ(messages_at(*model, 45, 10, 4), 4 * 21);
  EXPECT_EQ(messages_at(*model, 45, 40, 4), 4 * 81);
}

TEST(KnownRounds, StayWhereTheRunsOfOneProcessDoAsMany) {
  RecordedRuns runs;
  for (const int p : {2, 3, 4})
    for (const int n : {32, 45, 64}) runs.add(ring(n, 10, 21, p));
  for (const int n : {32, 45, 64})
    for (const int steps : {10, 17, 40}) runs.add(ring(n, steps, 21, 1));
  const auto model = whole_model(runs, false, [](double, std::string_view) {});
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(messages_at(*model, 45, 40, 4), 4 * 21);
}

}  // namespace
}  // namespace parcast::program
