// SPDX-License-Identifier: Apache-2.0
// The plain interpreter on programs whose times were computed by hand from docs/models/message_passing.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"

namespace parcast::simulate {
namespace {

using machine::Algorithm;
using recording::Pattern;
using simulate::testing::access;
using simulate::testing::Body;
using simulate::testing::collective;
using simulate::testing::compute;
using simulate::testing::loop;
using simulate::testing::Node;
using simulate::testing::Program;
using simulate::testing::receive;
using simulate::testing::repeat;
using simulate::testing::send;
using simulate::testing::start_receive;
using simulate::testing::start_send;
using simulate::testing::wait;
using ::testing::ElementsAre;
using trace::kAny;
using trace::Kind;
using trace::Mode;

/// L = 100, o_s = 10, o_r = 20, everything else 0: a message of any size arrives 110 after the call and costs
/// the receiver 20.
Link plain() {
  return {.latency = 100, .send_overhead = 10, .receive_overhead = 20, .corrections = {}};
}

/// With G = 1, g = 5, and above 1000 bytes rendezvous with H = 40 and G' = 2. Then m = 2000: s = 10, f =
/// 4000, b = 4000, q = 20.
Link full() {
  Link link = plain();
  link.gap = 5;
  link.gap_per_byte = kOne;
  link.eager_limit = 1000;
  link.handshake = 40;
  link.rendezvous_gap_per_byte = 2 * kOne;
  return link;
}

Platform on(const Link& link, Attention attention = Attention::calls) {
  Platform platform;
  platform.links = {link};
  platform.attention = attention;
  return platform;
}

Outcome run(Program program, const Platform& platform) {
  auto outcome = reference::interpret(to_trace(program), platform);
  EXPECT_TRUE(outcome);
  return outcome ? *outcome : Outcome{};
}
Outcome run(std::vector<Body> ranks, const Platform& platform) {
  return run(Program{.ranks = std::move(ranks)}, platform);
}

std::vector<Time> ends(const Outcome& outcome) {
  std::vector<Time> times;
  for (const RankOutcome& rank : outcome.ranks) times.push_back(rank.end);
  return times;
}

std::vector<std::pair<std::int32_t, Time>> waiting(const Outcome& outcome) {
  std::vector<std::pair<std::int32_t, Time>> ranks;
  for (const Waiting& one : outcome.waiting) ranks.emplace_back(one.rank, one.since);
  return ranks;
}

Program everybody(std::int32_t ranks, const Node& node) {
  Program program;
  program.ranks.assign(static_cast<std::size_t>(ranks), Body{node});
  return program;
}

// ---- One message

TEST(Reference, ping_pong_of_eager_messages) {
  const Outcome outcome = run({{send(1, 100), receive(1)}, {receive(0), send(0, 100)}}, on(full()));
  // departure 10, head 110, start 110, b = 100: 210, q: 230; back: departure 240, head 340, 440, q: 460.
  EXPECT_THAT(ends(outcome), ElementsAre(460, 240));
  EXPECT_EQ(outcome.makespan, 460);
  EXPECT_EQ(outcome.ranks[0].communication, 10 + 20);
  EXPECT_EQ(outcome.messages, 2u);
  EXPECT_EQ(outcome.bytes, 200u);
  EXPECT_EQ(outcome.unreceived, 0u);
}

TEST(Reference, copying_overheads_run_along_with_the_interface) {
  Link link = full();
  link.send_overhead_per_byte = kOne / 2;
  link.receive_overhead_per_byte = kOne / 4;
  // s = 10 + 50; departure 10, head 110, b = 100 - 25: 185, q = 20 + 25: 230.
  const Outcome outcome = run({{send(1, 100)}, {receive(0)}}, on(link));
  EXPECT_THAT(ends(outcome), ElementsAre(60, 230));
  EXPECT_EQ(outcome.ranks[1].communication, 45);
}

TEST(Reference, halves_are_rounded_up_and_latency_is_at_least_one_picosecond) {
  Link link;
  link.gap_per_byte = kOne / 2;
  link.corrections = {{0, -500, 0}, {3, 0, -kOne / 2}, {4, 1000, 0}};
  // 1 byte: w = -500, l = max(0, w) -> 1, b = max(0, [0.5] - 500) = 0: 1. 3 bytes: w = [-1.5] = -1, l = 1, b
  // = [1.5] - 1 = 1: 2.
  EXPECT_THAT(ends(run({{send(1, 1)}, {receive(0)}}, on(link))), ElementsAre(0, 1));
  EXPECT_THAT(ends(run({{send(1, 3)}, {receive(0)}}, on(link))), ElementsAre(0, 2));
  // 5 bytes: w = l = 1000, b = [2.5] = 3.
  EXPECT_THAT(ends(run({{send(1, 5)}, {receive(0)}}, on(link))), ElementsAre(0, 1003));
}

TEST(Reference, computing_is_scaled_and_rounded_once_a_word) {
  Platform platform = on(plain());
  platform.compute_ratio = kOne / 2;
  const Outcome outcome = run({{loop(3, {compute(1)}), compute(10)}}, platform);
  EXPECT_EQ(outcome.ranks[0].compute, 3 * 1 + 5);
  EXPECT_THAT(ends(outcome), ElementsAre(8));
}

TEST(Reference, ranks_meet_over_the_nearest_link) {
  Platform platform = on(plain());
  for (const Time latency : {1000, 10000}) {
    platform.links.push_back(plain());
    platform.links.back().latency = latency;
  }
  platform.inside_node = 1;
  platform.between_nodes = 2;
  platform.node_of = {0, 0, 0, 1};
  platform.socket_of = {0, 0, 1, 2};
  EXPECT_THAT(
      ends(run({{send(1, 0), send(2, 0), send(3, 0)}, {receive(0)}, {receive(0)}, {receive(0)}}, platform)),
      ElementsAre(30, 130, 20 + 1000 + 20, 30 + 10000 + 20));
}

// ---- Rendezvous

TEST(Reference, rendezvous_with_a_receiver_that_waits) {
  // request leaves at 10, arrives at 30, answer at 50 = departure; complete 4050; head 150, b: 4150, q: 4170.
  const Outcome outcome = run({{send(1, 2000)}, {receive(0)}}, on(full()));
  EXPECT_THAT(ends(outcome), ElementsAre(4050, 4170));
  EXPECT_EQ(outcome.ranks[0].communication, 10);
}

TEST(Reference, rendezvous_waits_for_a_late_receiver) {
  // answered at 1000, departure 1020.
  EXPECT_THAT(ends(run({{send(1, 2000)}, {compute(1000), receive(0)}}, on(full()))), ElementsAre(5020, 5140));
}

TEST(Reference, synchronous_messages_are_rendezvous_and_without_handshake_take_twice_the_latency) {
  Link link = full();
  link.handshake = kNotGiven;
  // H1 = H2 = 100: request 10 -> 110, answer 210 = departure; f = max(5, 0) = 5; complete 215; head 310, q:
  // 330.
  EXPECT_THAT(ends(run({{send(1, 0, Mode::synchronous)}, {receive(0)}}, on(link))), ElementsAre(215, 330));
  // Buffered: like an eager message of 2000 bytes.
  EXPECT_THAT(ends(run({{send(1, 2000, Mode::buffered)}, {receive(0)}}, on(link))), ElementsAre(10, 2130));
}

TEST(Reference, an_odd_handshake_is_split_with_the_larger_part_for_the_answer) {
  Link link = full();
  link.handshake = 41;
  // request at 10 + 20, receiver busy until then: answered at 30 by a wait that began at 30; answer 30 + 21 =
  // departure.
  EXPECT_THAT(ends(run({{send(1, 2000)}, {compute(30), receive(0)}}, on(link))), ElementsAre(4051, 4171));
}

TEST(Reference, a_receiver_that_computes_answers_at_its_next_call_unless_it_always_attends) {
  const std::vector<Body> ranks{{send(1, 2000)}, {start_receive(0), compute(1000), wait({1})}};
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::calls))), ElementsAre(5020, 5140));
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::always))), ElementsAre(4050, 4170));
}

