// SPDX-License-Identifier: Apache-2.0
// Mistakes as people make them, one at each place of a program where it can be made: the ranks that hang are found with the
// file and line of their calls. What is right comes from the plain interpreter, and for some from thinking.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using recording::Pattern;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::Node;
using simulate::testing::Program;
using ::testing::HasSubstr;
using trace::Kind;
using trace::Mode;

constexpr std::int32_t kRanks = 6;
constexpr std::uint32_t kLines = 100;

/// A call that stands in that line of app.c.
Node at(std::uint32_t line, Node node) {
  node.operation.place = line;
  return node;
}

Body rank_of_app(std::int32_t rank) {
  const std::int32_t right = (rank + 1) % kRanks, left = (rank + kRanks - 1) % kRanks;
  Body body{compute(1000 * (rank + 1)),
            at(10, testing::start_receive(left, 1)), at(11, testing::start_send(right, 100, Mode::standard, 1)), at(12, testing::wait({1, 2})),
            at(20, collective(Pattern::broadcast, 64, 0)),
            rank % 2 == 0 ? at(31, testing::send(rank + 1, 5000, Mode::synchronous, 2)) : at(32, testing::receive(rank - 1, 2)),
            at(40, collective(Pattern::allreduce, 8, 0, 1)),
            at(50, collective(Pattern::gather, 8, 2))};
  if (rank > 0) body.push_back(at(61, testing::send(0, 10, Mode::standard, 3)));
  for (std::int32_t from = 1; rank == 0 && from < kRanks; ++from) body.push_back(at(static_cast<std::uint32_t>(61 + from), testing::receive(from, 3)));
  body.push_back(at(70, collective(Pattern::barrier, 0)));
  return body;
}

Program app() {
  Program program;
  for (std::int32_t rank = 0; rank < kRanks; ++rank) program.ranks.push_back(rank_of_app(rank));
  program.communicators = {trace::Communicator{}, {{5, 4, 3, 2, 1, 0}}, {{0, 1, 2, 3, 4, 5}}};
  return program;
}

trace::Trace traced(const Program& program) {
  trace::Trace trace = to_trace(program);
  for (std::uint32_t line = 0; line < kLines; ++line) trace.places.push_back({"main", "main", "app.c", static_cast<std::int32_t>(line), "MPI_Call"});
  return trace;
}

Platform platform() {
  Platform out;
  out.links = {{.latency = 5000, .send_overhead = 300, .receive_overhead = 200, .gap = 100, .gap_per_byte = kOne, .eager_limit = 1000, .rendezvous_gap_per_byte = kOne}};
  return out;
}

/// "rank 3 at app.c:12" as a pair.
using Found = std::set<std::pair<std::int32_t, std::int32_t>>;
Found found_in(const trace::Trace& trace, const Outcome& outcome) {
  Found found;
  for (const Waiting& waiting : outcome.waiting) found.emplace(waiting.rank, trace.places[trace.operations[waiting.operation].place].line);
  return found;
}

Body::iterator call_in(Program& program, std::int32_t rank, std::uint32_t line) {
  Body& body = program.ranks[static_cast<std::size_t>(rank)];
  return std::find_if(body.begin(), body.end(), [&](const Node& node) { return node.what == trace::Item::What::operation && node.operation.place == line; });
}
trace::Operation& operation(Program& program, std::int32_t rank, std::uint32_t line) { return call_in(program, rank, line)->operation; }
void leave_out(Program& program, std::int32_t rank, std::uint32_t line) { program.ranks[static_cast<std::size_t>(rank)].erase(call_in(program, rank, line)); }

struct Bug {
  std::string name;
  Program program;
};

/// Every bug of a sort, once on each rank where the line is.
template <class Change>
void seed(std::vector<Bug>& bugs, const std::string& name, std::initializer_list<std::uint32_t> lines, Change change) {
  for (const std::uint32_t line : lines)
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      Program program = app();
      if (call_in(program, rank, line) == program.ranks[static_cast<std::size_t>(rank)].end()) continue;
      change(program, rank, line);
      bugs.push_back({name + " in app.c:" + std::to_string(line) + " on rank " + std::to_string(rank), std::move(program)});
    }
}

/// Bugs with which some rank hangs, or a message is left.
std::vector<Bug> hanging_bugs() {
  std::vector<Bug> bugs;
  seed(bugs, "missing receive", {32, 62, 63, 64, 65, 66}, leave_out);
  seed(bugs, "missing send", {31, 61}, leave_out);
  seed(bugs, "missing collective", {40, 70}, leave_out);
  seed(bugs, "wrong tag", {10, 11, 31, 32, 61, 62, 66}, [](Program& program, std::int32_t rank, std::uint32_t line) { operation(program, rank, line).tag += 40; });
  seed(bugs, "wrong communicator", {10, 11, 31, 32, 61, 62, 66}, [](Program& program, std::int32_t rank, std::uint32_t line) { operation(program, rank, line).communicator = 2; });
  seed(bugs, "collective in another communicator", {40, 70}, [](Program& program, std::int32_t rank, std::uint32_t line) { operation(program, rank, line).communicator = 2; });
  seed(bugs, "wrong partner", {10, 11, 31, 32}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    std::int32_t& peer = operation(program, rank, line).peer;
    peer = (peer + 2) % kRanks;
  });
  seed(bugs, "two sends face to face", {32}, [](Program& program, std::int32_t rank, std::uint32_t line) { *call_in(program, rank, line) = at(32, testing::send(rank - 1, 5000, Mode::standard, 2)); });
  seed(bugs, "cut short", {10, 20, 31, 32, 40, 50, 61, 70}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    Body& body = program.ranks[static_cast<std::size_t>(rank)];
    body.erase(call_in(program, rank, line), body.end());
  });
  return bugs;
}

