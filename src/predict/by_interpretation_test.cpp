// SPDX-License-Identifier: Apache-2.0
// The paper's algorithm step by step on chains by hand, and properties of any interpretation: sums, edges,
// mapping, deadlocks.
#include "predict/by_interpretation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <random>

#include "language/written.h"
#include "predict/model_builder.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::predict {
namespace {

using namespace simulate::testing;
using by_hand::measured;
using by_hand::simple_machine;
using interpret::Evaluated;
using interpret::Statistics;
using program::ApplicationEdge;
using program::UnitId;
using recording::Pattern;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using trace::Kind;
using trace::Mode;
using trace::Time;

constexpr Time kNanosecond = trace::kPerNanosecond, kMicrosecond = 1000 * kNanosecond;

/// Gives calls separate lines, in order rank by rank: rank 0 from line 10 on, rank 1 from 20 on, ...
trace::Trace traced(Program program) {
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    std::uint32_t line = 10 * (static_cast<std::uint32_t>(rank) + 1);
    for (Node& node : program.ranks[rank])
      if (node.what == trace::Item::What::operation) node.operation.place = line++;
  }
  trace::Trace out = to_trace(program);
  out.program = "chains";
  for (std::int32_t line = 0; line < 100; ++line)
    out.places.push_back({"", "main", "chains.c", line, "call" + std::to_string(line)});
  return out;
}

Interpreted interpreted(const trace::Trace& trace, const machine::Machine& machine, HowInterpreted how = {}) {
  const auto checked = trace::check(trace);
  EXPECT_TRUE(checked) << to_string(checked.error());
  auto out = interpret_on(program::graph_trace(trace), machine, how);
  EXPECT_TRUE(out) << to_string(out.error());
  return out ? std::move(*out) : Interpreted{};
}

/// Returns steps such as "1 call20 0+112": rank, unit, tau and delta in nanoseconds.
std::vector<std::string> steps(const trace::Trace& trace, const machine::Machine& machine) {
  std::vector<Evaluated> all;
  HowInterpreted how;
  how.options.evaluated = [&](const Evaluated& each) { all.push_back(each); };
  const Interpreted of = interpreted(trace, machine, how);
  std::vector<std::string> out;
  for (const Evaluated& each : all)
    out.push_back(std::to_string(each.rank) + " " + of.program.graph.units[each.unit].path + " " +
                  std::to_string(each.tau / kNanosecond) + "+" + std::to_string(each.delta / kNanosecond));
  return out;
}

/// L 10 ns, o 1 ns on both sides, and no cost per byte: a message sent at t can be received at t + 11 ns.
machine::Machine quick() {
  return simple_machine(10e-9, 1e-9, 0);
}

Node computing(Time nanoseconds) {
  return compute(nanoseconds * kNanosecond);
}

/// Rank 0 waits for 1, which waits for 0 before that and for 2 after it; rank 2 waits for 0 at the end.
Program blocking_both_ways() {
  return {{{computing(100), send(1, 8), receive(1), computing(50), send(2, 8)},
           {receive(0), computing(30), send(0, 8), receive(2)},
           {computing(5), send(1, 8), receive(0)}}};
}

/// Algorithm 1, by hand. Rank 0 is followed first, until it has to wait for rank 1; then rank 1 from its
/// beginning until it needs rank 2, which has not begun. Its message released rank 0, which became active
/// last and is next. Rank 2 comes last, and releases rank 1.
TEST(ByInterpretation, ChainsAreFollowedDepthFirst) {
  EXPECT_THAT(steps(traced(blocking_both_ways()), quick()),
              // departs at 101, arrives at 111
              ElementsAre("0 compute before call10 0+100", "0 call10 100+1",
                          // arrives at 153
                          "1 call20 0+112", "1 compute before call21 112+30", "1 call21 142+1",
                          // arrives at 215; rank 0 is red
                          "0 call11 101+53", "0 compute before call12 154+50", "0 call12 204+1",
                          // arrives at 16; red at 216
                          "2 compute before call30 0+5", "2 call30 5+1", "2 call31 6+210",
                          "1 call22 143+1"));  // red at 144
}

