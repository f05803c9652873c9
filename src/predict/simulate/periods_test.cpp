// SPDX-License-Identifier: Apache-2.0
// Skipped iterations against iterations simulated one by one, and against the plain interpreter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"
#include "trace/trace.h"

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;
using trace::Operation;
using trace::Trace;

constexpr Time kMicrosecond = 1'000'000;

std::uint32_t deepest(const trace::Sequence& sequence) {
  trace::Walker walker(sequence);
  std::uint32_t most = 0;
  while (walker.next()) most = std::max(most, walker.depth());
  return most;
}

/// Returns the trace's operations once, then `rounds` times in a loop of `inner` times, then once.
Trace repeated(Trace trace, std::uint32_t rounds, std::uint32_t inner) {
  for (trace::Sequence& sequence : trace.sequences) {
    const trace::Sequence once = sequence;
    if (once.empty()) continue;
    const auto words = static_cast<std::uint32_t>(once.size());
    if (inner > 1) {
      sequence.push_back(Item::loop(words + 2, rounds));
      sequence.push_back(Item::compute(700));
      sequence.push_back(Item::loop(words, inner));
    } else {
      sequence.push_back(Item::loop(words, rounds));
    }
    sequence.insert(sequence.end(), once.begin(), once.end());
    sequence.insert(sequence.end(), once.begin(), once.end());
  }
  return trace;
}

/// Also compares the deadlocked ranks.
void expect_same(const Outcome& a, const Outcome& b) {
  simulate::testing::expect_same(a, b);
  EXPECT_EQ(a.cycle, b.cycle);
  ASSERT_EQ(a.waiting.size(), b.waiting.size());
  for (std::size_t i = 0; i < a.waiting.size(); ++i) {
    EXPECT_EQ(a.waiting[i].rank, b.waiting[i].rank);
    EXPECT_EQ(a.waiting[i].word, b.waiting[i].word);
    EXPECT_EQ(a.waiting[i].since, b.waiting[i].since);
    EXPECT_EQ(a.waiting[i].for_ranks, b.waiting[i].for_ranks);
  }
}

struct Count {
  int cases = 0, skipping = 0;
};

void compare(const Trace& trace, const Platform& platform, Count& count) {
  const auto skipped = simulate(trace, platform);
  const auto every = simulate(trace, platform, Trust::none, Iterations::every);
  ASSERT_EQ(static_cast<bool>(skipped), static_cast<bool>(every));
  if (!every) {
    EXPECT_EQ(to_string(skipped.error()), to_string(every.error()));
    return;
  }
  EXPECT_EQ(every->skipped, 0u);
  EXPECT_EQ(skipped->operations, every->operations);
  expect_same(*skipped, *every);
  ++count.cases;
  count.skipping += skipped->skipped > 0 ? 1 : 0;
}

TEST(Periods, random_programs_repeated_end_as_if_simulated_one_by_one) {
  Count loop, nested;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    const auto [trace, platform] = simulate::testing::random_case(seed);
    if (std::any_of(trace.sequences.begin(), trace.sequences.end(),
                    [](const auto& each) { return deepest(each) + 2 > trace::kDeepest; }))
      continue;
    compare(repeated(trace, 60, 1), platform, loop);
    compare(repeated(trace, 7, 40), platform, nested);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(loop.skipping * 10, loop.cases * 5) << loop.skipping << " of " << loop.cases;
  EXPECT_GT(nested.skipping * 10, nested.cases * 5) << nested.skipping << " of " << nested.cases;
}

TEST(Periods, mistakes_repeated_hang_as_if_simulated_one_by_one) {
  Count count;
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(::testing::Message() << "broken_case(" << seed << ", " << kind << ")");
      const auto [trace, platform] = simulate::testing::broken_case(seed, kind);
      if (std::any_of(trace.sequences.begin(), trace.sequences.end(),
                      [](const auto& each) { return deepest(each) + 1 > trace::kDeepest; }))
        continue;
      compare(repeated(trace, 50, 1), platform, count);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
}

TEST(Periods, agree_with_the_plain_interpreter) {
  for (std::uint64_t seed = 1000; seed < 1060; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    const auto [once, platform] = simulate::testing::random_case(seed);
    if (std::any_of(once.sequences.begin(), once.sequences.end(),
                    [](const auto& each) { return deepest(each) + 1 > trace::kDeepest; }))
      continue;
    const Trace trace = repeated(once, 24, 1);
    const auto reference = reference::interpret(trace, platform);
    const auto engine = simulate(trace, platform);
    ASSERT_TRUE(reference && engine);
    ASSERT_EQ(engine->waiting.size(), reference->waiting.size());
    if (reference->waiting.empty()) expect_same(*engine, *reference);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

/// Two ranks exchange messages a billion times: L = 2 us, o = 0.5 us, 3 us of computing on the first rank.
TEST(Periods, a_billion_rounds_by_hand) {
  Trace trace;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .bytes = 8},
                      {.kind = Kind::receive, .peer = 1},
                      {.kind = Kind::receive, .peer = -1},
                      {.kind = Kind::send, .peer = -1, .bytes = 8}};
  trace.sequences = {
      {Item::loop(3, 1'000'000'000), Item::compute(3 * kMicrosecond), Item::operation(0), Item::operation(1)},
      {Item::loop(2, 1'000'000'000), Item::operation(2), Item::operation(3)}};
  trace.sequence_of = {0, 1};
  Platform platform;
  platform.links = {Link{
      .latency = 2 * kMicrosecond, .send_overhead = kMicrosecond / 2, .receive_overhead = kMicrosecond / 2}};
  const auto outcome = simulate(trace, platform);
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  EXPECT_EQ(outcome->makespan, Time{1'000'000'000} * 9 * kMicrosecond);  // 3 + 2 (0.5 + 2 + 0.5)
  EXPECT_EQ(outcome->ranks[0].compute, Time{1'000'000'000} * 3 * kMicrosecond);
  EXPECT_EQ(outcome->ranks[1].communication, Time{1'000'000'000} * kMicrosecond);
  EXPECT_EQ(outcome->messages, 2'000'000'000u);
}

/// The same for longer than 26 days is refused, skipped or not.
TEST(Periods, skip_no_further_than_the_longest_time) {
  Trace trace;
  trace.ranks = 1;
  trace.operations = {{.kind = Kind::send, .peer = 0}, {.kind = Kind::receive, .peer = 0}};
  trace.sequences = {{Item::loop(3, 3'000'000), Item::compute(trace::kLongest / 1'000'000),
                      Item::operation(0), Item::operation(1)}};
  trace.sequence_of = {0};
  Platform platform;
  platform.links = {Link{}};
  const auto outcome = simulate(trace, platform);
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("26 days"), std::string::npos) << outcome.error().what;
}

}  // namespace
}  // namespace parcast::simulate
