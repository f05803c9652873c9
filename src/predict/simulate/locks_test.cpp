// SPDX-License-Identifier: Apache-2.0
// Locks of windows, by hand from docs/models/remote_epochs.md, for the engine and the plain interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/observer.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/test_outcomes.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using simulate::testing::access;
using simulate::testing::Body;
using simulate::testing::compute;
using simulate::testing::lock;
using simulate::testing::loop;
using simulate::testing::Program;
using simulate::testing::send;
using simulate::testing::wait;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::kAny;
using trace::Kind;

constexpr Kind kShared = Kind::lock_shared, kAlone = Kind::lock_exclusive, kUnlock = Kind::unlock;

/// L = 100, o_s = 10: a request reaches the owner 110 after the call, its grant is back 100 later; a release
/// arrives after 110.
Platform plain() {
  Platform platform;
  platform.links = {{.latency = 100, .send_overhead = 10, .receive_overhead = 20, .corrections = {}}};
  return platform;
}

Outcome run(std::vector<Body> ranks, const Platform& platform = plain()) {
  const trace::Trace trace = to_trace(Program{.ranks = std::move(ranks)});
  const auto engine = simulate(trace, platform);
  EXPECT_TRUE(engine) << to_string(engine.error());
  if (!engine) return {};
  const auto reference = reference::interpret(trace, platform);
  EXPECT_TRUE(reference);
  if (engine->waiting.empty()) simulate::testing::expect_same(*engine, *reference);
  EXPECT_EQ(engine->waiting.size(), reference->waiting.size());
  return *engine;
}

std::vector<Time> ends(const Outcome& outcome) {
  std::vector<Time> times;
  for (const RankOutcome& rank : outcome.ranks) times.push_back(rank.end);
  return times;
}

/// Holds a lock for some time, after some computing.
Body holding(Kind kind, std::int32_t owner, Time before, Time for_so_long) {
  return {compute(before), lock(kind, owner), compute(for_so_long), lock(kUnlock, owner)};
}

TEST(Locks, a_free_one_takes_two_latencies_and_leaves_the_owner_alone) {
  const Outcome outcome = run({holding(kAlone, 1, 0, 0), {compute(7)}});
  EXPECT_THAT(ends(outcome), ElementsAre(220, 7));
  EXPECT_EQ(outcome.ranks[0].communication, 20);
  EXPECT_EQ(outcome.messages, 3u);
  EXPECT_EQ(outcome.bytes, 0u);
  EXPECT_EQ(outcome.unreceived, 0u);
  EXPECT_THAT(ends(run({holding(kShared, 1, 0, 0), {}})), ElementsAre(220, 0));
}

TEST(Locks, that_of_the_own_part_takes_a_picosecond_each_way) {
  const Outcome outcome = run({holding(kAlone, 0, 0, 0), {}});
  EXPECT_THAT(ends(outcome), ElementsAre(2, 0));
  EXPECT_EQ(outcome.messages, 0u);
  // Rank 1's request arrives at 110, and its release at 110 + 100 + 50 + 110 = 370. The owner requests at
  // 200, and has the lock at 371.
  EXPECT_THAT(ends(run({holding(kAlone, 0, 200, 0), holding(kAlone, 0, 0, 50)})), ElementsAre(371, 270));
}

TEST(Locks, who_holds_a_part_alone_keeps_others_waiting) {
  // Rank 0 has it from 210 to 1220, and it is free at 1320. Rank 2's request arrived at 115.
  const Outcome outcome = run({holding(kAlone, 1, 0, 1000), {}, holding(kAlone, 1, 5, 0)});
  EXPECT_THAT(ends(outcome), ElementsAre(1220, 0, 1430));
  EXPECT_EQ(outcome.ranks[2].communication, 20);
  // Other parts and other windows are not held.
  EXPECT_THAT(ends(run({holding(kAlone, 1, 0, 1000), {}, holding(kAlone, 0, 5, 0)})),
              ElementsAre(1220, 0, 225));
  EXPECT_THAT(
      ends(run({holding(kAlone, 1, 0, 1000), {}, {compute(5), lock(kAlone, 1, 1), lock(kUnlock, 1, 1)}})),
      ElementsAre(1220, 0, 225));
}

TEST(Locks, requests_that_come_together_are_served_by_rank) {
  // Released at 420 and 730, granted 100 later.
  EXPECT_THAT(
      ends(run({holding(kAlone, 1, 0, 100), {}, holding(kAlone, 1, 0, 100), holding(kAlone, 1, 0, 100)})),
      ElementsAre(320, 0, 630, 940));
}

TEST(Locks, who_would_share_overtakes_who_waits_to_have_it_alone) {
  // Ranks 0 and 2 share until 420. Rank 3's request arrives at 130. Rank 4's, at 140, is compatible with the
  // holders: back from it at 350.
  EXPECT_THAT(ends(run({holding(kShared, 1, 0, 100),
                        {},
                        holding(kShared, 1, 0, 100),
                        holding(kAlone, 1, 20, 0),
                        holding(kShared, 1, 30, 0)})),
              ElementsAre(320, 0, 320, 530, 250));
}