/// The reverse: rank 0 needs rank 1 at once, and rank 1 needs rank 0 later.
TEST(ByInterpretation, AChainThatIsLetGoIsNext) {
  const Program program{{{receive(1), computing(20), send(1, 8)},
                         {computing(40), send(0, 8), computing(7), receive(0), send(2, 8)},
                         {receive(1)}}};
  EXPECT_THAT(steps(traced(program), quick()),
              // arrives at 51; rank 0 can continue
              ElementsAre("1 compute before call20 0+40", "1 call20 40+1",
                          "1 compute before call21 41+7",  // call21 has to wait for rank 0
                          "0 call10 0+52", "0 compute before call11 52+20", "0 call11 72+1",  // arrives at 83
                          "1 call21 48+36", "1 call22 84+1",                                  // arrives at 95
                          "2 call30 0+96"));
}

/// A rendezvous is evaluated when both sides are known: L 10 and no given handshake, so that the round trip
/// takes 20.
TEST(ByInterpretation, ASynchronousSendWaitsForItsReceive) {
  const Program program{{{send(1, 8, Mode::synchronous)}, {computing(100), receive(0)}}};
  // Requested at 1, arrives at 11; posted at 100, answered at 110, received at 120 + 1. After its post rank 1
  // has all times, and continues.
  EXPECT_THAT(steps(traced(program), quick()),
              ElementsAre("1 compute before call20 0+100", "1 call20 100+21", "0 call10 0+110"));
}

TEST(ByInterpretation, TauIsTheEndOfTheUnitBefore) {
  std::vector<Evaluated> all;
  HowInterpreted how;
  how.options.evaluated = [&](const Evaluated& each) { all.push_back(each); };
  const Interpreted of = interpreted(traced(blocking_both_ways()), quick(), how);
  std::map<std::int32_t, Time> clock;
  for (const Evaluated& each : all) {
    EXPECT_EQ(each.tau, clock[each.rank]);
    clock[each.rank] = each.tau + each.delta;
  }
  for (const auto& [rank, end] : clock) EXPECT_EQ(of.result.ends[static_cast<std::size_t>(rank)], end);
  EXPECT_THAT(of.result.ends, ElementsAre(205 * kNanosecond, 144 * kNanosecond, 216 * kNanosecond));
  EXPECT_EQ(of.result.makespan, 216 * kNanosecond);
  EXPECT_EQ(of.result.slowest(), 2);
}

/// Started and awaited exchanges, rendezvous, collectives, a loop, and receives from any source.
Program busy() {
  Program program;
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    const std::int32_t right = (rank + 1) % 6, left = (rank + 5) % 6;
    Body body{computing(10 * rank + 1),
              loop(5, {start_receive(left, 1), start_send(right, 100, Mode::standard, 1),
                       computing(3 + rank % 2), wait({1, 2})}),
              collective(Pattern::broadcast, 64, 2),
              rank % 2 == 0 ? send(right, 50, Mode::synchronous, 2) : receive(left, 2),
              collective(Pattern::allreduce, 8)};
    if (rank > 0) body.push_back(send(0, 10, Mode::standard, 3));
    for (int from = 1; rank == 0 && from < 6; ++from) body.push_back(receive(trace::kAny, 3));
    program.ranks.push_back(std::move(body));
  }
  return program;
}

TEST(ByInterpretation, AThousandOrdersOfChainsGiveTheSame) {
  const machine::Machine machine = simple_machine(2e-6, 3e-7, 1e-9);
  for (const Program& program : {blocking_both_ways(), busy()}) {
    const trace::Trace trace = traced(program);
    HowInterpreted how;
    how.options.edges = true;
    const Interpreted first = interpreted(trace, machine, how);
    ASSERT_TRUE(first.result.waiting.empty());
    for (std::uint64_t order = 0; order < 1000; ++order) {
      how.options.shuffle = order;
      const Interpreted again = interpreted(trace, machine, how);
      ASSERT_EQ(again.result.by_class, first.result.by_class) << order;
      ASSERT_EQ(again.result.ends, first.result.ends) << order;
      ASSERT_EQ(again.result.makespan, first.result.makespan) << order;
      ASSERT_TRUE(std::ranges::equal(again.program.graph.edges, first.program.graph.edges,
                                     [](const ApplicationEdge& a, const ApplicationEdge& b) {
                                       return std::tuple(a.from, a.to, a.messages, a.bytes) ==
                                              std::tuple(b.from, b.to, b.messages, b.bytes);
                                     }))
          << order;
    }
  }
}

