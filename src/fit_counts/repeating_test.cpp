// SPDX-License-Identifier: Apache-2.0
// Parameters that only repeat calls, in programs of which it is known.
#include "fit_counts/repeating.h"

#include <gmock/gmock.h>

#include "observations/inputs.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::program {
namespace {

using recording::Pattern;
using recording::Recording;
using ::testing::ElementsAre;

std::vector<bool> repeating_in(const std::vector<Recording>& recordings) {
  const auto inputs = check_inputs(recordings);
  EXPECT_TRUE(inputs);
  if (!inputs) return {};
  return repeating(inputs.value().parameters.size(), inputs.value().runs,
                   reduce(recordings, inputs.value().order));
}

template <class Record>
std::vector<Recording> crossed(const Record& record) {
  std::vector<Recording> out;
  for (const std::int32_t p : {1, 2, 4})
    for (const auto& [n, steps] : {std::pair{64, 10}, {96, 10}, {64, 20}, {64, 32}})
      out.push_back(record(n, steps, p));
  return out;
}

// The parameters are N and steps, in this order.
TEST(Repeating, StepsRepeatTheCallsOfAStencilAndItsSizeDoesNot) {
  EXPECT_THAT(repeating_in(crossed(
                  [](int n, int steps, std::int32_t p) { return testing::shallow_water(n, steps, p); })),
              ElementsAre(false, true));
}

// The size is a number of iterations, too: N broadcasts of a row.
TEST(Repeating, RowsThatAreSentAreASize) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 4})
    for (const int n : {12, 20, 32}) recordings.push_back(testing::gauss(n, p));
  EXPECT_THAT(repeating_in(recordings), ElementsAre(false));
}

/// A reduction for each task, after which the processes send the results of their own tasks.
Recording tasks(int n, int tasks, std::int32_t p) {
  return testing::record("tasks", {{"n", n}, {"tasks", tasks}}, p, [&](testing::Tape& tape) {
    for (int k = 0; k < tasks; ++k)
      tape.collective("MPI_Allreduce", 5, Pattern::allreduce, recording::kNoPeer, 8);
    for (int k = tape.rank(); k < tasks; k += p) tape.send(9, (tape.rank() + 1) % p, 8);
    for (int k = (tape.rank() + p - 1) % p; k < tasks; k += p) tape.receive(10, (tape.rank() + p - 1) % p, 8);
  });
}

TEST(Repeating, TasksThatProcessesShareAreDivided) {
  EXPECT_THAT(repeating_in(crossed(tasks)), ElementsAre(false, false));
}

TEST(Repeating, OneProcessCountShowsNothing) {
  std::vector<Recording> recordings;
  for (const int steps : {10, 20, 32}) recordings.push_back(testing::shallow_water(64, steps, 2));
  EXPECT_THAT(repeating_in(recordings), ElementsAre(false, false));
}

}  // namespace
}  // namespace parcast::program