TEST(Locks, those_who_wait_are_gone_through_in_their_order) {
  // Rank 0's release arrives at 1320. Then ranks 2 and 4 share it, from 1420 until 1630 and 1730, ahead of
  // rank 3, which has it at 1830.
  const std::vector<Body> ranks{holding(kAlone, 1, 0, 1000),
                                {},
                                holding(kShared, 1, 5, 100),
                                holding(kAlone, 1, 20, 0),
                                holding(kShared, 1, 30, 200)};
  EXPECT_THAT(ends(run(ranks)), ElementsAre(1220, 0, 1530, 1840, 1630));
  // Rank 3 first: it holds the lock exclusively from 1420 to 1430, released at 1530; the others have it at
  // 1630.
  const std::vector<Body> other{holding(kAlone, 1, 0, 1000),
                                {},
                                holding(kShared, 1, 25, 100),
                                holding(kAlone, 1, 20, 0),
                                holding(kShared, 1, 30, 200)};
  EXPECT_THAT(ends(run(other)), ElementsAre(1220, 0, 1740, 1430, 1840));
}

TEST(Locks, what_is_given_back_is_back_before_a_request_of_that_moment) {
  // Rank 0 shares until 320; rank 2 waits from 120 on for an exclusive lock. Rank 3's request arrives at 320,
  // when rank 2 has the lock, which is released at 530.
  EXPECT_THAT(
      ends(run({holding(kShared, 1, 0, 0), {}, holding(kAlone, 1, 10, 0), holding(kShared, 1, 210, 0)})),
      ElementsAre(220, 0, 430, 640));
  // A picosecond earlier it shares with rank 0, until 429 + 100.
  EXPECT_THAT(
      ends(run({holding(kShared, 1, 0, 0), {}, holding(kAlone, 1, 10, 0), holding(kShared, 1, 209, 0)})),
      ElementsAre(220, 0, 639, 429));
}

TEST(Locks, two_who_lock_all_parts_do_not_wait_for_each_other) {
  // Own parts at 61. Ranks 2 and 3 request those exclusively, and wait from 110 on. The requests of 0 and 1
  // for each other's part arrive at 160, and are compatible with the owner's lock. Everything is released at
  // 370.
  EXPECT_THAT(ends(run({holding(kShared, kAny, 50, 0), holding(kShared, kAny, 50, 0),
                        holding(kAlone, 0, 0, 0), holding(kAlone, 1, 0, 0)})),
              ElementsAre(270, 270, 480, 480));
}

TEST(Locks, the_last_of_those_who_share_lets_others_in) {
  // Rank 2's release arrives at 110 + 100 + 700 + 110 = 1020.
  EXPECT_THAT(
      ends(run({holding(kShared, 1, 0, 100), {}, holding(kShared, 1, 0, 700), holding(kAlone, 1, 20, 0)})),
      ElementsAre(320, 0, 920, 1130));
}

TEST(Locks, nobody_overtakes_by_asking_again) {
  // Released at 420 and granted to rank 2; requested again at 430; released by rank 2 at 630.
  EXPECT_THAT(ends(run({{lock(kAlone, 1), compute(100), lock(kUnlock, 1), lock(kAlone, 1), lock(kUnlock, 1)},
                        {},
                        holding(kAlone, 1, 5, 0)})),
              ElementsAre(740, 0, 530));
}

TEST(Locks, all_parts_are_locked_by_one_request_each_at_the_same_moment) {
  const Outcome free = run({holding(kShared, kAny, 0, 0), {}, {}});
  EXPECT_THAT(ends(free), ElementsAre(220, 0, 0));
  EXPECT_EQ(free.messages, 6u);
  // Rank 2 holds part 1 exclusively and releases it at 820.
  EXPECT_THAT(ends(run({holding(kShared, kAny, 5, 0), {}, holding(kAlone, 1, 0, 500)})),
              ElementsAre(930, 0, 720));
  // Rank 0 releases all parts at 420. Its own is released at 321, and rank 2, waiting from 120 on, gets it.
  EXPECT_THAT(ends(run({holding(kShared, kAny, 0, 100), {}, holding(kAlone, 0, 10, 0)})),
              ElementsAre(320, 0, 431));
}

TEST(Locks, accesses_are_complete_before_a_part_is_given_back) {
  // A write of any size: at 220, arrives at 320, complete at 420; released at 430, which arrives at 530.
  const Body writer{lock(kAlone, 1), access(Kind::start_write, 1, 100), wait({1}), lock(kUnlock, 1)};
  EXPECT_THAT(ends(run({writer, {}, holding(kAlone, 1, 5, 0)})), ElementsAre(430, 0, 640));
}