TEST(Reference, a_sender_that_computes_sends_at_its_next_call_unless_it_always_attends) {
  const std::vector<Body> ranks{{start_send(1, 2000), compute(500), wait({1})}, {receive(0)}};
  // answer at 50, wait begins at 510 = departure; complete 4510; head 610, 4610, q: 4630.
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::calls))), ElementsAre(4510, 4630));
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::always))), ElementsAre(4050, 4170));
}

TEST(Reference, any_call_attends_when_it_begins) {
  // Rank 1 begins a send at 300 and then answers the request of 30: 320 = departure, complete 4320; head 420,
  // 4420, q: 4440. Its own message left at 310 and arrives at 410: rank 0 takes it after 4320, q: 4340.
  const std::vector<Body> ranks{{send(1, 2000), receive(1)},
                                {start_receive(0), compute(300), start_send(0, 0), compute(700), wait({2})}};
  EXPECT_THAT(ends(run(ranks, on(full()))), ElementsAre(4340, 4440));
}

TEST(Reference, an_eager_send_attends_only_when_it_begins) {
  Link link = full();
  link.send_overhead_per_byte = kOne;
  // Rank 1 is in an eager send from 0 to 10 + 900 and computes until 2000; the request arrives at 30:
  // answered at 2000.
  const std::vector<Body> ranks{{send(1, 2000), receive(1)},
                                {start_receive(0), send(0, 900), compute(1090), wait({1})}};
  EXPECT_THAT(ends(run(ranks, on(link))), ElementsAre(2020 + 4000 + 20, 2020 + 100 + 4000 + 20));
}