/// A deadlock is the same in any order too.
TEST(ByInterpretation, AThousandOrdersOfChainsFindTheSameHang) {
  Program program = busy();
  program.ranks[3].pop_back();  // rank 0 receives four of five
  const trace::Trace trace = traced(program);
  const Interpreted first = interpreted(trace, quick());
  ASSERT_EQ(first.result.waiting.size(), 1u);
  for (std::uint64_t order = 0; order < 1000; ++order) {
    HowInterpreted how;
    how.options.shuffle = order;
    const Interpreted again = interpreted(trace, quick(), how);
    ASSERT_EQ(again.result.by_class, first.result.by_class) << order;
    ASSERT_EQ(again.result.ends, first.result.ends) << order;
    ASSERT_EQ(again.result.waiting.size(), 1u);
    ASSERT_EQ(again.result.fewest, first.result.fewest);
  }
}

/// Two cores per node: within one L 1 us and 1 ns per byte, between them 10 us and 2 ns; o is 1 us.
machine::Machine two_levels() {
  machine::Machine m = simple_machine(10e-6, 1e-6, 2e-9);
  m.nodes = 2, m.cores_per_node = 2;
  machine::Link node = m.links.at("network");
  node.latency = measured(1e-6), node.gap_per_byte = measured(1e-9);
  m.links["node"] = node;
  return m;
}

machine::MapRule map(const std::string& text) {
  const auto rule = machine::map_rule_from(text);
  EXPECT_TRUE(rule) << text;
  return rule ? *rule : machine::MapRule{};
}

/// Rank 0 sends 1,000 bytes to 1, and 2 to 3; both receivers are waiting. Ranks 1 and 2 swap places.
TEST(ByInterpretation, AMappingChangesRoutedCostsAlone) {
  const Program program{{{computing(5000), send(1, 1000)},
                         {computing(100), receive(0)},
                         {computing(6000), send(3, 1000)},
                         {computing(200), receive(2)}}};
  const trace::Trace trace = traced(program);
  const Interpreted block = interpreted(trace, two_levels(), {.map = map("block")}),
                    swapped = interpreted(trace, two_levels(), {.map = map("list:0,2,1,3")});
  EXPECT_EQ(block.routes->text(0, 1).find("network"), std::string::npos);
  const auto& graph = block.program.graph;
  for (std::int32_t rank = 0; rank < 4; ++rank)
    for (UnitId unit = 0; unit < graph.units.size(); ++unit) {
      const Statistics &a = block.result.statistics(rank, unit), &b = swapped.result.statistics(rank, unit);
      const bool receives = graph.units[unit].path == (rank == 1 ? "call20" : "call40") && rank % 2 == 1;
      EXPECT_EQ(a.compute, b.compute);
      EXPECT_EQ(a.executions, b.executions);
      EXPECT_EQ(a.messages, b.messages);
      EXPECT_EQ(a.wait, b.wait) << rank << " " << graph.units[unit].path;
      EXPECT_EQ(b.startup - a.startup, receives ? 9 * kMicrosecond : 0)
          << rank << " " << graph.units[unit].path;
      EXPECT_EQ(b.transfer - a.transfer, receives ? 1 * kMicrosecond : 0)
          << rank << " " << graph.units[unit].path;
    }
  // By hand: sent at 6, departed at 7, arrives 2 us later (1 us and 1,000 bytes), and 1 us to take it; over
  // the network 12 us.
  EXPECT_THAT(block.result.ends,
              ElementsAre(6 * kMicrosecond, 9 * kMicrosecond, 7 * kMicrosecond, 10 * kMicrosecond));
  EXPECT_THAT(swapped.result.ends,
              ElementsAre(6 * kMicrosecond, 19 * kMicrosecond, 7 * kMicrosecond, 20 * kMicrosecond));
}