TEST(Locks, a_rank_attends_while_it_waits_for_one) {
  // The request of rank 2's message to rank 3 (H = 200) is answered at 110, when rank 3 waits for the lock
  // that rank 0 holds.
  Platform platform = plain();
  platform.links[0].eager_limit = 0;
  platform.attention = Attention::calls;
  const std::vector<Body> ranks{
      holding(kAlone, 1, 0, 1000),
      {},
      {send(3, 8)},
      {simulate::testing::start_receive(2), lock(kAlone, 1), lock(kUnlock, 1), wait({1})}};
  // s 10; request 110; answer 210, when it leaves: complete. Rank 3 has the lock at 1420, and takes the
  // message (arrived at 310) after 1430.
  EXPECT_THAT(ends(run(ranks, platform)), ElementsAre(1220, 0, 210, 1450));
}

TEST(Locks, rounds_are_skipped_where_they_have_become_periodic) {
  constexpr std::uint32_t kRounds = 1'000'000'000;
  const Body body{loop(kRounds, {lock(kAlone, 2), lock(kUnlock, 2)})};
  const auto outcome = simulate(to_trace(Program{.ranks = {body, body, {}}}), plain());
  ASSERT_TRUE(outcome) << to_string(outcome.error());
  // Alternately: grants at 110, 320, 530, ...; the last one of rank 1 is number 2 rounds - 1, and it ends 110
  // later.
  EXPECT_THAT(ends(*outcome), ElementsAre(Time{420} * kRounds - 200, Time{420} * kRounds + 10, 0));
  EXPECT_GT(outcome->skipped, kRounds);
  EXPECT_EQ(outcome->messages, std::uint64_t{6} * kRounds);
}

TEST(Locks, asked_for_in_opposite_orders_the_report_names_holder_and_waiter) {
  const Body one{lock(kAlone, 2), compute(1000), lock(kAlone, 3), lock(kUnlock, 3), lock(kUnlock, 2)};
  const Body other{lock(kAlone, 3), compute(1000), lock(kShared, 2), lock(kUnlock, 2), lock(kUnlock, 3)};
  const Outcome outcome = run({one, other, {}, {}});
  ASSERT_EQ(outcome.waiting.size(), 2u);
  EXPECT_EQ(outcome.waiting[0].rank, 0);
  EXPECT_EQ(outcome.waiting[0].since, 1210);
  EXPECT_THAT(outcome.waiting[0].for_ranks, ElementsAre(1));
  EXPECT_THAT(outcome.waiting[1].for_ranks, ElementsAre(0));
  EXPECT_THAT(outcome.cycle, ElementsAre(0, 1));
  EXPECT_TRUE(outcome.by_choice);  // if one of them had come later, both would end
  EXPECT_THAT(run({one, holding(kAlone, 3, 5000, 0), {}, {}}).waiting, IsEmpty());
}

TEST(Locks, who_ends_and_holds_one_is_waited_for_in_vain) {
  const Outcome outcome = run({{lock(kShared, 2)}, {compute(50), lock(kAlone, 2)}, {}});
  ASSERT_EQ(outcome.waiting.size(), 1u);
  EXPECT_EQ(outcome.waiting[0].rank, 1);
  EXPECT_THAT(outcome.waiting[0].for_ranks, ElementsAre(0));
  EXPECT_THAT(outcome.cycle, IsEmpty());
  EXPECT_FALSE(outcome.by_choice);
}

std::string refused(const Body& body) {
  const auto outcome = simulate(to_trace(Program{.ranks = {body, {}}}), plain());
  EXPECT_FALSE(outcome);
  return outcome ? "" : to_string(outcome.error());
}

TEST(Locks, a_lock_that_is_not_held_is_not_given_back) {
  EXPECT_THAT(refused({compute(1), lock(kUnlock, 1)}),
              HasSubstr("it gives back a lock of window 0 of rank 1 that it does not hold"));
  EXPECT_THAT(refused({lock(kShared, 1), lock(kUnlock, kAny)}),
              HasSubstr("window 0 of all ranks that it does not hold"));
  EXPECT_THAT(refused({lock(kAlone, 1), lock(kUnlock, 1), lock(kUnlock, 1)}), HasSubstr("rank 0, word 2"));
}

TEST(Locks, what_a_rank_holds_it_does_not_lock_again) {
  EXPECT_THAT(refused({lock(kAlone, 1), lock(kShared, 1)}), HasSubstr("it locks window 0 of rank 1 again"));
  EXPECT_THAT(refused({loop(2, {lock(kShared, 1)})}), HasSubstr("rank 0, word 1"));
  EXPECT_THAT(refused({loop(1'000'000'000, {lock(kShared, 1), compute(5)})}), HasSubstr("again"));
}

TEST(Locks, have_no_place_where_links_are_shared_or_where_time_goes_is_asked) {
  const trace::Trace trace = to_trace(Program{.ranks = {holding(kShared, 1, 0, 0), {}}});
  Observer observer;
  const auto observed = simulate(trace, plain(), Trust::none, std::vector<Observer*>{&observer});
  ASSERT_FALSE(observed);
  EXPECT_THAT(observed.error().what, HasSubstr("accesses or locks"));
}

}  // namespace
}  // namespace parcast::simulate
