// SPDX-License-Identifier: Apache-2.0
// Typical mistakes, one at each place of a program where it is possible: deadlocked ranks are found with the
// file and line of their calls. The expected results come from the plain interpreter, and in some cases from
// reasoning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_app.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using recording::Pattern;
using simulate::testing::app;
using simulate::testing::app_platform;
using simulate::testing::at;
using simulate::testing::Bug;
using simulate::testing::call_in;
using simulate::testing::hanging_bugs;
using simulate::testing::leave_out;
using simulate::testing::operation;
using simulate::testing::Program;
using simulate::testing::seed;
using simulate::testing::traced;
using ::testing::HasSubstr;
using trace::Kind;
using trace::Mode;

/// "rank 3 at app.c:12" as a pair.
using Found = std::set<std::pair<std::int32_t, std::int32_t>>;
Found found_in(const trace::Trace& trace, const Outcome& outcome) {
  Found found;
  for (const Waiting& waiting : outcome.waiting)
    found.emplace(waiting.rank, trace.places[trace.operations[waiting.operation].place].line);
  return found;
}

TEST(Mistakes, RanksThatHangAreFoundWithTheirLines) {
  const std::vector<Bug> bugs = hanging_bugs();
  EXPECT_GE(bugs.size(), 40u);
  for (const Bug& bug : bugs) {
    SCOPED_TRACE(bug.name);
    const trace::Trace trace = traced(bug.program);
    const auto engine = simulate(trace, app_platform()),
               reference = reference::interpret(trace, app_platform());
    ASSERT_TRUE(reference);
    ASSERT_TRUE(engine) << to_string(engine.error());
    EXPECT_TRUE(!reference->waiting.empty() || reference->unreceived > 0);
    EXPECT_EQ(found_in(trace, *engine), found_in(trace, *reference));
    if (reference->waiting.empty()) EXPECT_EQ(engine->unreceived, reference->unreceived);
  }
}

/// Expected results by hand. Ranks that can continue wait at the barrier at the end.
TEST(Mistakes, SomeThatWereThoughtThrough) {
  struct Known {
    std::function<void(Program&)> change;
    Found found;
  };
  const Found rest_at_barrier{{1, 70}, {2, 70}, {3, 70}, {4, 70}, {5, 70}};
  const auto with_root_at = [&](std::int32_t line) {
    Found found = rest_at_barrier;
    found.emplace(0, line);
    return found;
  };
  const std::vector<Known> known{
      {[](Program& p) { leave_out(p, 3, 61); }, with_root_at(64)},  // the root waits for rank 3's message
      // and for the message with the other tag
      {[](Program& p) { operation(p, 5, 61).tag = 4; }, with_root_at(66)},
      {[](Program& p) { operation(p, 0, 62).communicator = 2; }, with_root_at(62)},
      {[](Program& p) { leave_out(p, 4, 70); }, {{0, 70}, {1, 70}, {2, 70}, {3, 70}, {5, 70}}},
      // Rank 2 waits in its synchronous send, rank 3 has passed it; no other rank can end the allreduce.
      {[](Program& p) { leave_out(p, 3, 32); }, {{0, 40}, {1, 40}, {2, 31}, {3, 40}, {4, 40}, {5, 40}}},
      {[](Program& p) { *call_in(p, 1, 32) = at(32, testing::send(0, 5000, Mode::standard, 2)); },
       {{0, 31}, {1, 32}, {2, 40}, {3, 40}, {4, 40}, {5, 40}}},
  };
  for (std::size_t number = 0; number < known.size(); ++number) {
    Program program = app();
    known[number].change(program);
    const trace::Trace trace = traced(program);
    const auto outcome = simulate(trace, app_platform());
    ASSERT_TRUE(outcome);
    EXPECT_EQ(found_in(trace, *outcome), known[number].found) << number;
  }
}

/// Mismatched collectives are an error that names both lines.
TEST(Mistakes, CollectivesThatDifferAreNamedWithTheirLines) {
  std::vector<Bug> bugs;
  seed(bugs, "wrong root", {20, 50}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    operation(program, rank, line).root = 3;
  });
  seed(bugs, "another collective", {20, 40, 50, 70},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         trace::Operation& of = operation(program, rank, line);
         of.pattern = of.pattern == Pattern::reduce ? Pattern::gather : Pattern::reduce;
         of.place = line + 5;
       });
  EXPECT_EQ(bugs.size(), 36u);
  for (const Bug& bug : bugs) {
    const auto outcome = simulate(traced(bug.program), app_platform());
    ASSERT_FALSE(outcome) << bug.name;
    const std::string line = bug.name.substr(bug.name.find("app.c:"), 8);
    EXPECT_THAT(outcome.error().what, HasSubstr("call different collectives")) << bug.name;
    EXPECT_THAT(outcome.error().what, HasSubstr(line)) << bug.name;
    if (bug.name.starts_with("another"))
      EXPECT_THAT(outcome.error().what, HasSubstr("app.c:" + std::to_string(std::stoi(line.substr(6)) + 5)))
          << bug.name;
  }
}

/// The rank's next collective meets the one that it omitted, which is an error. If a rank that never gets
/// there comes first, the result is a deadlock.
TEST(Mistakes, ACollectiveLeftOutIsNamedOrHangs) {
  std::vector<Bug> bugs;
  seed(bugs, "missing collective", {20, 50}, leave_out);
  seed(bugs, "collective in another communicator", {20, 50},
       [](Program& program, std::int32_t rank, std::uint32_t line) {
         operation(program, rank, line).communicator = 2;
       });
  std::size_t named = 0, hung = 0;
  for (const Bug& bug : bugs) {
    SCOPED_TRACE(bug.name);
    const trace::Trace trace = traced(bug.program);
    const auto engine = simulate(trace, app_platform()),
               reference = reference::interpret(trace, app_platform());
    ASSERT_TRUE(reference);
    if (!engine) {
      EXPECT_THAT(engine.error().what, HasSubstr(bug.name.substr(bug.name.find("app.c:"), 8)));
      ++named;
    } else {
      EXPECT_FALSE(engine->waiting.empty());
      EXPECT_EQ(found_in(trace, *engine), found_in(trace, *reference));
      ++hung;
    }
  }
  // Named errors. Broadcast: omitted by leaves of its tree (1, 3, 5), since the allreduce after it needs all.
  // Gather: omitted by all except rank 0, which first waits for its root. Executed elsewhere: by leaves of
  // the gather's tree (3, 5, 1). Otherwise, ranks wait for ever.
  EXPECT_EQ(named, 3u + 5u + 3u);
  EXPECT_EQ(hung, bugs.size() - named);
}

TEST(Mistakes, CorrectProgramsRaiseNoAlarm) {
  const auto correct = simulate(traced(app()), app_platform());
  ASSERT_TRUE(correct);
  EXPECT_TRUE(correct->waiting.empty());
  EXPECT_EQ(correct->unreceived, 0u);
  for (std::uint64_t seed = 5000; seed < 6000; ++seed) {
    const auto [trace, machine] = simulate::testing::random_case(seed);
    const auto outcome = simulate(trace, machine);
    ASSERT_TRUE(outcome) << to_string(outcome.error());
    EXPECT_TRUE(outcome->waiting.empty()) << seed;
    EXPECT_EQ(outcome->unreceived, 0u) << seed;
  }
}

}  // namespace
}  // namespace parcast::simulate