/// The mapping places both pairs on separate nodes again, only elsewhere.
TEST(ByInterpretation, MappingsThatKeepNeighboursTogetherAreAlike) {
  const Program program{
      {{computing(5000), send(1, 1000)}, {receive(0)}, {computing(6000), send(3, 1000)}, {receive(2)}}};
  const trace::Trace trace = traced(program);
  const Interpreted block = interpreted(trace, two_levels(), {.map = map("block")});
  for (const char* other : {"list:2,3,0,1", "list:1,0,3,2", "list:3,2,1,0"})
    EXPECT_EQ(interpreted(trace, two_levels(), {.map = map(other)}).result.by_class, block.result.by_class)
        << other;
  EXPECT_EQ(interpreted(trace, two_levels(), {.map = map("cyclic")}).result.by_class,
            interpreted(trace, two_levels(), {.map = map("list:0,2,1,3")}).result.by_class);
}

/// The cost is the same below the eager limit.
TEST(ByInterpretation, AWriteToRemoteMemoryTakesItsBytesTime) {
  // o 0.3 us; departs then; 1,000 bytes leave within 1 us and arrive 2 us later; the answer needs 2 us.
  const Interpreted of = interpreted(traced({{{access(Kind::write, 1, 1000)}, {computing(1)}}}),
                                     simple_machine(2e-6, 3e-7, 1e-9));
  EXPECT_EQ(of.result.ends[0], 5300 * kNanosecond);
}

TEST(ByInterpretation, ComputingGrowsByTheRatio) {
  const Program program{{{computing(100), send(1, 8)}, {receive(0)}}};
  const Interpreted of = interpreted(traced(program), quick(), {.map = {}, .compute_ratio = 2.5});
  EXPECT_EQ(of.result.of_rank(0).compute, 250 * kNanosecond);
  EXPECT_EQ(of.result.makespan, (250 + 11 + 1) * kNanosecond);
  EXPECT_EQ(of.compute_ratio, 2.5);
}

/// Half of a core, 500 ns in every microsecond (docs/models/core_share.md): work of 100 ns for a process that
/// always works takes 50 while its budget lasts.
machine::Machine half_of_a_core() {
  machine::Machine out = quick();
  out.core_share = measured(0.5), out.share_period = measured(1e-6);
  return out;
}

TEST(ByInterpretation, AShareOfACoreIsHadAnewByAProcessThatWaited) {
  // Rank 0: 400 take 200 of its 500. 2000 need 1000: 300 at once, 500 from 1000 on, and the last 200 from
  // 2000 on. Its send takes half of 1. Rank 1 wakes long after its period: 500 for half of 1, 400 and half of
  // 1.
  Program program{{{computing(400), computing(2000), send(1, 8), receive(1), computing(100)},
                   {receive(0), computing(800), send(0, 8)}}};
  const Interpreted of = interpreted(traced(program), half_of_a_core());
  const Time half = kNanosecond / 2, sent = 2200 * kNanosecond + half,
             reply = sent + 10 * kNanosecond + half + 400 * kNanosecond + half;
  // Rank 0 wakes before its period ends at 3000, with more left than its part of the rest, so it gets a full
  // budget of 500: half of 1, and 50.
  EXPECT_EQ(of.result.ends, (std::vector<Time>{reply + 10 * kNanosecond + half + 50 * kNanosecond, reply}));
  EXPECT_EQ(of.result.of_rank(0).compute, (200 + 2000 + 50) * kNanosecond);
  EXPECT_EQ(of.result.of_rank(0).time(), of.result.ends[0]);
  EXPECT_THAT(of.assumptions, ::testing::Contains(HasSubstr("50 % of a core")));
}

TEST(ByInterpretation, WhoUsedUpMoreThanItsPartWaitsForItsNextPeriod) {
  // Rank 1 has used 400 of its 500 when it begins to wait, and wakes at 460.5: 100 are less than half of the
  // rest of its period. These 100, and 100.5 of the next period, are for the receive and 400 of computing.
  const Program program{{{computing(900), send(1, 8)}, {computing(800), receive(0), computing(400)}}};
  const Interpreted of = interpreted(traced(program), half_of_a_core());
  EXPECT_EQ(of.result.ends[1], 1100 * kNanosecond + kNanosecond / 2);
}

