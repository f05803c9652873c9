// SPDX-License-Identifier: Apache-2.0
// Probes, and receives with any tag, with times computed by hand from docs/models/message_passing.md: of the
// engine and of the plain interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "predict/simulate/critical_path.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/test_platform.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using simulate::testing::Body;
using simulate::testing::compute;
using simulate::testing::loop;
using simulate::testing::probe;
using simulate::testing::receive;
using simulate::testing::repeat;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::to_trace;
using simulate::testing::wait;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::kAny;
using trace::Kind;
using trace::Mode;

/// L = 100, o_s = 10, o_r = 20, everything else 0.
Link plain() {
  return {.latency = 100, .send_overhead = 10, .receive_overhead = 20, .corrections = {}};
}

/// With G = 1, g = 5, and above 1000 bytes rendezvous with H = 40 and G' = 2.
Link full() {
  Link link = plain();
  link.gap = 5;
  link.gap_per_byte = kOne;
  link.eager_limit = 1000;
  link.handshake = 40;
  link.rendezvous_gap_per_byte = 2 * kOne;
  return link;
}

/// Receives take an additional picosecond per byte, so the time shows which message was received.
Link telling() {
  Link link = plain();
  link.receive_overhead_per_byte = kOne;
  return link;
}

Platform on(const Link& link, Attention attention = Attention::calls) {
  Platform platform;
  platform.links = {link};
  platform.attention = attention;
  return platform;
}

/// Returns the engine's outcome, which must equal that of the plain interpreter.
Outcome run(std::vector<Body> ranks, const Platform& platform) {
  const trace::Trace trace = to_trace({.ranks = std::move(ranks)});
  const auto outcome = simulate(trace, platform);
  const auto plainly = reference::interpret(trace, platform);
  EXPECT_TRUE(outcome && plainly);
  if (!outcome || !plainly) return {};
  EXPECT_EQ(outcome->ranks.size(), plainly->ranks.size());
  for (std::size_t rank = 0; rank < outcome->ranks.size(); ++rank)
    EXPECT_EQ(outcome->ranks[rank].end, plainly->ranks[rank].end) << "rank " << rank;
  return *outcome;
}

std::vector<Time> ends(std::vector<Body> ranks, const Platform& platform) {
  std::vector<Time> times;
  for (const RankOutcome& rank : run(std::move(ranks), platform).ranks) times.push_back(rank.end);
  return times;
}

TEST(Probe, waits_for_the_envelope_and_the_receive_behind_it_pays) {
  const Outcome outcome = run({{probe(1), compute(5), receive(1)}, {send(0, 0)}}, on(plain()));
  EXPECT_EQ(outcome.ranks[0].end, 110 + 5 + 20);
  EXPECT_EQ(outcome.ranks[0].communication, 20);
  EXPECT_EQ(outcome.unreceived, 0u);
}

TEST(Probe, takes_no_time_where_the_envelope_is_there) {
  EXPECT_THAT(ends({{compute(500), repeat(probe(1), 3), receive(1)}, {send(0, 0)}}, on(plain())),
              ElementsAre(520, 10));
}

TEST(Probe, ends_with_the_head_while_the_bytes_still_come) {
  // Head at 110, receivable at 210; computing from 110 to 170.
  EXPECT_THAT(ends({{probe(1), compute(60), receive(1)}, {send(0, 100)}}, on(full())), ElementsAre(230, 10));
}

TEST(Probe, leaves_a_message_to_the_receive_that_was_posted_before) {
  // The first goes to the posted receive; the second arrives at 120 and is received until 140; then the
  // first: 160.
  EXPECT_THAT(
      ends({{start_receive(1), probe(1), receive(1), wait({1})}, {repeat(send(0, 0), 2)}}, on(plain())),
      ElementsAre(160, 20));
}

TEST(Probe, from_any_finds_what_arrives_first_then_the_lower_rank) {
  const std::vector<Body> at_once{{probe(kAny), receive(kAny)}, {send(0, 100)}, {send(0, 0)}};
  EXPECT_EQ(ends(at_once, on(telling()))[0], 110 + 120);
  const std::vector<Body> later{{probe(kAny), receive(kAny)}, {compute(1), send(0, 100)}, {send(0, 0)}};
  EXPECT_EQ(ends(later, on(telling()))[0], 110 + 20);
}