TEST(Reference, a_rank_that_leaves_a_wait_at_a_moment_still_attends_then) {
  // Rank 1 waits for the message of rank 2 until 130, then computes; the request of rank 0 arrives at exactly
  // 130.
  const std::vector<Body> ranks{
      {compute(100), send(1, 2000)}, {start_receive(0), receive(2), compute(1000), wait({1})}, {send(1, 0)}};
  // answered at 130, departure 150, complete 4150; head 250, 4250, q: 4270.
  EXPECT_THAT(ends(run(ranks, on(full()))), ElementsAre(4150, 4270, 10));
}

TEST(Reference, nobody_attends_after_the_end_of_calls) {
  const std::vector<Body> ranks{{send(1, 2000)}, {start_receive(0), compute(5)}};
  EXPECT_THAT(waiting(run(ranks, on(full(), Attention::calls))), ElementsAre(std::pair(0, 10)));
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::always))), ElementsAre(4050, 5));
}

// ---- Interfaces

TEST(Reference, messages_queue_at_the_receiving_interface_lower_ranks_first) {
  // Both heads at 110; that of rank 1 is served until 210, then that of rank 2.
  const Body sender{send(0, 100)};
  EXPECT_THAT(ends(run({{start_receive(2), start_receive(1), wait({1, 2})}, sender, sender}, on(full()))),
              ElementsAre(330, 10, 10));
  EXPECT_THAT(ends(run({{receive(1)}, sender, sender}, on(full()))), ElementsAre(230, 10, 10));
  EXPECT_THAT(ends(run({{receive(2), receive(1)}, sender, sender}, on(full()))), ElementsAre(350, 10, 10));
}

TEST(Reference, a_burst_leaves_with_the_gap_between_messages) {
  Link link = plain();
  link.gap = 50;
  // departures 10, 60, 110; heads 110, 160, 210.
  EXPECT_THAT(ends(run({{repeat(send(1, 0), 3)}, {receive(0)}}, on(link))), ElementsAre(30, 130));
  EXPECT_THAT(ends(run({{repeat(send(1, 0), 3)}, {repeat(receive(0), 3)}}, on(link))), ElementsAre(30, 230));
}

TEST(Reference, a_message_waits_for_the_interface_behind_one_that_asked_earlier) {
  // The rendezvous message requests the interface at 50 (and occupies it until 4050), the eager one, to
  // another rank, at 40 + 10 + 10 = 60.
  const std::vector<Body> ranks{
      {start_send(1, 2000), compute(40), start_send(2, 0), wait({1, 2})}, {receive(0)}, {receive(0)}};
  EXPECT_THAT(ends(run(ranks, on(full(), Attention::always))), ElementsAre(4050, 4170, 4050 + 100 + 20));
  // The eager message one picosecond before it: departure 49, the other 54.
  const std::vector<Body> other{
      {start_send(1, 2000), compute(29), start_send(2, 0), wait({1, 2})}, {receive(0)}, {receive(0)}};
  EXPECT_THAT(ends(run(other, on(full(), Attention::always))), ElementsAre(4054, 4174, 49 + 100 + 20));
  // At the same time: in order of the send calls.
  const std::vector<Body> tie{
      {start_send(1, 2000), compute(30), start_send(2, 0), wait({1, 2})}, {receive(0)}, {receive(0)}};
  EXPECT_THAT(ends(run(tie, on(full(), Attention::always))), ElementsAre(4050, 4170, 4050 + 100 + 20));
}

