// SPDX-License-Identifier: Apache-2.0
// Handmade traces, each with one cause that keeps it from ending, and what the rehearsal finds.
#include "trace/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::trace {
namespace {

using recording::Pattern;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Operation send(std::int32_t by, Mode mode = Mode::standard, std::int32_t tag = 0) {
  return {.kind = Kind::send, .mode = mode, .peer = by, .tag = tag, .bytes = 8};
}
Operation receive(std::int32_t by, std::int32_t tag = 0) {
  return {.kind = Kind::receive, .peer = by, .tag = tag, .bytes = 8};
}
Operation start_receive(std::int32_t by) {
  return {.kind = Kind::start_receive, .peer = by, .bytes = 8};
}
Operation probe(std::int32_t by) {
  return {.kind = Kind::probe, .peer = by};
}
Operation collective(Pattern pattern) {
  return {.kind = Kind::collective, .pattern = pattern, .bytes = 8};
}

using Operations = std::vector<Operation>;

/// A trace of ranks with one thread each.
Trace trace_of(const std::vector<Operations>& ranks) {
  Builder builder("program", static_cast<std::int32_t>(ranks.size()));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankBuilder words(builder, static_cast<std::int32_t>(rank));
    for (const Operation& operation : ranks[rank]) {
      words.add_compute(1000);
      if (operation.kind == Kind::wait)
        words.add_wait(std::array{words.begun()}, kNowhere);
      else
        words.add(operation);
    }
    EXPECT_TRUE(words.finish());
  }
  return builder.finish();
}

/// Returns what a rank does, without computing.
std::vector<Kind> kinds_of(const Trace& trace, std::size_t rank) {
  std::vector<Kind> out;
  for (Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next();)
    if (walker.item().what() == Item::What::operation)
      out.push_back(trace.operations[walker.item().index()].kind);
  return out;
}

struct Found {
  Rehearsal rehearsal;
  Trace trace;
};
Found rehearsed(const Trace& trace, std::vector<RankLanes> lanes = {}) {
  lanes.resize(static_cast<std::size_t>(trace.ranks));
  Found out{rehearse(trace, lanes), {}};
  auto written = as_rehearsed(trace, lanes, out.rehearsal);
  EXPECT_TRUE(written) << (written ? "" : to_string(written.error()));
  if (written) out.trace = std::move(*written);
  const auto good = check(out.trace);
  EXPECT_TRUE(good) << (good ? "" : to_string(good.error()));
  return out;
}

std::vector<std::tuple<std::int32_t, std::uint64_t, std::int32_t>> missing_of(const Found& found) {
  std::vector<std::tuple<std::int32_t, std::uint64_t, std::int32_t>> out;
  for (const Missing& each : found.rehearsal.missing) out.emplace_back(each.rank, each.number, each.partner);
  return out;
}

TEST(Rehearsal, ARunThatEndsLacksNothing) {
  const Found found = rehearsed(trace_of({{send(1), receive(1), collective(Pattern::allreduce)},
                                          {receive(-1), send(-1), collective(Pattern::allreduce)}}));
  EXPECT_THAT(found.rehearsal.missing, IsEmpty());
  EXPECT_THAT(kinds_of(found.trace, 0), ElementsAre(Kind::send, Kind::receive, Kind::collective));
}

TEST(Rehearsal, StandardSendsWaitForNobodyAndSynchronousOnesForTheirReceiver) {
  EXPECT_THAT(missing_of(rehearsed(trace_of({{send(1), receive(1)}, {send(-1), receive(-1)}}))), IsEmpty());
  const Mode mode = Mode::synchronous;
  EXPECT_THAT(missing_of(rehearsed(trace_of({{send(1, mode), receive(1)}, {receive(-1), send(-1, mode)}}))),
              IsEmpty());
  const Found alone = rehearsed(trace_of({{send(1, mode), receive(1)}, {send(-1)}}));
  EXPECT_THAT(missing_of(alone), ElementsAre(std::tuple(0, 0, 1)));
  EXPECT_EQ(alone.trace.operations[0].mode, Mode::buffered);
  EXPECT_THAT(kinds_of(alone.trace, 0), ElementsAre(Kind::send, Kind::receive));
}