TEST(Mistakes, RanksThatHangAreFoundWithTheirLines) {
  const std::vector<Bug> bugs = hanging_bugs();
  EXPECT_GE(bugs.size(), 40u);
  for (const Bug& bug : bugs) {
    SCOPED_TRACE(bug.name);
    const trace::Trace trace = traced(bug.program);
    const auto engine = simulate(trace, platform()), reference = reference::interpret(trace, platform());
    ASSERT_TRUE(reference);
    ASSERT_TRUE(engine) << to_string(engine.error());
    EXPECT_TRUE(!reference->waiting.empty() || reference->unreceived > 0);
    EXPECT_EQ(found_in(trace, *engine), found_in(trace, *reference));
    if (reference->waiting.empty()) EXPECT_EQ(engine->unreceived, reference->unreceived);
  }
}

/// What follows by hand; the barrier at the end is where those wait who can go on.
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
      {[](Program& p) { leave_out(p, 3, 61); }, with_root_at(64)},                    // the root waits for rank 3's message
      {[](Program& p) { operation(p, 5, 61).tag = 4; }, with_root_at(66)},            // and for the one with the other tag
      {[](Program& p) { operation(p, 0, 62).communicator = 2; }, with_root_at(62)},
      {[](Program& p) { leave_out(p, 4, 70); }, {{0, 70}, {1, 70}, {2, 70}, {3, 70}, {5, 70}}},
      // Rank 2 waits in its synchronous send, rank 3 is past it; nobody else can end the allreduce.
      {[](Program& p) { leave_out(p, 3, 32); }, {{0, 40}, {1, 40}, {2, 31}, {3, 40}, {4, 40}, {5, 40}}},
      {[](Program& p) { *call_in(p, 1, 32) = at(32, testing::send(0, 5000, Mode::standard, 2)); }, {{0, 31}, {1, 32}, {2, 40}, {3, 40}, {4, 40}, {5, 40}}},
  };
  for (std::size_t number = 0; number < known.size(); ++number) {
    Program program = app();
    known[number].change(program);
    const trace::Trace trace = traced(program);
    const auto outcome = simulate(trace, platform());
    ASSERT_TRUE(outcome);
    EXPECT_EQ(found_in(trace, *outcome), known[number].found) << number;
  }
}

/// Collectives that do not fit are an error that names both lines.
TEST(Mistakes, CollectivesThatDifferAreNamedWithTheirLines) {
  std::vector<Bug> bugs;
  seed(bugs, "wrong root", {20, 50}, [](Program& program, std::int32_t rank, std::uint32_t line) { operation(program, rank, line).root = 3; });
  seed(bugs, "another collective", {20, 40, 50, 70}, [](Program& program, std::int32_t rank, std::uint32_t line) {
    trace::Operation& of = operation(program, rank, line);
    of.pattern = of.pattern == Pattern::reduce ? Pattern::gather : Pattern::reduce;
    of.place = line + 5;
  });
  EXPECT_EQ(bugs.size(), 36u);
  for (const Bug& bug : bugs) {
    const auto outcome = simulate(traced(bug.program), platform());
    ASSERT_FALSE(outcome) << bug.name;
    const std::string line = bug.name.substr(bug.name.find("app.c:"), 8);
    EXPECT_THAT(outcome.error().what, HasSubstr("call different collectives")) << bug.name;
    EXPECT_THAT(outcome.error().what, HasSubstr(line)) << bug.name;
    if (bug.name.starts_with("another")) EXPECT_THAT(outcome.error().what, HasSubstr("app.c:" + std::to_string(std::stoi(line.substr(6)) + 5))) << bug.name;
  }
}

/// The rank's next collective meets the one of the others that it left out, and that is an error; unless somebody who never gets
/// there comes before, and that is a hang.
TEST(Mistakes, ACollectiveLeftOutIsNamedOrHangs) {
  std::vector<Bug> bugs;
  seed(bugs, "missing collective", {20, 50}, leave_out);
  seed(bugs, "collective in another communicator", {20, 50}, [](Program& program, std::int32_t rank, std::uint32_t line) { operation(program, rank, line).communicator = 2; });
  std::size_t named = 0, hung = 0;
  for (const Bug& bug : bugs) {
    SCOPED_TRACE(bug.name);
    const trace::Trace trace = traced(bug.program);
    const auto engine = simulate(trace, platform()), reference = reference::interpret(trace, platform());
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
  // Named: left out of the broadcast by leaves of its tree (1, 3, 5), for the allreduce behind it needs all; of the gather by all but
  // rank 0, which first waits for its root; and done elsewhere by leaves of the gather's tree (3, 5, 1). Elsewhere, others wait for ever.
  EXPECT_EQ(named, 3u + 5u + 3u);
  EXPECT_EQ(hung, bugs.size() - named);
}

TEST(Mistakes, CorrectProgramsRaiseNoAlarm) {
  const auto correct = simulate(traced(app()), platform());
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
