// SPDX-License-Identifier: Apache-2.0
// Programs whose times were computed by hand from docs/models/extrap.md.
#include "predict/simulate/extrap/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/simulate/extrap/test_machine.h"

namespace parcast::simulate::extrap {
namespace {

using recording::Pattern;
using simulate::testing::access;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::loop;
using simulate::testing::Program;
using simulate::testing::receive;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::start_send;
using simulate::testing::to_trace;
using simulate::testing::wait;
using ::testing::ElementsAre;
using testing::ends;
using testing::machine_with;
using testing::run;
using testing::Settings;
using testing::us;
using trace::Kind;

/// P(m) = 3 + 0.01 m, N(m) = 6 + 0.02 m, S + B(m) = 20 + 0.1 m, A = 3, R = 7, a request of 100 bytes, 5 to
/// process it. A request without data is available 4 + 8 + 30 + 3 = 45 after its read began, a reply of 1000
/// bytes 26 + 120 + 3 = 149 after it was handed over; to serve it takes 7 + 5 + 13 = 25.
Settings costly() {
  return {{"PackStartupTime", 3},
          {"BytePackTime", 0.01},
          {"GetMsgTryTime", 1},
          {"GetMsgStartupTime", 2},
          {"GetMsgTime", 4},
          {"MsgProcessingTime", 5},
          {"RequestMsgSize", 100},
          {"CommStartupTime", 20},
          {"ByteTransferTime", 0.1},
          {"ToNWStartupTime", 6},
          {"ByteToNWTransferTime", 0.02},
          {"AddMsgStartupTime", 1},
          {"AddMsgTryTime", 0.5},
          {"AddMsgTime", 1.5}};
}
Platform costly_with(const Settings& more) {
  Settings all = costly();
  all.insert(all.end(), more.begin(), more.end());
  return machine_with(all);
}
Body reader(std::int32_t owner = 1) {
  return {access(Kind::read, owner, 1000)};
}

// ---- Accesses and service

TEST(ExtrapAccess, ReadFromARankThatIsDone) {
  const Outcome outcome = run({reader(), {}}, costly_with({}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(45 + 25 + 149 + 7), 0));
  EXPECT_EQ(outcome.ranks[0].communication, us(4 + 7));
  EXPECT_EQ(outcome.ranks[1].communication, 0);
  EXPECT_EQ(outcome.messages, 2u);
  EXPECT_EQ(outcome.bytes, 1100u);
  EXPECT_EQ(outcome.accesses, 1u);
}

TEST(ExtrapAccess, WriteSendsTheDataWithTheRequest) {
  // request of 1100: 14 + 28 + 130 + 3 = 175; served 7 + 5 + 4; reply of 100: 8 + 30 + 3; taken 7
  EXPECT_THAT(ends(run({{access(Kind::write, 1, 1000)}, {}}, costly_with({}))),
              ElementsAre(us(175 + 16 + 41 + 7), 0));
}

TEST(ExtrapAccess, TheOwnMemoryIsNotRemote) {
  const Outcome outcome =
      run({{access(Kind::read, 0, 1000), access(Kind::start_write, 0, 5), wait({1})}}, costly_with({}));
  EXPECT_THAT(ends(outcome), ElementsAre(0));
  EXPECT_EQ(outcome.messages, 0u);
  EXPECT_EQ(outcome.accesses, 2u);
}

TEST(ExtrapAccess, RanksThatWaitForReplesServeEachOther) {
  const Outcome outcome = run({reader(1), reader(0)}, costly_with({}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(226), us(226)));
  EXPECT_EQ(outcome.ranks[0].communication, us(4 + 25 + 7));
}

TEST(ExtrapAccess, StartedOnesAreUnderWayTogether) {
  // requests packed until 4 and 8; the first leaves its interface at 12, the second at 20; available at 45
  // and 53. Served 45..70 and 70..95; replies leave at 96 and 122 (interface), available at 219 and 245;
  // taken until 226 and 252.
  EXPECT_THAT(
      ends(run({{access(Kind::start_read, 1, 1000), access(Kind::start_read, 1, 1000), wait({1, 2})}, {}},
               costly_with({}))),
      ElementsAre(us(252), 0));
}

Body computing_owner() {
  return {compute(us(100))};
}

TEST(ExtrapService, NoInterruptServesWhenTheOwnerIsDone) {
  EXPECT_THAT(ends(run({reader(), computing_owner()}, costly_with({{"ProcessMsgType", 0}}))),
              ElementsAre(us(100 + 25 + 149 + 7), us(100)));
}

TEST(ExtrapService, InterruptServesAtOnce) {
  const Outcome outcome = run({reader(), computing_owner()}, costly_with({{"ProcessMsgType", 4}}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(226), us(125)));
  EXPECT_EQ(outcome.ranks[1].compute, us(100));
  EXPECT_EQ(outcome.ranks[1].communication, us(25));
}

TEST(ExtrapService, PeriodicPollingServesAfterAChunk) {
  // polls 30..31 in vain; computes until 61, finds it, serves until 86, polls until 87; computes until 117,
  // polls until 118; 10 left
  const Outcome outcome =
      run({reader(), computing_owner()}, costly_with({{"ProcessMsgType", 2}, {"Delta", 30}}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(86 + 149 + 7), us(128)));
  EXPECT_EQ(outcome.ranks[1].communication, us(25 + 3));
}

TEST(ExtrapService, APollAtTheMomentOfAvailabilityFindsTheRequest) {
  // polls at 45: serves until 70, polls until 71; computes until 116, polls until 117; 10 left
  EXPECT_THAT(ends(run({reader(), computing_owner()}, costly_with({{"ProcessMsgType", 2}, {"Delta", 45}}))),
              ElementsAre(us(226), us(127)));
  // the last chunk ends with the computing: polls at 100
  EXPECT_THAT(ends(run({reader(), {compute(us(46))}}, costly_with({{"ProcessMsgType", 2}, {"Delta", 46}}))),
              ElementsAre(us(46 + 25 + 149 + 7), us(46 + 25 + 1)));
  EXPECT_THAT(ends(run({reader(), {compute(us(44))}}, costly_with({{"ProcessMsgType", 2}, {"Delta", 44}}))),
              ElementsAre(us(226), us(45)));
}

Body owner_with_a_call() {
  return {compute(us(60)), start_receive(0, 9), compute(us(40))};
}

TEST(ExtrapService, PredefinedPollingServesAtCalls) {
  // polls at 60: serves until 85, polls until 86; computes until 126
  EXPECT_THAT(ends(run({reader(), owner_with_a_call()}, costly_with({{"ProcessMsgType", 1}}))),
              ElementsAre(us(85 + 149 + 7), us(126)));
  EXPECT_THAT(ends(run({reader(), owner_with_a_call()}, costly_with({{"ProcessMsgType", 0}}))),
              ElementsAre(us(100 + 25 + 149 + 7), us(100)));
}

TEST(ExtrapService, BothPollings) {
  // polls 30..31; at 61 it serves until 86, polls until 87; the call polls until 88; computes until 118,
  // polls until 119; 10 left
  EXPECT_THAT(ends(run({reader(), owner_with_a_call()}, costly_with({{"ProcessMsgType", 3}, {"Delta", 30}}))),
              ElementsAre(us(86 + 149 + 7), us(129)));
}

TEST(ExtrapService, AnInterruptWaitsWhileTheProcessorIsBusy) {
  // Rank 1 packs 6000 bytes until 63; the request of 45 is served when computing would begin, until 88; then
  // it computes until 98. Its interface sends the 6000 bytes from 63 until 189, then the reply.
  EXPECT_THAT(
      ends(run({reader(), {send(2, 6000), compute(us(10))}, {}}, costly_with({{"ProcessMsgType", 4}}))),
      ElementsAre(us(189 + 149 + 7), us(98), 0));
}

TEST(ExtrapService, WhatCameFirstIsServedFirst) {
  // Requests of ranks 0 and 2 arrive together at 42: added until 45 and 48; served 45..70 and 70..95; the
  // second reply leaves when the first has left, from 96.
  EXPECT_THAT(ends(run({reader(), {}, reader()}, costly_with({}))),
              ElementsAre(us(226), 0, us(96 + 26 + 120 + 3 + 7)));
}

// ---- Computing and messages

TEST(ExtrapComputing, ScalesByMipsRatioRoundedOnceAWord) {
  const Outcome outcome = run({{loop(3, {compute(1)}), compute(10)}}, machine_with({{"MipsRatio", 0.5}}));
  EXPECT_THAT(ends(outcome), ElementsAre(3 * 1 + 5));
  EXPECT_EQ(outcome.ranks[0].compute, 8);
  EXPECT_THAT(ends(run({{compute(us(7))}}, machine_with({{"MipsRatio", 3}}))), ElementsAre(us(21)));
}

TEST(ExtrapMessages, OneOfAThousandBytes) {
  // 13 + 26 + 120 + 3 = 162, taken until 169
  const Outcome outcome = run({{send(1, 1000)}, {receive(0)}}, costly_with({}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(13), us(169)));
  EXPECT_EQ(outcome.messages, 1u);
  // it has arrived already: taken from 500
  EXPECT_THAT(ends(run({{send(1, 1000)}, {compute(us(500)), receive(0)}}, costly_with({}))),
              ElementsAre(us(13), us(507)));
}

TEST(ExtrapMessages, AShortOneDoesNotOvertake) {
  // 10000 bytes: 103 + 206 + 1020 + 3: available at 1332. 0 bytes: packed at 106, sent 309..315, would arrive
  // at 335: arrives at 1329, added until 1335. The wait takes both one after the other: 1339, 1346.
  EXPECT_THAT(ends(run({{send(1, 10000), send(1, 0)}, {receive(0), receive(0)}}, costly_with({}))),
              ElementsAre(us(106), us(1346)));
}

TEST(ExtrapMessages, ReceivesFromAnybodyTakeWhatCameFirst) {
  const Platform free = machine_with({{"CommStartupTime", 10}, {"GetMsgTime", 1}});
  // rank 2's is available at 10, rank 1's at 15; the receive from rank 1 gets the latter although it is
  // posted last
  const Outcome outcome =
      run({{receive(trace::kAny), receive(1)}, {compute(us(5)), send(0, 0)}, {send(0, 0)}}, free);
  EXPECT_THAT(ends(outcome), ElementsAre(us(16), us(5), 0));
  EXPECT_EQ(outcome.unreceived, 0u);
}

TEST(ExtrapMessages, WhoWaitsForEverIsNamed) {
  const Outcome outcome = run({{receive(1)}, {compute(5), receive(0)}, {reader()}}, costly_with({}));
  ASSERT_EQ(outcome.waiting.size(), 2u);
  EXPECT_EQ(outcome.cycle, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(outcome.waiting[1].since, 5);
  EXPECT_TRUE(outcome.ranks[2].finished);  // rank 1 served it while waiting
  EXPECT_FALSE(outcome.by_choice);
  EXPECT_TRUE(run({{receive(trace::kAny)}, {}}, costly_with({})).by_choice);
}

TEST(ExtrapMessages, DifferentCollectivesAreAnError) {
  Program program{.ranks = {{collective(Pattern::barrier, 0)}, {collective(Pattern::allreduce, 8)}}};
  const auto outcome = simulate(to_trace(program), machine_with({}));
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().what.find("different collectives"), std::string::npos);
}

TEST(ExtrapMessages, TimesBeyondTheLongestAreRefused) {
  const auto refused =
      simulate(to_trace({.ranks = {{compute(trace::kLongest)}}}), machine_with({{"MipsRatio", 2}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("26 days"), std::string::npos);
}

TEST(ExtrapMessages, OtherCollectivesGoByTheirSchedules) {
  // Broadcast from 0 to 1 and 2: 0 sends to 2 first (the larger bit), then to 1: packed at 13 and 26, on the
  // interface until 39 and 65; available at 162 and 188, taken until 169 and 195.
  const Outcome outcome = run({{collective(Pattern::broadcast, 1000)},
                               {collective(Pattern::broadcast, 1000)},
                               {collective(Pattern::broadcast, 1000)}},
                              costly_with({}));
  EXPECT_THAT(ends(outcome), ElementsAre(us(26), us(195), us(169)));
  EXPECT_EQ(outcome.collective_messages, 2u);
  EXPECT_EQ(outcome.collective_bytes, 2000u);
}

// ---- Topologies

Time one_message(const std::string& topology, std::int32_t nodes, std::int32_t to) {
  const auto choice = machine::extrap_value(*machine::extrap_key("Topology"), topology);
  std::vector<Body> ranks(static_cast<std::size_t>(nodes));
  ranks[0] = {send(to, 1000)};
  ranks[static_cast<std::size_t>(to)] = {receive(0)};
  return run(ranks, machine_with({{"CommStartupTime", 20}, {"ByteTransferTime", 0.1}, {"Topology", *choice}}))
      .makespan;
}

TEST(ExtrapTopology, ClosedFormsOfOneMessage) {
  for (std::int32_t nodes = 2; nodes <= 8; ++nodes) {
    for (std::int32_t to = 1; to < nodes; ++to) {
      const std::int32_t steps = std::min(to, nodes - to);
      EXPECT_EQ(one_message("FullyConnected", nodes, to), us(120));
      EXPECT_EQ(one_message("Shared", nodes, to), us(120));
      EXPECT_EQ(one_message("Ring", nodes, to), us(120 * steps));
      EXPECT_EQ(one_message("RingWithContention", nodes, to), us(120 * steps));
      EXPECT_EQ(one_message("PipelinedRing", nodes, to), us(20 * steps + 100));
    }
  }
}

TEST(ExtrapTopology, TheSharedMediumCarriesAMessageAtATime) {
  const Platform shared = machine_with({{"CommStartupTime", 20}, {"ByteTransferTime", 0.1}, {"Topology", 2}});
  EXPECT_THAT(ends(run({{send(1, 1000)},
                        {receive(0)},
                        {send(3, 1000)},
                        {receive(2)},
                        {compute(us(10)), send(5, 0)},
                        {receive(4)}},
                       shared)),
              ElementsAre(0, us(120), 0, us(240), us(10), us(260)));
}

TEST(ExtrapTopology, ARingsLinksCarryAMessageAtATime) {
  // 0 -> 1 twice: 120, 240. 4 -> 1 passes 0: requests the link 0 -> 1 at 120, after both: 360. 1 -> 0 goes
  // down: 120.
  const Platform ring = machine_with({{"CommStartupTime", 20}, {"ByteTransferTime", 0.1}, {"Topology", 3}});
  EXPECT_THAT(ends(run({{send(1, 1000), send(1, 1000), receive(1)},
                        {send(0, 1000), receive(0), receive(0), receive(4)},
                        {},
                        {},
                        {send(1, 1000)}},
                       ring)),
              ElementsAre(us(120), us(360), 0, 0, 0));
}

// ---- Barriers

Program barrier_of(std::int32_t ranks) {
  Program program;
  program.ranks.assign(static_cast<std::size_t>(ranks), Body{collective(Pattern::barrier, 0)});
  return program;
}
Platform table_1_with(const Settings& more) {
  return machine_with(more, machine::extrap_table_1());
}

TEST(ExtrapBarrier, Table1Alone) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    const Outcome outcome = run(barrier_of(p), table_1_with({}));
    EXPECT_EQ(outcome.ranks[0].end, us(20 + 2 * p)) << p;
    for (std::int32_t slave = 1; slave < p; ++slave)
      EXPECT_EQ(outcome.ranks[static_cast<std::size_t>(slave)].end, us(22 + 2 * p) + 1) << p;
    EXPECT_EQ(outcome.collective_messages, 2u * static_cast<std::uint64_t>(p - 1));
    EXPECT_EQ(outcome.collective_bytes, 32u * static_cast<std::uint64_t>(p - 1));
  }
}

TEST(ExtrapBarrier, WithCostsOfMessages) {
  // Slaves: entry 5, packed 8, sent 14, arrives 34, added until 37 and 40. Master: 7; takes 37..44, checks
  // 46; 53, 55; model 65; packs until 68 and 71, exit 76. Releases: sent 68..74 and 74..80, arrive 94 and
  // 100, added 97 and 103, taken 104 and 110, check, exit.
  Settings costs = costly();
  for (auto& [name, value] : costs)
    if (name.starts_with("Byte")) value = 0;
  EXPECT_THAT(ends(run(barrier_of(3), machine_with(costs, machine::extrap_table_1()))),
              ElementsAre(us(76), us(111), us(117)));
}

TEST(ExtrapBarrier, AnOwnerInTheBarrierServes) {
  // Rank 1 enters until 5, its message reaches the master at 25; it serves 20..25. Rank 0 has the reply at
  // 45, enters 50, checks 52, takes and checks 54, model 64, exit 69; the release arrives at 84: 86, 91.
  EXPECT_THAT(ends(run({{access(Kind::read, 1, 0), collective(Pattern::barrier, 0)},
                        {collective(Pattern::barrier, 0)}},
                       table_1_with({{"CommStartupTime", 20}, {"MsgProcessingTime", 5}}))),
              ElementsAre(us(69), us(91)));
}

TEST(ExtrapBarrier, OfHardware) {
  // entered at 15, 35 and 25; the master checks from 35, lowers at 47
  const Platform hardware = table_1_with({{"BarrierByMsgs", 0}});
  const Outcome outcome = run({{compute(us(10)), collective(Pattern::barrier, 0)},
                               {compute(us(30)), collective(Pattern::barrier, 0)},
                               {compute(us(20)), collective(Pattern::barrier, 0)}},
                              hardware);
  EXPECT_THAT(ends(outcome), ElementsAre(us(52), us(54), us(54)));
  EXPECT_EQ(outcome.collective_messages, 0u);
  const Outcome alone = run({{collective(Pattern::barrier, 0)}, {}}, hardware);
  ASSERT_EQ(alone.waiting.size(), 1u);
  EXPECT_EQ(alone.waiting[0].for_ranks, (std::vector<std::int32_t>{1}));
}

TEST(ExtrapBarrier, OfHardwareServesWhileItIsUp) {
  // Rank 1 waits from 5 and serves 20..25; rank 0 has its reply at 45, enters until 50, lowers at 62: 67, and
  // 62 + 7.
  EXPECT_THAT(
      ends(run(
          {{access(Kind::read, 1, 0), collective(Pattern::barrier, 0)}, {collective(Pattern::barrier, 0)}},
          table_1_with({{"CommStartupTime", 20}, {"MsgProcessingTime", 5}, {"BarrierByMsgs", 0}}))),
      ElementsAre(us(67), us(69)));
}

TEST(ExtrapBarrier, ARequestThatComesWithTheReleaseIsServedFirst) {
  // All have entered at 5, lowered at 17; rank 2's request arrives at 17: served until 22, then 7 to leave.
  EXPECT_THAT(
      ends(run({{collective(Pattern::barrier, 0)},
                {collective(Pattern::barrier, 0)},
                {access(Kind::start_read, 1, 0), collective(Pattern::barrier, 0)}},
               table_1_with({{"CommStartupTime", 17}, {"MsgProcessingTime", 5}, {"BarrierByMsgs", 0}}))),
      ElementsAre(us(22), us(29), us(24)));
}

TEST(ExtrapBarrier, LogarithmicOfEight) {
  // Master: 7; takes 1's at 7, checks 9; 2's of 9 us + 1 ps until 11; 4's of 11 us + 2 ps until 13; model 23;
  // exit 28. The release reaches 4 at 23 us + 3 ps, 6 two us and 1 ps later, 7 again later: 27 us + 5 ps;
  // check, exit.
  const Outcome outcome = run(barrier_of(8), table_1_with({{"BarrierAlgorithm", 1}}));
  EXPECT_EQ(outcome.ranks[0].end, us(28) + 2);
  EXPECT_EQ(outcome.ranks[7].end, us(34) + 5);
  EXPECT_EQ(outcome.makespan, us(34) + 5);
}

TEST(ExtrapBarrier, OfACommunicatorInItsOwnOrder) {
  Program program{
      .ranks = {{collective(Pattern::barrier, 0, 0, 1)}, {}, {collective(Pattern::barrier, 0, 0, 1)}},
      .communicators = {{}, {{2, 0}}}};
  EXPECT_THAT(ends(run(program, table_1_with({}))), ElementsAre(us(26) + 1, 0, us(24)));
}

}  // namespace
}  // namespace parcast::simulate::extrap