TEST(Rehearsal, OfAnExchangeWhoseFirstMessageIsMissingTheOthersStay) {
  const Found found = rehearsed(trace_of({{receive(1), send(1), receive(1), send(1)},
                                          {receive(-1), send(-1), receive(-1), send(-1), receive(-1)}}));
  // rank 0 has two sends for three receives
  EXPECT_THAT(missing_of(found), ElementsAre(std::tuple(1, 0, 0)));
  EXPECT_THAT(kinds_of(found.trace, 1), ElementsAre(Kind::send, Kind::receive, Kind::send, Kind::receive));
  EXPECT_THAT(kinds_of(found.trace, 0), SizeIs(4));
}

TEST(Rehearsal, AWaitIsForWhatIsThere) {
  const Operation wait{.kind = Kind::wait};
  const Found found = rehearsed(trace_of({{start_receive(1), wait, send(1)}, {receive(-1)}}));
  EXPECT_THAT(missing_of(found), ElementsAre(std::tuple(0, 0, 1)));
  EXPECT_THAT(kinds_of(found.trace, 0), ElementsAre(Kind::send));
}

TEST(Rehearsal, AProbeForNothingIsLeftOut) {
  const Found found = rehearsed(trace_of({{probe(1), receive(1), probe(1)}, {send(-1)}}));
  EXPECT_THAT(missing_of(found), ElementsAre(std::tuple(0, 2, 1)));
  EXPECT_THAT(kinds_of(found.trace, 0), ElementsAre(Kind::probe, Kind::receive));
}

TEST(Rehearsal, ACollectiveThatAMemberHasNotIsLeftOutOnTheOthers) {
  const Operation all = collective(Pattern::allreduce);
  const Found found = rehearsed(trace_of({{all, all, send(1)}, {all, receive(-1)}, {all, all}}));
  EXPECT_THAT(missing_of(found), ElementsAre(std::tuple(0, 1, 1), std::tuple(2, 1, 1)));
  EXPECT_THAT(kinds_of(found.trace, 0), ElementsAre(Kind::collective, Kind::send));
}

TEST(Rehearsal, OfCollectivesThatDifferTheOneThatIsTooMuchIsLeftOut) {
  const Found found = rehearsed(trace_of(
      {{collective(Pattern::barrier)}, {collective(Pattern::allreduce), collective(Pattern::barrier)}}));
  EXPECT_THAT(missing_of(found), ElementsAre(std::tuple(1, 0, 0)));
  EXPECT_THAT(kinds_of(found.trace, 1), ElementsAre(Kind::collective));
}

TEST(Rehearsal, ARootThatGivesGoesOnAlone) {
  const Operation broadcast = collective(Pattern::broadcast);
  EXPECT_THAT(missing_of(rehearsed(trace_of({{broadcast, send(1)}, {receive(-1), broadcast}}))), IsEmpty());
  const Operation reduce = collective(Pattern::reduce);
  EXPECT_THAT(missing_of(rehearsed(trace_of({{receive(1), reduce}, {reduce, send(-1)}}))), IsEmpty());
  EXPECT_THAT(missing_of(rehearsed(trace_of({{reduce, send(1)}, {receive(-1), reduce}}))),
              ElementsAre(std::tuple(0, 0, 1), std::tuple(1, 1, 0)));
}

TEST(Rehearsal, ACollectiveThatARootLeftAloneIsLeftOutToo) {
  const Operation broadcast = collective(Pattern::broadcast);
  EXPECT_THAT(missing_of(rehearsed(trace_of({{broadcast}, {broadcast}, {}}))),
              ElementsAre(std::tuple(0, 0, 2), std::tuple(1, 0, 2)));
}