// ---- Remote accesses

TEST(Reference, a_read_takes_two_latencies_and_leaves_the_owner_alone) {
  // request 10 -> 110; head of the data 210; q: 230. With G = 1 it is served until 310. 2000 bytes: f = b =
  // 4000, and no handshake.
  EXPECT_THAT(ends(run({{access(Kind::read, 1, 100)}, {compute(7)}}, on(plain()))), ElementsAre(230, 7));
  const Outcome outcome = run({{access(Kind::read, 1, 100)}, {compute(7)}}, on(full()));
  EXPECT_THAT(ends(outcome), ElementsAre(330, 7));
  EXPECT_EQ(outcome.ranks[0].communication, 10 + 20);
  EXPECT_EQ(outcome.ranks[1].communication, 0);
  EXPECT_EQ(outcome.messages, 2u);
  EXPECT_EQ(outcome.bytes, 100u);
  EXPECT_EQ(outcome.unreceived, 0u);
  EXPECT_THAT(ends(run({{access(Kind::read, 1, 2000)}, {}}, on(full()))), ElementsAre(4230, 0));
}

TEST(Reference, a_write_is_complete_when_the_answer_is_back) {
  // departure 10, sent until 110, arrives 210, the answer 310. A second one requests at 20, departs at 110:
  // 410.
  EXPECT_THAT(ends(run({{access(Kind::write, 1, 100)}, {}}, on(full()))), ElementsAre(310, 0));
  EXPECT_THAT(ends(run({{access(Kind::start_write, 1, 100), access(Kind::start_write, 1, 100), compute(5),
                         wait({1, 2})},
                        {}},
                       on(full()))),
              ElementsAre(410, 0));
  EXPECT_THAT(ends(run({{access(Kind::start_write, 1, 100)}, {}}, on(full()))), ElementsAre(10, 0));
}

TEST(Reference, what_is_read_shares_the_receiving_interface_with_messages) {
  // The message's head arrives at 150 (sent at 40), served until 250; the head of the data at 210: served
  // from 250, can be received at 350.
  const std::vector<Body> ranks{{access(Kind::start_read, 1, 100), wait({1})}, {compute(40), send(0, 100)}};
  EXPECT_THAT(ends(run(ranks, on(full()))), ElementsAre(370, 50));
}

TEST(Reference, an_access_of_the_own_memory_takes_no_time) {
  const Outcome outcome =
      run({{access(Kind::read, 0, 100), access(Kind::start_write, 0, 100), wait({1})}}, on(full()));
  EXPECT_THAT(ends(outcome), ElementsAre(0));
  EXPECT_EQ(outcome.messages, 0u);
  EXPECT_EQ(outcome.accesses, 2u);
}

// ---- Waits and matching

TEST(Reference, a_wait_takes_messages_in_the_order_in_which_they_can_be_received) {
  // The message of rank 2 at 110 (until 130), that of rank 1 at 1110; in order of posting the end would be
  // 1150.
  const std::vector<Body> ranks{
      {start_receive(1), start_receive(2), wait({1, 2})}, {compute(1000), send(0, 0)}, {send(0, 0)}};
  EXPECT_THAT(ends(run(ranks, on(plain()))), ElementsAre(1130, 1010, 10));
}

TEST(Reference, a_receive_is_paid_once) {
  const std::vector<Body> ranks{
      {start_receive(1), start_receive(1), wait({2}), wait({1, 2}), repeat(wait({1, 2}), 2)},
      {repeat(send(0, 0), 2)}};
  const Outcome outcome = run(ranks, on(plain()));
  EXPECT_EQ(outcome.ranks[0].communication, 40);
  EXPECT_EQ(outcome.ranks[0].end, 150);  // 110, 130, 150; the second arrives at 120
}

TEST(Reference, distances_count_requests_through_loops) {
  const std::vector<Body> ranks{{start_receive(1, 7), loop(3, {start_receive(1), wait({1})}), wait({4})},
                                {repeat(send(0, 0), 3), compute(970), send(0, 0, Mode::standard, 7)}};
  EXPECT_THAT(ends(run(ranks, on(plain()))), ElementsAre(1010 + 100 + 20, 1010));
}