/// A process that never waits gets only its part, at the beginning of each period.
TEST(ByInterpretation, WhoNeverWaitsHasItsShare) {
  const Interpreted of = interpreted(traced({{{computing(50'000)}}}), half_of_a_core());
  EXPECT_EQ(of.result.makespan, (50'000 - 500) * kNanosecond);
}

TEST(ByInterpretation, ACollectiveFromATableNeitherSavesNorUsesUp) {
  machine::Machine machine = half_of_a_core();
  machine.patterns = {{.pattern = Pattern::neighbourhood,
                       .name = "neighbourhood",
                       .points = {},
                       .pieces = {{.from_bytes = 0, .growth = "1", .startup = measured(300e-9)}}}};
  const Program program{
      {{computing(2000), collective(Pattern::neighbourhood, 0), computing(500)},
       {computing(600), collective(Pattern::neighbourhood, 0), computing(1800), computing(500)}}};
  const Interpreted of = interpreted(traced(program), machine);
  // 2000 use two budgets of 500: 1500. The collective's 300 delay the next period to 2300, which has the
  // other 250.
  EXPECT_EQ(of.result.ends[0], (2300 + 250) * kNanosecond);
  // Rank 1 wakes at 1800 with a full budget of 500; 1800 need 900: until 3200; 500 need 100 of this period
  // and 150 of the one from 3800 on.
  EXPECT_EQ(of.result.ends[1], (3800 + 150) * kNanosecond);
  EXPECT_THAT(of.assumptions, ::testing::Not(::testing::Contains(HasSubstr("messages of their algorithms"))));
}

TEST(ByInterpretation, ACollectiveOnSharesOfACoreIsItsMessages) {
  machine::Machine machine = half_of_a_core();
  machine.patterns = {{.pattern = Pattern::broadcast,
                       .name = "broadcast",
                       .points = {},
                       .pieces = {{.from_bytes = 0, .growth = "1", .startup = measured(300e-9)}}}};
  // The root of a binomial tree of four sends to its second neighbour and then to its first, which needs
  // nothing more from it; half of 1 for each send and receive, 10 under way.
  const Program program{{{collective(Pattern::broadcast, 8, 0)},
                         {collective(Pattern::broadcast, 8, 0)},
                         {collective(Pattern::broadcast, 8, 0)},
                         {collective(Pattern::broadcast, 8, 0)}}};
  const Interpreted of = interpreted(traced(program), machine);
  const Time half = kNanosecond / 2;
  EXPECT_EQ(of.result.ends, (std::vector<Time>{2 * half, 12 * kNanosecond - half, 12 * kNanosecond - half,
                                               22 * kNanosecond}));
  EXPECT_THAT(of.assumptions, ::testing::Contains(HasSubstr("messages of their algorithms")));
  EXPECT_EQ(of.result.of_rank(0).messages, 0);  // the broadcast's own
  EXPECT_EQ(of.result.of_rank(0).bytes, 8);
  EXPECT_TRUE(of.result.edges.empty());
}

/// Skipped rounds equal the rounds that would have been evaluated.
TEST(ByInterpretation, IterationsRepeatWithAShareOfACore) {
  for (const Time work : {100, 700, 3000}) {
    const Program program{{{loop(500, {computing(work), send(1, 8), receive(1)})},
                           {loop(500, {receive(0), computing(work / 2), send(0, 8)})}}};
    const trace::Trace trace = traced(program);
    HowInterpreted each;
    each.options.fold = false;
    const Interpreted folded = interpreted(trace, half_of_a_core()),
                      followed = interpreted(trace, half_of_a_core(), each);
    EXPECT_EQ(folded.result.ends, followed.result.ends) << work;
    EXPECT_GT(folded.result.folded, 0u) << work;
  }
}

/// Random programs in which each operation is a separate unit.
trace::Trace random_trace(std::uint64_t seed) {
  trace::Trace out = random_case(seed).trace;
  out.places.clear();
  for (std::size_t i = 0; i < out.operations.size(); ++i) {
    out.operations[i].place = static_cast<std::uint32_t>(i);
    out.places.push_back({"", "main", "random.c", static_cast<std::int32_t>(i), "call" + std::to_string(i)});
  }
  return out;
}

bool chooses(const trace::Trace& trace) {
  return std::ranges::any_of(trace.operations, [](const trace::Operation& each) {
    return trace::looks_for_envelope(each.kind) && (each.peer == trace::kAny || each.tag == trace::kAny);
  });
}

using Counted = std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::int64_t, std::int64_t>>;

/// Where no receive has a choice, the k-th send of a pair of ranks, tag and communicator goes to the k-th
/// receive.
Counted count_messages(const trace::Trace& trace) {
  struct Flow {
    std::deque<std::uint32_t> sends, receives;
  };
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::uint32_t>, Flow> flows;
  for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
    trace::Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
    while (walker.next()) {
      if (walker.item().what() != trace::Item::What::operation) continue;
      const std::uint32_t index = walker.item().index();
      const trace::Operation& of = trace.operations[index];
      if (of.kind == Kind::send || of.kind == Kind::start_send)
        flows[{rank, rank + of.peer, of.tag, of.communicator}].sends.push_back(index);
      if (of.kind == Kind::receive || of.kind == Kind::start_receive)
        flows[{rank + of.peer, rank, of.tag, of.communicator}].receives.push_back(index);
    }
  }
  Counted out;
  for (auto& [key, flow] : flows)
    for (; !flow.sends.empty() && !flow.receives.empty(); flow.sends.pop_front(), flow.receives.pop_front()) {
      auto& [messages, bytes] = out[{flow.sends.front(), flow.receives.front()}];
      ++messages, bytes += static_cast<std::int64_t>(trace.operations[flow.sends.front()].bytes);
    }
  return out;
}

TEST(ByInterpretation, EdgesAreTheMessagesOfTheTrace) {
  int compared = 0;
  std::int64_t messages = 0;
  for (std::uint64_t seed = 0; compared < 100; ++seed) {
    const trace::Trace trace = random_trace(seed);
    if (trace::has_locks(trace) || chooses(trace)) continue;
    SCOPED_TRACE(seed);
    HowInterpreted how;
    how.options.edges = true;
    const Interpreted of = interpreted(trace, quick(), how);
    Counted expected;
    for (const auto& [operations, counted] : count_messages(trace)) {  // by unit
      auto& each = expected[{of.program.unit_of[operations.first], of.program.unit_of[operations.second]}];
      each.first += counted.first, each.second += counted.second;
    }
    Counted own;
    for (const ApplicationEdge& edge : of.program.graph.edges)
      own[{edge.from, edge.to}] = {edge.messages, edge.bytes}, messages += edge.messages;
    EXPECT_EQ(own, expected);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GT(messages, 1000);
}

/// With receives from any source the trace does not determine the matches. The number of messages that leave
/// and enter each call is known.
TEST(ByInterpretation, EdgesOfReceivesFromAnybodyCountEachMessageOnce) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 50; ++seed) {
    const trace::Trace trace = random_trace(seed);
    if (trace::has_locks(trace) || !chooses(trace)) continue;
    SCOPED_TRACE(seed);
    HowInterpreted how;
    how.options.edges = true;
    const Interpreted of = interpreted(trace, quick(), how);
    std::map<UnitId, std::int64_t> sent, received, left, came;
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank) {
      trace::Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
      while (walker.next()) {
        if (walker.item().what() != trace::Item::What::operation) continue;
        const std::uint32_t index = walker.item().index();
        const Kind kind = trace.operations[index].kind;
        if (kind == Kind::send || kind == Kind::start_send) ++sent[of.program.unit_of[index]];
        if (kind == Kind::receive || kind == Kind::start_receive) ++received[of.program.unit_of[index]];
      }
    }
    for (const ApplicationEdge& edge : of.program.graph.edges)
      left[edge.from] += edge.messages, came[edge.to] += edge.messages;
    EXPECT_EQ(of.result.unreceived, 0u);
    EXPECT_EQ(left, sent);
    EXPECT_EQ(came, received);
    ++compared;
    if (HasFailure()) return;
  }
}

TEST(ByInterpretation, AllUnitsOfARankSumToItsEnd) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 100; ++seed) {
    const trace::Trace trace = random_trace(seed);
    if (trace::has_locks(trace)) continue;
    const Interpreted of = interpreted(trace, quick());
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
      EXPECT_EQ(sum_below(of.program.graph, of.result, 0, rank).time(),
                of.result.ends[static_cast<std::size_t>(rank)])
          << seed << " rank " << rank;
    ++compared;
  }
}

TEST(ByInterpretation, LocksAreRefused) {
  Program program{
      {{lock(Kind::lock_exclusive, 1), access(Kind::write, 1, 8), lock(Kind::unlock, 1)}, {computing(5)}}};
  const auto refused = interpret_on(program::graph_trace(traced(program)), quick(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "locks of windows are not interpreted: who comes first is a question of time");
  EXPECT_EQ(refused.error().hint, "use parcast simulate");
}

std::vector<std::int32_t> ranks_waiting(const Interpreted& of) {
  std::vector<std::int32_t> out;
  for (const trace::Waiting& each : of.result.waiting) out.push_back(each.rank);
  return out;
}

/// Ranks 1 and 2 wait for each other, 0 and 3 for them.
TEST(ByInterpretation, TheFewestRanksExplainAHang) {
  const Program program{
      {{receive(1)}, {computing(5), receive(2), send(2, 8)}, {receive(1), send(1, 8)}, {receive(0)}}};
  const Interpreted of = interpreted(traced(program), quick());
  EXPECT_THAT(ranks_waiting(of), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(of.result.fewest, ::testing::UnorderedElementsAre(1, 2));
  EXPECT_FALSE(of.result.by_choice);
  EXPECT_EQ(of.result.waiting[1].since, 5 * kNanosecond);
  EXPECT_THAT(of.result.waiting[1].for_ranks, ElementsAre(2));
  EXPECT_EQ(of.program.trace.places[of.program.trace.operations[of.result.waiting[1].operation].place].line,
            20);
}

/// A rank that waits for an ended rank explains the deadlock alone.
TEST(ByInterpretation, OneThatWaitsForAnEndedRankExplainsAHang) {
  const Program program{{{receive(1)}, {computing(5)}, {receive(0)}}};
  const Interpreted of = interpreted(traced(program), quick());
  EXPECT_THAT(ranks_waiting(of), ElementsAre(0, 2));
  EXPECT_THAT(of.result.fewest, ElementsAre(0));
}

/// Rank 0 takes the first message, then rank 1's: it deadlocks if rank 1's was the first, and otherwise ends.
TEST(ByInterpretation, AHangByWhatCameFirstMayNotBe) {
  const auto program = [](Time one, Time two) {
    return Program{
        {{receive(trace::kAny), receive(1)}, {computing(one), send(0, 8)}, {computing(two), send(0, 8)}}};
  };
  const Interpreted hangs = interpreted(traced(program(10, 20)), quick());
  EXPECT_THAT(ranks_waiting(hangs), ElementsAre(0));
  EXPECT_TRUE(hangs.result.by_choice);
  const Interpreted ends = interpreted(traced(program(20, 10)), quick());
  EXPECT_THAT(ranks_waiting(ends), IsEmpty());
  // Rank 2's message arrives at 21, rank 1's at 31, taken by 32.
  EXPECT_EQ(ends.result.makespan, 32 * kNanosecond);
}

/// A host and four nodes that are 1 us from each other; the host is 100 us from each of them.
machine::Machine host_and_nodes() {
  machine::Machine out = simple_machine(0, 0, 0);
  const auto link = [](double latency) {
    machine::Link made;
    made.latency = measured(latency);
    for (machine::Parameter* each :
         {&made.send_overhead, &made.receive_overhead, &made.gap, &made.gap_per_byte})
      *each = measured(0);
    return made;
  };
  auto system = std::make_shared<machine::System>();
  system->name = "host-and-nodes";
  using enum machine::Decomposition;
  machine::Unit all{.name = "all"}, host{.name = "host", .parent = "all"},
      cube{.name = "cube", .parent = "all"}, node{.name = "node", .parent = "cube", .count = 4};
  all.processing.kind = all.communication.kind = cube.processing.kind = cube.communication.kind = compound;
  all.communication.connections = {{"host", "cube", "wire", link(100e-6)}};
  cube.communication.topology = machine::Topology::crossbar, cube.communication.link = link(1e-6),
  cube.communication.gateway = "node 0";
  for (machine::Unit* each : {&host, &node}) {
    each->processing.kind = each->communication.kind = simple;
    each->processing.speed = measured(1e9), each->communication.link = link(0);
  }
  system->units = {all, host, cube, node};
  out.system = system;
  return out;
}

/// Times are for the system's most frequent processor, a node. The host is ten times slower. With one node,
/// as with four, a node computes 5 us, and the host 10 x 2 us after the message, which comes 100 us later.
TEST(ByInterpretation, ComputingIsGivenForTheMostFrequentProcessorOfTheSystem) {
  const auto model = program::written::model_of_text(
      "program sum\nhost program\nrepeat 1\n  nodes\n    compute 5 us \"part\"\n  if node 0\n    send 8 B to "
      "host\n  host\n    receive 8 B from node 0\n    compute 2 us \"sum\"\n",
      "sum.program");
  ASSERT_TRUE(model) << to_string(model.error());
  machine::Machine machine = host_and_nodes();
  auto system = std::make_shared<machine::System>(*machine.system);
  for (machine::Unit& unit : system->units)
    if (unit.name == "host") unit.processing.speed = measured(1e8);
  machine.system = system;
  for (const std::int32_t ranks : {2, 5}) {
    const auto of = interpret_on(*model, machine, by_hand::ask(ranks), map("host+block"));
    ASSERT_TRUE(of) << to_string(of.error());
    EXPECT_EQ(of->result.makespan, (5 + 100 + 20) * kMicrosecond) << ranks;
  }
}

/// Blocks of a written program that only some ranks execute are conditions; the nodes' own sum does not pass
/// the host.
TEST(ByInterpretation, BlocksOfAWrittenProgramAreConditionsAndCollectivesStayAmongTheirRanks) {
  const auto model = program::written::model_of_text(
      "program sum\nhost program\nrepeat 1\n  nodes\n    compute 5 us \"part\"\n    allreduce 8 B among "
      "nodes\n  if node 0\n    send 8 B to host\n  host\n    receive 8 B from node 0\n",
      "sum.program");
  ASSERT_TRUE(model) << to_string(model.error());
  const auto of = interpret_on(*model, host_and_nodes(), by_hand::ask(5), map("host+block"));
  ASSERT_TRUE(of) << to_string(of.error());
  std::map<std::string, program::UnitClass> kinds;
  for (const program::ApplicationUnit& unit : of->program.graph.units) kinds.emplace(unit.label, unit.kind);
  for (const char* label : {"nodes", "if", "host"}) {
    ASSERT_TRUE(kinds.contains(label)) << label;
    EXPECT_EQ(kinds.at(label), program::UnitClass::condition_synchronised) << label;
  }
  const auto part = std::ranges::find(of->program.graph.units, "part", &program::ApplicationUnit::detail);
  EXPECT_NE(part, of->program.graph.units.end());
  // 5 us, two rounds of recursive doubling among four nodes, and node 0's message: 100 us to the cube's
  // gateway, node 0 itself.
  EXPECT_EQ(of->result.makespan, 5 * kMicrosecond + 2 * kMicrosecond + 100 * kMicrosecond);
  ASSERT_EQ(of->warnings.size(), 1u);
  EXPECT_EQ(of->warnings.front().code, "written-program");
}

TEST(ByInterpretation, CollectivesThatDifferAreNamed) {
  const Program program{{{collective(Pattern::allreduce, 8)}, {collective(Pattern::barrier, 0)}}};
  const auto refused = interpret_on(program::graph_trace(traced(program)), quick(), {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("call different collectives"));
  EXPECT_THAT(refused.error().what, HasSubstr("chains.c:10"));
  EXPECT_THAT(refused.error().what, HasSubstr("chains.c:20"));
}

}  // namespace
}  // namespace parcast::predict