/// Two threads on each rank: what they do, with the recorded times.
class Threads {
 public:
  explicit Threads(std::int32_t ranks) : builder_("program", ranks), lanes_(static_cast<std::size_t>(ranks)) {
    for (RankLanes& each : lanes_) words_.push_back(std::make_unique<LaneWords>(builder_, each));
  }
  void add(std::size_t rank, std::uint16_t thread, std::int64_t enter, std::int64_t exit,
           const Operation& operation, Time compute = 0) {
    recording::Event event;
    event.thread = thread, event.enter = enter, event.exit = exit, event.compute = compute;
    words_[rank]->turn_to(event);
    words_[rank]->add_compute(compute * kPerNanosecond);
    words_[rank]->add(operation);
  }
  Found rehearse() {
    for (const auto& each : words_) each->finish();
    return rehearsed(builder_.finish(), lanes_);
  }

 private:
  Builder builder_;
  std::vector<RankLanes> lanes_;
  std::vector<std::unique_ptr<LaneWords>> words_;
};

Time computing_of(const Trace& trace, std::size_t rank) {
  Time out = 0;
  for (Walker walker(trace.sequences[trace.sequence_of[rank]]); walker.next();)
    if (walker.item().what() == Item::What::compute) out += walker.item().time();
  return out / kPerNanosecond;
}

TEST(Rehearsal, AThreadThatWaitsLetsTheOtherSend) {
  Threads threads(2);
  for (const std::size_t rank : {0, 1}) {
    const std::int32_t other = rank == 0 ? 1 : -1;
    threads.add(rank, 1, 10, 30, receive(other));
    threads.add(rank, 0, 20, 25, send(other));
  }
  const Found found = threads.rehearse();
  EXPECT_THAT(found.rehearsal.missing, IsEmpty());
  EXPECT_THAT(kinds_of(found.trace, 0),
              ElementsAre(Kind::start_receive, Kind::start_send, Kind::wait, Kind::wait));
}

TEST(Rehearsal, WhatHappensAtOnceIsInTheSameOrderForAll) {
  // Rank 0 leaves the barrier and sends to the other thread of rank 1. That thread receives the message
  // before rank 1 has left the barrier.
  Threads threads(2);
  threads.add(0, 0, 0, 5, collective(Pattern::barrier));
  threads.add(0, 0, 6, 7, send(1));
  threads.add(0, 1, 0, 1, send(1, Mode::standard, 9));
  threads.add(1, 0, 0, 9, collective(Pattern::barrier));
  threads.add(1, 1, 2, 8, receive(-1));
  threads.add(1, 1, 8, 9, receive(-1, 9));
  const Found found = threads.rehearse();
  EXPECT_THAT(found.rehearsal.missing, IsEmpty());
  const Found again = rehearsed(found.trace);  // rehearsed again as ranks with one thread
  EXPECT_THAT(again.rehearsal.missing, IsEmpty());
}

TEST(Rehearsal, TimesThatContradictTheMessagesAreNotFollowed) {
  Threads threads(2);
  // by its recorded times it ended before the other thread sent the message that it answers
  threads.add(0, 0, 0, 1, receive(1));
  threads.add(0, 1, 50, 51, send(1));
  threads.add(1, 0, 0, 100, receive(-1));
  threads.add(1, 0, 100, 101, send(-1));
  const Found found = threads.rehearse();
  EXPECT_THAT(found.rehearsal.missing, IsEmpty());
  EXPECT_THAT(rehearsed(found.trace).rehearsal.missing, IsEmpty());
}

TEST(Rehearsal, ThreadsThatComputeSideBySideDoNotAddUp) {
  Threads threads(1);
  threads.add(0, 0, 1000, 1001, collective(Pattern::barrier), 1000);
  threads.add(0, 1, 800, 801, {.kind = Kind::start_send, .peer = 0, .bytes = 8}, 600);  // 200 .. 800
  // half of 801 .. 1801
  threads.add(0, 1, 1801, 1802, {.kind = Kind::start_receive, .peer = 0, .bytes = 8}, 500);
  const Found found = threads.rehearse();
  EXPECT_NEAR(static_cast<double>(computing_of(found.trace, 0)), 1000 + 400, 2);
}

}  // namespace
}  // namespace parcast::trace