TEST(Reference, a_receive_from_any_source_takes_what_arrives_first_then_the_lower_rank) {
  Link link = plain();
  link.receive_overhead_per_byte = kOne;
  // q = 20 + 100 for the message of rank 1, 20 for that of rank 2.
  Outcome outcome = run({{receive(kAny)}, {send(0, 100)}, {send(0, 0)}}, on(link));
  EXPECT_THAT(ends(outcome), ElementsAre(110 + 120, 10, 10));
  EXPECT_EQ(outcome.unreceived, 1u);
  outcome = run({{receive(kAny)}, {compute(1), send(0, 100)}, {send(0, 0)}}, on(link));
  EXPECT_THAT(ends(outcome), ElementsAre(110 + 20, 11, 10));
}

TEST(Reference, tags_and_communicators_have_to_fit) {
  Link link = plain();
  link.receive_overhead_per_byte = kOne;
  Node elsewhere = receive(0, 1);
  elsewhere.operation.communicator = 1;
  Node sent = send(1, 300, Mode::standard, 1);
  sent.operation.communicator = 1;
  Program program{.ranks = {{send(1, 100, Mode::standard, 1), send(1, 200, Mode::standard, 2), sent},
                            {receive(0, 2), elsewhere}}};
  program.communicators.push_back({{1, 0}});
  // Rank 1: the message with tag 2 at 120, q = 220: 340; then that of the other communicator, q = 320: 660.
  const Outcome outcome = run(program, on(link));
  EXPECT_THAT(ends(outcome), ElementsAre(30, 660));
  EXPECT_EQ(outcome.unreceived, 1u);
}

TEST(Reference, an_envelope_does_not_overtake_an_earlier_one_of_the_same_rank) {
  Link link = full();
  link.handshake = 1000;
  // The request arrives at 510, the head of the later message at 120, so that message can be received from
  // 510 on. The request is answered when the second receive begins, at 530: 1030 = departure, f = 5, complete
  // 1035; head 1130, q: 1150.
  const std::vector<Body> ranks{
      {start_send(1, 0, Mode::synchronous, 1), send(1, 0, Mode::standard, 2), wait({1})},
      {receive(0, 2), receive(0, 1)}};
  EXPECT_THAT(ends(run(ranks, on(link))), ElementsAre(1035, 1150));
}

TEST(Reference, a_rank_sends_to_itself) {
  EXPECT_THAT(ends(run({{start_receive(0), send(0, 2000), wait({1})}}, on(full()))), ElementsAre(4170));
  EXPECT_THAT(ends(run({{send(0, 0), receive(0)}}, on(full()))), ElementsAre(130));
}

// ---- Collectives

TEST(Reference, barriers_take_a_round_per_doubling) {
  // A round: s until 10, head 110, q: 130.
  EXPECT_THAT(ends(run(everybody(1, collective(Pattern::barrier, 0)), on(full()))), ElementsAre(0));
  EXPECT_THAT(ends(run(everybody(2, collective(Pattern::barrier, 0)), on(full()))), ElementsAre(130, 130));
  EXPECT_THAT(ends(run(everybody(3, collective(Pattern::barrier, 0)), on(full()))),
              ElementsAre(260, 260, 260));
  EXPECT_THAT(ends(run(everybody(5, collective(Pattern::barrier, 0)), on(full()))),
              ElementsAre(390, 390, 390, 390, 390));
}

TEST(Reference, a_broadcast_goes_to_the_farthest_first) {
  // The root sends to v = 2 (departure 10) and v = 1 (110): 110 + 100 + 20 and 210 + 100 + 20.
  EXPECT_THAT(ends(run(everybody(3, collective(Pattern::broadcast, 100, 0)), on(full()))),
              ElementsAre(20, 330, 230));
  EXPECT_THAT(ends(run(everybody(3, collective(Pattern::broadcast, 100, 2)), on(full()))),
              ElementsAre(330, 230, 20));
}

TEST(Reference, a_reduction_to_one_of_five) {
  // v = 2 has the message of v = 3 at 130 and sends: 140, which arrives at 240. The root takes v = 1: 130, v
  // = 2: 260, v = 4: 280.
  EXPECT_THAT(ends(run(everybody(5, collective(Pattern::reduce, 8, 0)), on(plain()))),
              ElementsAre(280, 10, 140, 10, 10));
  EXPECT_THAT(ends(run(everybody(5, collective(Pattern::reduce, 8, 1)), on(plain()))),
              ElementsAre(10, 280, 10, 140, 10));
}

