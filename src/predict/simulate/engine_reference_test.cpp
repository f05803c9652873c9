// SPDX-License-Identifier: Apache-2.0
// The engine against the plain interpreter of the same page, on random correct and faulty programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"
#include "trace/trace.h"

namespace parcast::simulate {

namespace {

constexpr std::uint64_t kCases = 1500;
constexpr std::uint64_t kCasesOfAMistake = 30;

/// Returns the deadlocked ranks and their calls.
std::vector<std::pair<std::int32_t, std::uint32_t>> waiting_in(const Outcome& outcome) {
  std::vector<std::pair<std::int32_t, std::uint32_t>> calls;
  for (const Waiting& waiting : outcome.waiting) calls.emplace_back(waiting.rank, waiting.operation);
  return calls;
}

bool has_probes(const trace::Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [](const trace::Operation& each) { return each.kind == trace::Kind::probe; });
}

TEST(EngineAndReference, agree_on_random_programs) {
  std::uint64_t probing = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    const auto [trace, platform] = simulate::testing::random_case(seed);
    probing += has_probes(trace) ? 1 : 0;
    const auto reference = reference::interpret(trace, platform);
    const auto engine = simulate(trace, platform);
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(engine) << to_string(engine.error());
    EXPECT_TRUE(engine->waiting.empty());
    simulate::testing::expect_same(*engine, *reference);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GE(probing, 1000u);
}

/// For any share of a core of the ranks, also on networks.
TEST(EngineAndReference, agree_on_random_programs_of_ranks_with_a_share_of_a_core) {
  for (std::uint64_t seed = 0; seed < kCases / 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto given = seed % 5 == 1 ? simulate::testing::plain_case(seed)
                               : simulate::testing::random_case(seed, seed % 4 > 0);
    if (seed % 4 == 0) given = simulate::testing::with_network(std::move(given), seed);
    const auto [trace, platform] = simulate::testing::with_share(std::move(given), seed);
    const auto reference = reference::interpret(trace, platform);
    const auto engine = simulate(trace, platform);
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(engine) << to_string(engine.error());
    EXPECT_TRUE(engine->waiting.empty());
    simulate::testing::expect_same(*engine, *reference);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

/// Messages that only interfaces delay take a separate path through the engine (plain.cpp), which also varies
/// for runs with skipped iterations.
TEST(EngineAndReference, agree_on_random_programs_of_plain_messages) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "plain_case(" << seed << ")");
    const auto [trace, platform] = simulate::testing::plain_case(seed);
    const auto reference = reference::interpret(trace, platform);
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(reference->waiting.empty());
    for (const Iterations iterations : {Iterations::skipped, Iterations::every}) {
      const auto engine = simulate(trace, platform, Trust::none, iterations);
      ASSERT_TRUE(engine) << to_string(engine.error());
      simulate::testing::expect_same(*engine, *reference);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
}

TEST(EngineAndReference, agree_on_who_hangs_where_a_program_has_a_mistake) {
  std::uint64_t refused = 0;
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind) {
    for (std::uint64_t seed = 0; seed < kCasesOfAMistake; ++seed) {
      SCOPED_TRACE(::testing::Message() << "broken_case(" << seed << ", " << kind
                                        << "): " << simulate::testing::mistake_name(kind));
      const auto [trace, platform] = simulate::testing::broken_case(seed, kind);
      const auto reference = reference::interpret(trace, platform);
      const auto engine = simulate(trace, platform);
      ASSERT_TRUE(reference) << to_string(reference.error());
      if (!engine) {
        // The plain interpreter matches messages of different collectives; the engine detects that the calls
        // differ.
        EXPECT_NE(std::string(simulate::testing::mistake_name(kind)).find("roots"), std::string::npos)
            << to_string(engine.error());
        EXPECT_NE(engine.error().what.find("call different collectives"), std::string::npos)
            << to_string(engine.error());
        ++refused;
        continue;
      }
      EXPECT_EQ(waiting_in(*engine), waiting_in(*reference));
      if (reference->waiting.empty()) simulate::testing::expect_same(*engine, *reference);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
  }
  EXPECT_EQ(refused, kCasesOfAMistake);  // those whose roots differ, and no others
}

}  // namespace
}  // namespace parcast::simulate
