// SPDX-License-Identifier: Apache-2.0
// Random programs in which a rank stops early, as if it had been killed, or lacks some calls, as if recording
// had been off. After the rehearsal, their replays end.
#include <gtest/gtest.h>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_generator.h"
#include "predict/simulate/test_random_trace.h"
#include "trace/rehearsal.h"

namespace parcast::simulate::testing {
namespace {

using trace::Item;
using trace::Trace;

bool names_all(const Trace& trace) {
  return std::ranges::none_of(trace.operations, [](const trace::Operation& each) {
    return trace::looks_for_envelope(each.kind) && (each.peer == trace::kAny || each.tag == trace::kAny);
  });
}

/// Removes some items of one rank.
Trace without(Trace trace, std::size_t rank, const std::function<bool(std::size_t)>& drop) {
  trace::Sequence left;
  std::size_t word = 0;
  for (trace::Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next(); ++word) {
    const Item item = walker.item();
    const bool is_operation = item.what() == Item::What::operation;
    // waits count them
    const bool begins = is_operation && trace::begins_request(trace.operations[item.index()].kind);
    if (!begins && drop(word)) continue;
    left.push_back(is_operation ? Item::operation(item.index()) : item);
  }
  trace.sequence_of[rank] = static_cast<std::uint32_t>(trace.sequences.size());
  trace.sequences.push_back(std::move(left));
  return trace;
}

bool hangs(const Trace& trace, const Platform& platform) {
  const auto outcome = simulate(trace, platform);
  EXPECT_TRUE(outcome) << (outcome ? "" : to_string(outcome.error()));
  return !outcome || !outcome->waiting.empty();
}

Trace ended(const Trace& trace) {
  const std::vector<trace::RankLanes> lanes(static_cast<std::size_t>(trace.ranks));
  auto out = trace::as_rehearsed(trace, lanes, trace::rehearse(trace, lanes));
  EXPECT_TRUE(out) << (out ? "" : to_string(out.error()));
  if (!out) return {};
  // A handshake may wait for a receive that a killed rank never reached: the last attempt of a replay treats
  // sends as buffered.
  for (trace::Operation& each : out->operations)
    if (each.kind == trace::Kind::send || each.kind == trace::Kind::start_send)
      each.mode = trace::Mode::buffered;
  return std::move(*out);
}

TEST(EndedRuns, WhatEndsLacksNothing) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Trace trace = random_case(seed, false).trace;
    if (!names_all(trace)) continue;
    const std::vector<trace::RankLanes> lanes(static_cast<std::size_t>(trace.ranks));
    EXPECT_TRUE(trace::rehearse(trace, lanes).missing.empty()) << seed;
  }
}

TEST(EndedRuns, WithARankThatWasKilledTheyEndNonetheless) {
  int hung = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto made = random_case(seed, false);
    const Trace& trace = made.trace;
    if (!names_all(trace)) continue;
    Draw draw(seed);
    const std::size_t kept = draw.below(30);
    const Trace cut = without(trace, draw.below(static_cast<std::uint64_t>(trace.ranks)),
                              [&](std::size_t word) { return word >= kept; });
    hung += hangs(cut, made.platform);
    EXPECT_FALSE(hangs(ended(cut), made.platform)) << seed;
  }
  EXPECT_GT(hung, 30);
}

TEST(EndedRuns, WithCallsThatWereNotRecordedTheyEndNonetheless) {
  int hung = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto made = random_case(seed, false);
    const Trace& trace = made.trace;
    const bool collectives = std::ranges::any_of(
        trace.operations, [](const trace::Operation& each) { return each.kind == trace::Kind::collective; });
    if (!names_all(trace) || collectives) continue;
    Draw draw(seed);
    const Trace cut = without(trace, draw.below(static_cast<std::uint64_t>(trace.ranks)),
                              [&](std::size_t) { return draw.one_in(4); });
    hung += hangs(cut, made.platform);
    EXPECT_FALSE(hangs(ended(cut), made.platform)) << seed;
  }
  EXPECT_GT(hung, 10);
}

}  // namespace
}  // namespace parcast::simulate::testing