TEST(Reference, an_allreduce_of_five) {
  // 0 sends to 1, which has it at 130 and exchanges with 2 (arrived at 110: 160), then with 3 (240, 260), and
  // sends to 0 (370, 390). 2 receives from 1 at 240 (260), then from 4 (290, sent before). 3 and 4 finish
  // their exchange at 130; 3 receives from 1 at 270, 4 from 2 at 370.
  const Outcome outcome = run(everybody(5, collective(Pattern::allreduce, 8)), on(plain()));
  EXPECT_THAT(ends(outcome), ElementsAre(390, 270, 290, 290, 390));
  EXPECT_EQ(outcome.collective_messages, 10u);
  EXPECT_EQ(outcome.collective_bytes, 80u);
  EXPECT_EQ(outcome.messages, 0u);
}

TEST(Reference, a_long_allreduce_of_three_goes_round_a_ring) {
  Platform platform = on(plain());
  platform.collectives[Pattern::allreduce] = {{0, Algorithm::recursive_doubling}, {10, Algorithm::ring}};
  const Outcome outcome = run(everybody(3, collective(Pattern::allreduce, 10)), platform);
  EXPECT_THAT(ends(outcome), ElementsAre(520, 520, 520));  // 4 rounds
  EXPECT_EQ(outcome.collective_messages, 12u);
  EXPECT_EQ(outcome.collective_bytes, 40u);  // shares of 3, 3 and 4
}

struct Count {
  Pattern pattern;
  std::uint64_t bytes, messages, sum;
};

TEST(Reference, messages_and_bytes_of_collectives_of_five) {
  Platform platform = on(plain());
  platform.collectives[Pattern::allreduce] = {{0, Algorithm::recursive_doubling}, {50, Algorithm::ring}};
  platform.collectives[Pattern::allgather] = {{0, Algorithm::bruck}, {50, Algorithm::ring}};
  platform.collectives[Pattern::alltoall] = {{0, Algorithm::bruck}, {50, Algorithm::pairwise}};
  for (const Count& count :
       {Count{Pattern::barrier, 7, 15, 0}, Count{Pattern::broadcast, 10, 4, 40},
        Count{Pattern::reduce, 10, 4, 40}, Count{Pattern::gather, 10, 4, 10 * (1 + 1 + 2 + 1)},
        Count{Pattern::scatter, 10, 4, 10 * (1 + 2 + 1 + 1)},
        Count{Pattern::allgather, 10, 15, 5 * 10 * (1 + 2 + 1)},
        Count{Pattern::allgather, 50, 20, 5 * 4 * 50}, Count{Pattern::alltoall, 49, 15, 5 * 9 * (2 + 2 + 1)},
        Count{Pattern::alltoall, 50, 20, 5 * 4 * 10}, Count{Pattern::reduce_scatter, 50, 20, 5 * 4 * 10},
        Count{Pattern::scan, 10, 4 + 3 + 1, 80}, Count{Pattern::allreduce, 50, 40, 8 * 50}}) {
    const Outcome outcome =
        run(everybody(5, collective(count.pattern, count.bytes, 3 * (count.pattern != Pattern::barrier))),
            platform);
    EXPECT_EQ(outcome.collective_messages, count.messages)
        << static_cast<int>(count.pattern) << " of " << count.bytes;
    EXPECT_EQ(outcome.collective_bytes, count.sum)
        << static_cast<int>(count.pattern) << " of " << count.bytes;
  }
}

TEST(Reference, all_collectives_end_with_all_messages_received) {
  Link rendezvous = full();
  rendezvous.eager_limit = 0;
  for (std::int32_t members = 1; members <= 17; ++members) {
    for (int pattern = static_cast<int>(Pattern::barrier); pattern <= static_cast<int>(Pattern::scan);
         ++pattern) {
      for (const std::uint64_t bytes : {0u, 1000u, 65536u}) {
        Program program = everybody(
            members + 1, repeat(collective(static_cast<Pattern>(pattern), bytes, members / 2, 1), 2));
        program.ranks[1].clear();
        program.communicators.push_back({{0}});
        for (std::int32_t rank = members; rank > 1; --rank) program.communicators[1].members.push_back(rank);
        const Outcome outcome = run(program, on(rendezvous));
        EXPECT_TRUE(outcome.waiting.empty()) << members << " members, pattern " << pattern << " of " << bytes;
        EXPECT_EQ(outcome.unreceived, 0u) << members << " members, pattern " << pattern << " of " << bytes;
      }
    }
  }
}