TEST(Probe, looks_for_its_tag_alone) {
  // The message with tag 2 arrives at 120: q = 220; then that with tag 1: q = 120.
  EXPECT_THAT(ends({{probe(1, 2), receive(1, kAny), receive(1, kAny)},
                    {send(0, 100, Mode::standard, 1), send(0, 200, Mode::standard, 2)}},
                   on(telling())),
              ElementsAre(120 + 120 + 220, 20));
  EXPECT_THAT(
      ends({{probe(1, 2), receive(1, 2)}, {send(0, 100, Mode::standard, 1), send(0, 200, Mode::standard, 2)}},
           on(telling())),
      ElementsAre(120 + 220, 20));
}

TEST(Probe, finds_the_request_of_a_long_message_before_its_bytes_leave) {
  // Request at 10, arrives at 30; received from 1030 on: answered, back at 1050, complete 5050, head 1150,
  // receivable 5150.
  EXPECT_THAT(ends({{probe(1), compute(1000), receive(1)}, {send(0, 2000)}}, on(full())),
              ElementsAre(5170, 5050));
}

TEST(Probe, answers_others_while_it_waits) {
  // The request of rank 1, which arrives at 30, is answered in the probe, which rank 2 ends at 5110.
  const std::vector<Body> ranks{
      {start_receive(1), probe(2), receive(2), wait({1})}, {send(0, 2000)}, {compute(5000), send(0, 0)}};
  EXPECT_THAT(ends(ranks, on(full())), ElementsAre(5110 + 20 + 20, 4050, 5010));
}

TEST(Probe, for_which_nobody_sends_hangs_and_says_for_whom) {
  const Outcome outcome = run({{compute(7), probe(1, 3)}, {send(0, 0, Mode::standard, 4)}}, on(plain()));
  ASSERT_EQ(outcome.waiting.size(), 1u);
  EXPECT_EQ(outcome.waiting[0].rank, 0);
  EXPECT_EQ(outcome.waiting[0].since, 7);
  EXPECT_THAT(outcome.waiting[0].for_ranks, ElementsAre(1));
  EXPECT_FALSE(outcome.by_choice);
  EXPECT_EQ(outcome.unreceived, 1u);
}

TEST(Probe, of_any_that_hangs_might_not_in_another_order) {
  // The receive from any source takes the message that the probe needs; it would not if rank 2's message were
  // first.
  const Outcome outcome =
      run({{receive(kAny), probe(1), receive(kAny)}, {send(0, 0)}, {compute(50), send(0, 0)}}, on(plain()));
  ASSERT_EQ(outcome.waiting.size(), 1u);
  EXPECT_TRUE(outcome.by_choice);
  const Outcome nobody = run({{probe(kAny)}, {}}, on(plain()));
  ASSERT_EQ(nobody.waiting.size(), 1u);
  EXPECT_THAT(nobody.waiting[0].for_ranks, IsEmpty());
  EXPECT_TRUE(nobody.by_choice);
}

TEST(Probe, in_iterations_is_skipped_with_them) {
  const Outcome outcome = run({{loop(100'000, {probe(kAny), receive(kAny), compute(1000), send(1, 0)})},
                               {loop(100'000, {send(0, 0), receive(0)})}},
                              on(plain()));
  EXPECT_EQ(outcome.ranks[0].end, Time{100'000} * (110 + 20 + 1000 + 10) + Time{99'999} * 120);
  EXPECT_GT(outcome.skipped, 500'000u);
}

TEST(Probe, is_on_the_critical_path_by_what_it_waited_for) {
  const trace::Trace trace =
      to_trace({.ranks = {{compute(1000), send(1, 400)}, {probe(0), compute(10'000), receive(0)}}});
  const Platform platform = simulate::testing::plain();
  PathFinder finder(trace, platform);
  const std::array<Observer*, 1> observers{&finder};
  const auto outcome = simulate(trace, platform, Trust::none, observers);
  ASSERT_TRUE(outcome);
  // Head at 1000 + 300 + 5000; computing until 16300; q = 400.
  const CriticalPath path = finder.path();
  EXPECT_EQ(outcome->makespan, 16'700);
  EXPECT_EQ(path.time, 16'700);
  ASSERT_EQ(path.hand_overs.size(), 1u);
  EXPECT_EQ(path.hand_overs[0].from, 0);
  EXPECT_EQ(path.hand_overs[0].under_way, 5000);
}

TEST(AnyTag, does_not_mean_the_messages_of_neighbourhoods) {
  // The first message, with tag -1, stays for the receive that names this tag.
  EXPECT_THAT(ends({{receive(1, kAny), receive(1, -1)},
                    {send(0, 100, Mode::standard, -1), send(0, 0, Mode::standard, 3)}},
                   on(telling())),
              ElementsAre(120 + 20 + 120, 20));
}

}  // namespace
}  // namespace parcast::simulate