TEST(Reference, messages_of_collectives_do_not_match_receives_from_any_source) {
  const std::vector<Body> ranks{{start_receive(kAny, kAny), collective(Pattern::reduce, 8), wait({1})},
                                {collective(Pattern::reduce, 8), send(0, 8)}};
  // reduce: 110, 130; the send of 10: 120, q: 150.
  EXPECT_THAT(ends(run(ranks, on(plain()))), ElementsAre(150, 20));
}

// ---- The end

TEST(Reference, two_synchronous_sends_that_face_each_other_hang) {
  const Outcome outcome = run(
      {{send(1, 0, Mode::synchronous), receive(1)}, {send(0, 0, Mode::synchronous), receive(0)}}, on(full()));
  EXPECT_THAT(waiting(outcome), ElementsAre(std::pair(0, 10), std::pair(1, 10)));
  EXPECT_FALSE(outcome.ranks[0].finished);
  EXPECT_EQ(outcome.unreceived, 2u);
}

TEST(Reference, a_receive_without_a_send_hangs) {
  const Outcome outcome = run({{compute(7)}, {compute(3), receive(0)}}, on(full()));
  EXPECT_THAT(waiting(outcome), ElementsAre(std::pair(1, 3)));
  EXPECT_TRUE(outcome.ranks[0].finished);
}

TEST(Reference, messages_that_nobody_receives_are_counted) {
  const Outcome outcome = run({{send(1, 8), start_send(1, 2000), send(1, 8)}, {receive(0)}}, on(full()));
  EXPECT_EQ(outcome.unreceived, 2u);
  EXPECT_TRUE(outcome.waiting.empty());
}

TEST(Reference, a_run_that_is_too_long_is_refused) {
  const auto trace =
      to_trace(Program{.ranks = {{compute(trace::kLongest / 2), compute(trace::kLongest / 2)}}});
  EXPECT_FALSE(reference::interpret(trace, on(plain())));
}

// ---- The random programs

TEST(RandomPrograms, are_traces) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const auto checked = check(simulate::testing::random_case(seed).trace);
    ASSERT_TRUE(checked) << "random_case(" << seed << "): " << to_string(checked.error());
    const int kind = static_cast<int>(seed % simulate::testing::kMistakes);
    const auto checked_mistake = check(simulate::testing::broken_case(seed, kind).trace);
    ASSERT_TRUE(checked_mistake) << "broken_case(" << seed << ", " << kind
                                 << "): " << to_string(checked_mistake.error());
  }
}

TEST(RandomPrograms, never_hang_and_leave_no_message) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const auto [trace, platform] = simulate::testing::random_case(seed);
    const auto outcome = reference::interpret(trace, platform);
    ASSERT_TRUE(outcome) << "random_case(" << seed << "): " << to_string(outcome.error());
    ASSERT_TRUE(outcome->waiting.empty()) << "random_case(" << seed << ")";
    ASSERT_EQ(outcome->unreceived, 0u) << "random_case(" << seed << ")";
  }
}

TEST(RandomPrograms, never_hang_on_any_other_machine) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto trace = simulate::testing::random_case(seed).trace;
    for (const Attention attention : {Attention::calls, Attention::always}) {
      Platform platform = on(full(), attention);
      platform.links[0].eager_limit = -1 + static_cast<std::int64_t>(seed % 3);
      const auto outcome = reference::interpret(trace, platform);
      ASSERT_TRUE(outcome);
      ASSERT_TRUE(outcome->waiting.empty()) << "random_case(" << seed << ")";
    }
  }
}

TEST(RandomPrograms, every_mistake_makes_some_hang_or_leave_a_message) {
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind) {
    int noticed = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const auto [trace, platform] = simulate::testing::broken_case(seed, kind);
      const auto outcome = reference::interpret(trace, platform);
      ASSERT_TRUE(outcome);
      noticed += !outcome->waiting.empty() || outcome->unreceived > 0;
    }
    EXPECT_GT(noticed, 0) << simulate::testing::mistake_name(kind);
  }
}

}  // namespace
}  // namespace parcast::simulate
