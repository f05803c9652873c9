// SPDX-License-Identifier: Apache-2.0
// GOAL schedules as graphs: values calculated by hand, chains compared with simulate(), random graphs
// compared with a plain interpreter of docs/models/schedules.md, and lines in any order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "interchange/goal.h"
#include "interchange/trace_text_for_tests.h"
#include "predict/simulate/costs.h"
#include "predict/simulate/schedule.h"
#include "predict/simulate/simulate.h"

namespace parcast::interchange {
namespace {

using simulate::Attention;
using simulate::Outcome;
using simulate::Platform;
using simulate::RankOutcome;
using simulate::Time;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time kMicrosecond = 1'000'000;  // picoseconds

/// L = 2 us, o = 500 ns, without gaps.
Platform plain() {
  Platform out;
  out.links = {
      {.latency = 2 * kMicrosecond, .send_overhead = kMicrosecond / 2, .receive_overhead = kMicrosecond / 2}};
  return out;
}

/// 1 ns a byte.
Platform with_gap() {
  Platform out = plain();
  out.links[0].gap_per_byte = out.links[0].rendezvous_gap_per_byte = 1000 * simulate::kOne;
  return out;
}

/// All messages use the rendezvous protocol, whose handshake takes 4 us.
Platform with_handshake(Attention attention) {
  Platform out = plain();
  out.links[0].eager_limit = 0;
  out.attention = attention;
  return out;
}

class GoalSchedule : public testing::Test {
 protected:
  /// Each text has the operations of one rank.
  static std::string file_of(const std::vector<std::string>& ranks) {
    std::string out = "num_ranks " + std::to_string(ranks.size()) + "\n";
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      out += "rank " + std::to_string(rank) + " {\n" + ranks[rank] + "}\n";
    return out;
  }
  void load(const std::vector<std::string>& ranks) {
    const auto path = folder_.put("schedule.goal", file_of(ranks));
    auto goal = read_goal(path);
    auto graph = read_goal_graph(path);
    ASSERT_TRUE(goal.ok()) << to_string(goal.error());
    ASSERT_TRUE(graph.ok()) << to_string(graph.error());
    goal_ = std::move(*goal);
    graph_ = std::move(*graph);
  }
  Outcome run(const Platform& platform) const {
    const auto out = simulate_schedule(graph_, goal_.trace, platform);
    EXPECT_TRUE(out.ok()) << to_string(out.error());
    return out.ok() ? *out : Outcome{};
  }
  double microseconds(const std::vector<std::string>& ranks, const Platform& platform) {
    load(ranks);
    const Outcome out = run(platform);
    EXPECT_THAT(out.waiting, IsEmpty());
    return static_cast<double>(out.makespan) / kMicrosecond;
  }

  Scratch folder_;
  ImportedGoal goal_;
  trace::OperationGraph graph_;
};

// ---- Values calculated by hand

const char* const kSendsAfter50 = "k: calc 50000\ns: send 8b to 1 tag 1\ns requires k\n";

/// 50 us of computing, .5 to send, 2 of latency, .5 to receive, 1 for x: y runs meanwhile.
TEST_F(GoalSchedule, ComputesWhileAMessageIsOnItsWay) {
  EXPECT_EQ(
      microseconds({kSendsAfter50, "r: recv 8b from 0 tag 1\nx: calc 1000\ny: calc 30000\nx requires r\n"},
                   plain()),
      54.0);
  EXPECT_EQ(
      microseconds({kSendsAfter50, "y: calc 30000\nr: recv 8b from 0 tag 1\nx: calc 1000\nx requires r\n"},
                   plain()),
      54.0);
  EXPECT_TRUE(goal_.is_graph);
}

/// b ends at 10 us, then .5 + 2 + .5 and e.
TEST_F(GoalSchedule, RunsTheCpusOfARankSideBySide) {
  EXPECT_EQ(
      microseconds({"a: calc 10000 cpu 0\nb: calc 10000 cpu 1\nc: calc 10000 cpu 2\ns: send 8b to 1 tag 7 "
                    "cpu 1 nic 0\ns requires b\n",
                    "r: recv 8b from 0 tag 7 cpu 0\nk: calc 5000 cpu 1\ne: calc 1000 cpu 0\ne requires r\n"},
                   plain()),
      14.0);
  const Outcome out = run(plain());
  EXPECT_EQ(out.ranks[0],
            (RankOutcome{.end = 10'500'000, .compute = 30'000'000, .communication = 500'000, .cpus = 3}));
  EXPECT_EQ(out.ranks[1],
            (RankOutcome{.end = 14'000'000, .compute = 6'000'000, .communication = 500'000, .cpus = 2}));
  EXPECT_EQ(out.operations, 7u);
  EXPECT_EQ(out.messages, 1u);
  EXPECT_EQ(out.bytes, 8u);
}

/// The message arrives at 2.5 us, the cpu is free at 10.
TEST_F(GoalSchedule, AReceiveTakesItsOverheadWhenTheCpuIsFree) {
  EXPECT_EQ(microseconds({"send 8b to 1\n", "y: calc 10000\nr: recv 8b from 0\nx: calc 1000\nx requires r\n"},
                         plain()),
            11.5);
  // With a cpu of its own, x ends at 4 us; y ends at 10.
  EXPECT_EQ(
      microseconds({"send 8b to 1\n", "y: calc 10000 cpu 1\nr: recv 8b from 0\nx: calc 1000\nx requires r\n"},
                   plain()),
      10.0);
}

/// a is ready at 0, the message arrives at 2.5 us, and b is ready at 4, after c on the other cpu. After a
/// (until 5) the receive goes first, then b.
TEST_F(GoalSchedule, WhatIsReadyFirstStartsFirst) {
  const std::string rank =
      "c: calc 4000 cpu 1\na: calc 5000\nb: calc 20000\nb requires c\n"
      "r: recv 8b from 0\ns: send 8b to 0 tag 1 cpu 1\ns requires r\n";
  // r runs from 5 to 5.5, and b from 5.5 to 25.5. If b went first, r would end at 25.5, and s would arrive at
  // 28.
  EXPECT_EQ(microseconds({"send 8b to 1\nrecv 8b from 1 tag 1\n", rank}, plain()), 25.5);
  EXPECT_EQ(run(plain()).ranks[0].end, 8'500'000);
}

/// b starts together with a, at 7 us.
TEST_F(GoalSchedule, RequiringAStartDoesNotWaitForTheEnd) {
  EXPECT_EQ(microseconds({"w: calc 7000\na: calc 10000\na requires w\nb: calc 20000 cpu 1\nb irequires a\n"},
                         plain()),
            27.0);
  EXPECT_EQ(microseconds({"w: calc 7000\na: calc 10000\na requires w\nb: calc 20000 cpu 1\nb requires a\n"},
                         plain()),
            37.0);
  // A receive starts when it is posted, and nobody sends before b has started.
  EXPECT_EQ(microseconds({"r: recv 8b from 1\nb: send 8b to 1\nb irequires r\n",
                          "q: recv 8b from 0\ns: send 8b to 0\ns requires q\n"},
                         plain()),
            6.0);
}

/// With one interface, the first message keeps it busy from .5 to 1.5 us, so that the second arrives at 4.5.
/// With two interfaces the second message leaves at 1.
TEST_F(GoalSchedule, InterfacesOfARankWorkSideBySide) {
  const std::string receives = "recv 1000b from 0 tag 1\nrecv 1000b from 0 tag 2\n";
  EXPECT_EQ(microseconds({"send 1000b to 1 tag 1\nsend 1000b to 1 tag 2\n", receives}, with_gap()), 5.0);
  EXPECT_EQ(microseconds({"send 1000b to 1 tag 1\nsend 1000b to 1 tag 2 nic 1\n", receives}, with_gap()),
            4.5);
}

/// The message of rank 2 arrives at 2.5 us, that of rank 1 at 12.5. a is posted first and gets the former, so
/// x ends at 2.5 + .5 + 20.
TEST_F(GoalSchedule, ReceivesFromAnybodyTakeWhatArrivesFirst) {
  EXPECT_EQ(microseconds({"a: recv 8b from -1\nx: calc 20000\nx requires a\nk: calc 1000 cpu 1\nb: recv 8b "
                          "from -1 cpu 1\nb requires k\n",
                          "k: calc 10000\ns: send 8b to 0\ns requires k\n", "send 8b to 0\n"},
                         plain()),
            23.0);
}

/// The request arrives at 2.5 us. If the cpu computes until 30, the answer leaves then: 32, 34 and .5 to
/// receive.
TEST_F(GoalSchedule, ACpuThatComputesAttendsToNothing) {
  const std::vector<std::string> ranks{"send 8b to 1\n", "r: recv 8b from 0\ny: calc 30000\n"};
  EXPECT_EQ(microseconds(ranks, with_handshake(Attention::calls)), 34.5);
  EXPECT_EQ(microseconds(ranks, with_handshake(Attention::always)), 30.5);
  EXPECT_EQ(microseconds({"send 8b to 1\n", "r: recv 8b from 0\ny: calc 30000 cpu 1\n"},
                         with_handshake(Attention::calls)),
            30.0);
  // The sender computes from .5 to 30.5 us; its data leave only then.
  EXPECT_EQ(microseconds({"s: send 8b to 1\ny: calc 30000\n", "r: recv 8b from 0\n"},
                         with_handshake(Attention::calls)),
            33.0);
  // An operation that requires a rendezvous send waits until its data have left, at 4.5 us.
  EXPECT_EQ(
      microseconds({"s: send 8b to 1\ny: calc 30000\ny requires s\nz: calc 1 cpu 1\n", "r: recv 8b from 0\n"},
                   with_handshake(Attention::calls)),
      34.5);
}

TEST_F(GoalSchedule, RanksThatWaitForEverNameWhatTheyBegan) {
  load({"x: calc 3000\nr: recv 8b from 1 tag 3\nq: recv 9b from 2\nq requires x\ny: calc 1\ny requires r\n",
        "recv 8b from 0\n", "calc 1\n"});
  const Outcome out = run(plain());
  ASSERT_EQ(out.waiting.size(), 2u);
  EXPECT_EQ(out.waiting[0].rank, 0);
  EXPECT_EQ(out.waiting[0].since, 0);
  EXPECT_THAT(out.waiting[0].for_ranks, ElementsAre(1, 2));
  ASSERT_EQ(out.waiting[0].for_operations.size(), 2u);
  EXPECT_EQ(goal_.trace.operations[out.waiting[0].operation].bytes, 8u);
  EXPECT_EQ(out.waiting[1].rank, 1);
  EXPECT_THAT(out.cycle, ElementsAre(0, 1));
  EXPECT_FALSE(out.ranks[0].finished);
  EXPECT_EQ(out.ranks[0].end, 3 * kMicrosecond);
  EXPECT_TRUE(out.ranks[2].finished);
}

TEST_F(GoalSchedule, RefusesWhatListsAloneHave) {
  load({"calc 1\ncalc 2\n"});
  Platform noisy = plain();
  noisy.noise = simulate::Noise{1, 0.1, 0};
  EXPECT_FALSE(simulate::runs_schedules(noisy));
  EXPECT_THAT(simulate_schedule(graph_, goal_.trace, noisy).error().what, HasSubstr("not simulated with"));
  trace::OperationGraph circle;
  circle.ranks.push_back({{{.amount = 1}, {.amount = 2}}, {{0, 1, false}, {1, 0, false}}});
  EXPECT_THAT(simulate_schedule(circle, goal_.trace, plain()).error().what, HasSubstr("in a circle"));
  Platform slow = plain();
  slow.compute_ratio = std::int64_t{1} << 62;
  load({"calc 1000000000\ncalc 1\n"});
  EXPECT_THAT(simulate_schedule(graph_, goal_.trace, slow).error().what, HasSubstr("longer than 26 days"));
}

TEST_F(GoalSchedule, IsAGraphWhereItsOrderIsNotTheOnlyOne) {
  const auto is_graph = [&](const std::string& rank) {
    load({rank});
    return goal_.is_graph;
  };
  EXPECT_FALSE(is_graph("a: calc 1\nb: calc 2\nb requires a\nc: send 1b to 0\nc irequires b\n"));
  EXPECT_FALSE(is_graph(""));
  EXPECT_TRUE(is_graph("a: calc 1\nb: calc 2\nb requires a\nc: calc 1\nc requires a\n"));
  EXPECT_TRUE(is_graph("a: calc 1\nb: calc 2 cpu 1\nb requires a\n"));
  EXPECT_TRUE(is_graph("a: send 1b to 0\nb: recv 1b from 0 nic 1\nb requires a\n"));
}

// ---- Random machines and schedules

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned end) { return static_cast<unsigned>(engine_() % end); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class Items>
  void shuffle(Items& items) {
    std::shuffle(items.begin(), items.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

simulate::Link random_link(Random& random, bool gaps) {
  simulate::Link out{.latency = 1 + random.below(5'000'000),
                     .send_overhead = random.below(900'000),
                     .receive_overhead = random.below(900'000)};
  if (random.one_in(2))
    out.send_overhead_per_byte = random.below(900) * simulate::kOne,
    out.receive_overhead_per_byte = random.below(900) * simulate::kOne / 7;
  if (gaps) {
    out.gap = random.below(3'000'000);
    out.gap_per_byte = random.below(3000) * simulate::kOne / 3;
    out.rendezvous_gap_per_byte = random.below(3000) * simulate::kOne / 3;
  }
  if (random.one_in(2)) out.eager_limit = random.below(2000);
  if (random.one_in(2)) out.handshake = random.below(9'000'000);
  if (random.one_in(3))
    out.corrections = {{.from_bytes = 100,
                        .startup = static_cast<Time>(random.below(2'000'000)) - 1'000'000,
                        .per_byte = random.below(300) * simulate::kOne}};
  return out;
}

Platform random_platform(Random& random, std::int32_t ranks) {
  Platform out;
  const bool gaps = !random.one_in(3);
  out.links.push_back(random_link(random, gaps));
  if (random.one_in(2)) {
    out.links.push_back(random_link(random, gaps));
    out.between_nodes = 1;
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      out.socket_of.push_back(rank / 2), out.node_of.push_back(rank / 2);
  }
  out.compute_ratio = random.one_in(2) ? simulate::kOne : simulate::kOne * 3 / 2;
  out.attention = random.one_in(2) ? Attention::calls : Attention::always;
  return out;
}

/// Statements of each rank. Message k comes after message k - 1 on every rank, so that without mistakes
/// nothing deadlocks.
struct Statements {
  std::vector<std::string> operations, dependencies;
  int count = 0;
  std::string add(const std::string& operation) {
    const std::string label = "x" + std::to_string(count++);
    operations.push_back(label + ": " + operation + "\n");
    return label;
  }
  void depend(int later, int earlier, bool on_start) {
    dependencies.push_back("x" + std::to_string(later) + (on_start ? " irequires x" : " requires x") +
                           std::to_string(earlier) + "\n");
  }
  std::string text(Random* shuffle = nullptr) const {
    std::vector<std::string> lines = operations;
    lines.insert(lines.end(), dependencies.begin(), dependencies.end());
    if (shuffle) shuffle->shuffle(lines);
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
  }
};

struct Traits {
  bool wildcards = false, mistakes = false, several = false;
};

std::vector<Statements> random_statements(Random& random, const Traits& traits) {
  std::vector<Statements> ranks(2 + random.below(4));
  const auto place = [&] {
    return traits.several
               ? " cpu " + std::to_string(random.below(3)) + " nic " + std::to_string(random.below(2))
               : std::string();
  };
  const auto compute = [&](Statements& rank) {
    if (random.one_in(2))
      rank.add("calc " + std::to_string(random.one_in(9) ? 0 : random.below(4000)) +
               (traits.several ? " cpu " + std::to_string(random.below(3)) : ""));
  };
  for (unsigned left = 1 + random.below(25); left > 0; --left) {
    const unsigned source = random.below(static_cast<unsigned>(ranks.size()));
    const unsigned target = (source + 1 + random.below(static_cast<unsigned>(ranks.size()) - 1)) %
                            static_cast<unsigned>(ranks.size());
    const std::string size = std::to_string(random.below(3) * random.below(1500)) + "b ",
                      tag = std::to_string(random.below(2));
    compute(ranks[source]), compute(ranks[target]);
    const bool lost = traits.mistakes && random.one_in(30), never = traits.mistakes && random.one_in(30);
    if (!never) ranks[source].add("send " + size + "to " + std::to_string(target) + " tag " + tag + place());
    const std::string from = traits.wildcards && random.one_in(4) ? "-1" : std::to_string(source);
    if (!lost)
      ranks[target].add("recv " + size + "from " + from + " tag " +
                        (traits.wildcards && random.one_in(4) ? "-1" : tag) + place());
  }
  return ranks;
}

std::vector<std::string> texts_of(const std::vector<Statements>& ranks, Random* shuffle = nullptr) {
  std::vector<std::string> out;
  for (const Statements& each : ranks) out.push_back(each.text(shuffle));
  return out;
}

std::vector<std::int32_t> waiting_ranks(const Outcome& outcome) {
  std::vector<std::int32_t> out;
  for (const simulate::Waiting& each : outcome.waiting) out.push_back(each.rank);
  return out;
}

void expect_same(const Outcome& one, const Outcome& other) {
  EXPECT_EQ(one.makespan, other.makespan);
  EXPECT_EQ(one.messages, other.messages);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.unreceived, other.unreceived);
  EXPECT_EQ(waiting_ranks(one), waiting_ranks(other));
  ASSERT_EQ(one.ranks.size(), other.ranks.size());
  for (std::size_t rank = 0; rank < one.ranks.size(); ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    EXPECT_EQ(one.ranks[rank].end, other.ranks[rank].end);
    EXPECT_EQ(one.ranks[rank].compute, other.ranks[rank].compute);
    EXPECT_EQ(one.ranks[rank].communication, other.ranks[rank].communication);
    EXPECT_EQ(one.ranks[rank].finished, other.ranks[rank].finished);
    EXPECT_EQ(one.ranks[rank].cpus, other.ranks[rank].cpus);
  }
}

/// Every operation requires the previous one.
TEST_F(GoalSchedule, ChainsTakeWhatTheirListsTake) {
  int rendezvous = 0, hanging = 0;
  for (unsigned seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<Statements> ranks =
        random_statements(random, {.wildcards = seed % 3 == 0, .mistakes = seed % 5 == 0});
    for (Statements& each : ranks)
      for (int i = 1; i < each.count; ++i) each.depend(i, i - 1, false);
    load(texts_of(ranks, &random));
    if (HasFatalFailure()) return;
    ASSERT_FALSE(goal_.is_graph);
    const Platform platform = random_platform(random, goal_.trace.ranks);
    const auto list = simulate::simulate(goal_.trace, platform);
    ASSERT_TRUE(list.ok()) << to_string(list.error());
    expect_same(run(platform), *list);
    rendezvous += platform.links[0].eager_limit != simulate::kNotGiven;
    hanging += !list->waiting.empty();
    if (HasFailure()) return;
  }
  EXPECT_GT(rendezvous, 250);
  EXPECT_GT(hanging, 25);
}

/// Dependencies refer to earlier operations, so that there is no circle.
std::vector<Statements> random_graphs(Random& random, const Traits& traits) {
  std::vector<Statements> ranks = random_statements(random, traits);
  for (Statements& each : ranks)
    for (int i = 1; i < each.count; ++i)
      for (unsigned k = random.below(3); k > 0; --k)
        each.depend(i, i - 1 - static_cast<int>(random.below(static_cast<unsigned>(std::min(i, 4)))),
                    random.one_in(4));
  return ranks;
}

TEST_F(GoalSchedule, TheOrderOfLinesDoesNotMatter) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const std::vector<Statements> ranks =
        random_graphs(random, {.wildcards = seed % 2 == 0, .several = seed % 3 != 0});
    load(texts_of(ranks));
    if (HasFatalFailure()) return;
    const Platform platform = random_platform(random, goal_.trace.ranks);
    const Outcome first = run(platform);
    for (int round = 0; round < 3; ++round) {
      load(texts_of(ranks, &random));
      expect_same(run(platform), first);
    }
    if (HasFailure()) return;
  }
}

// ---- Plain interpreter of the page: everything that can happen at a moment happens, until nothing is left.

constexpr Time kNever = std::numeric_limits<Time>::max();

class PlainSchedule {
 public:
  using Kind = trace::GraphOperation::Kind;

  PlainSchedule(const trace::OperationGraph& graph, const Platform& platform)
      : graph_(graph), platform_(platform) {
    for (const auto& rank : graph.ranks) {
      ranks_.emplace_back().operations.resize(rank.operations.size());
      for (const auto& each : rank.operations)
        any_source_ = any_source_ || (each.kind == Kind::receive && each.peer == trace::kAny);
    }
  }

  Outcome run() {
    moments_.insert(0);
    while (!moments_.empty()) {
      now_ = *moments_.begin();
      moments_.erase(moments_.begin());
      while (serve() || arrive() || hear() || end() || get_ready() || become_available() || choose() ||
             leave()) {
      }
    }
    return outcome();
  }

 private:
  struct Message {
    std::int32_t source = 0, target = 0, tag = 0;
    std::size_t number = 0, send = 0;
    std::uint8_t nic = 0;
    simulate::MessageCost cost;
    Time asks = kNever, head = kNever, served = kNever, envelope = kNever, answer = kNever, sent = kNever;
    bool left = false, at_interface = false, arrived = false, answered = false;
    std::optional<std::size_t> receive;
  };
  struct Operation {
    enum class State { waits, ready, begun, busy, done };
    State state = State::waits;
    Time since = kNever, until = kNever;
    std::size_t posted = 0;
    Message* message = nullptr;
    bool started() const { return state >= State::begun; }
  };
  using State = Operation::State;
  struct Rank {
    std::vector<Operation> operations;
    std::map<int, Time> sending_free, receiving_free;
    std::size_t sends = 0, posts = 0;
    RankOutcome sums;
  };

  const trace::GraphOperation& of(std::size_t rank, std::size_t operation) const {
    return graph_.ranks[rank].operations[operation];
  }
  void at(Time time) {
    if (time > now_ && time != kNever) moments_.insert(time);
  }

  template <class Do>
  bool first_operation(Do act) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t i = 0; i < ranks_[rank].operations.size(); ++i)
        if (act(rank, i, ranks_[rank].operations[i])) return true;
    return false;
  }

  /// Returns the first message, by target, source and number, whose `when` is not later than now.
  template <class When>
  Message* first_message(When when) {
    Message* out = nullptr;
    const auto key = [](const Message& it) { return std::tuple(it.target, it.source, it.number); };
    for (Message& each : messages_)
      if (when(each) && (!out || key(each) < key(*out))) out = &each;
    return out;
  }

  bool serve() {
    Message* it = first_message([&](const Message& each) { return !each.at_interface && each.head <= now_; });
    if (!it) return false;
    it->at_interface = true;
    Time& free = ranks_[static_cast<std::size_t>(it->target)].receiving_free[it->nic];
    const Time start = std::max(it->head, free);
    free = start + it->cost.interface;
    it->served = start + it->cost.body;
    at(it->served);
    return true;
  }

  /// Lets an envelope arrive, in order within a pair of ranks.
  bool arrive() {
    Message* it = first_message([&](const Message& each) {
      return !each.arrived && each.envelope <= now_ &&
             std::none_of(messages_.begin(), messages_.end(), [&](const Message& other) {
               return other.source == each.source && other.target == each.target &&
                      other.number < each.number && !other.arrived;
             });
    });
    if (!it) return false;
    it->arrived = true;
    arrivals_.push_back(it);
    const auto target = static_cast<std::size_t>(it->target);
    Operation* best = nullptr;
    std::size_t number = 0;
    for (std::size_t i = 0; i < ranks_[target].operations.size(); ++i) {
      Operation& each = ranks_[target].operations[i];
      if (each.state == State::begun && !each.message && fits(of(target, i), *it) &&
          (!best || each.posted < best->posted))
        best = &each, number = i;
    }
    if (best) best->message = it, it->receive = number;
    return true;
  }

  static bool fits(const trace::GraphOperation& wanted, const Message& it) {
    return wanted.kind == Kind::receive && (wanted.peer == trace::kAny || wanted.peer == it.source) &&
           (wanted.tag == trace::kAny || wanted.tag == it.tag);
  }

  /// Returns whether the operation makes progress on messages. With Attention::calls, its cpu must not
  /// compute and must not start to compute at this moment.
  bool attends(std::size_t rank, std::size_t operation) const {
    if (platform_.attention == Attention::always) return true;
    for (std::size_t i = 0; i < ranks_[rank].operations.size(); ++i)
      if (of(rank, i).cpu == of(rank, operation).cpu && of(rank, i).kind == Kind::compute &&
          ranks_[rank].operations[i].state == State::busy)
        return false;
    return true;
  }

  bool hear() {
    for (Message& each : messages_) {
      if (each.cost.eager || !each.receive) continue;
      if (!each.answered && attends(static_cast<std::size_t>(each.target), *each.receive)) {
        if (comes_to_compute(static_cast<std::size_t>(each.target), *each.receive)) continue;
        each.answered = true;
        at(each.answer = now_ + each.cost.answer);
        return true;
      }
      if (each.answer <= now_ && each.asks == kNever &&
          attends(static_cast<std::size_t>(each.source), each.send)) {
        if (comes_to_compute(static_cast<std::size_t>(each.source), each.send)) continue;
        each.asks = now_;
        return true;
      }
    }
    return false;
  }

  /// Returns whether the cpu computed until now and goes on computing.
  bool comes_to_compute(std::size_t rank, std::size_t operation) {
    if (platform_.attention == Attention::always) return false;
    const auto found = computed_until_.find({rank, of(rank, operation).cpu});
    return found != computed_until_.end() && found->second == now_;
  }

  bool end() {
    return first_operation([&](std::size_t rank, std::size_t i, Operation& it) {
      if (it.state == State::busy && it.until <= now_) {
        const bool is_open = of(rank, i).kind == Kind::send && !it.message->cost.eager;
        if (of(rank, i).kind == Kind::compute) computed_until_[{rank, of(rank, i).cpu}] = now_;
        it.state = is_open ? State::begun : State::done;
        ranks_[rank].sums.end = now_;
        return true;
      }
      if (it.state == State::begun && of(rank, i).kind == Kind::send && it.message->sent <= now_) {
        it.state = State::done;
        ranks_[rank].sums.end = now_;
        return true;
      }
      return false;
    });
  }

  bool get_ready() {
    return first_operation([&](std::size_t rank, std::size_t i, Operation& it) {
      if (it.state != State::waits) return false;
      for (const auto& each : graph_.ranks[rank].dependencies) {
        const Operation& before = ranks_[rank].operations[each.earlier];
        if (each.later == i && !(each.on_start ? before.started() : before.state == State::done))
          return false;
      }
      it.state = State::ready;
      it.since = now_;
      if (of(rank, i).kind != Kind::receive) return true;
      it.state = State::begun;
      it.since = kNever;
      it.posted = ranks_[rank].posts++;
      for (Message* each : arrivals_)
        if (!each->receive && each->target == static_cast<std::int32_t>(rank) && fits(of(rank, i), *each)) {
          each->receive = i;
          it.message = each;
          break;
        }
      return true;
    });
  }

  bool become_available() {
    return first_operation([&](std::size_t rank, std::size_t i, Operation& it) {
      if (of(rank, i).kind != Kind::receive || it.state != State::begun || !it.message ||
          it.since != kNever || it.message->served > now_)
        return false;
      it.since = now_;
      return true;
    });
  }

  /// The free cpu of the lowest rank takes the operation that has waited longest.
  bool choose() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (int cpu = 0; cpu < 3; ++cpu) {
        std::optional<std::size_t> best;
        bool busy = false;
        for (std::size_t i = 0; i < ranks_[rank].operations.size(); ++i) {
          const Operation& it = ranks_[rank].operations[i];
          if (of(rank, i).cpu != cpu) continue;
          busy = busy || it.state == State::busy;
          const bool can = it.state == State::ready || (of(rank, i).kind == Kind::receive &&
                                                        it.state == State::begun && it.since != kNever);
          if (can && (!best || it.since < ranks_[rank].operations[*best].since)) best = i;
        }
        if (busy) continue;
        const bool computes = best && of(rank, *best).kind == Kind::compute;
        // the cpu makes progress on messages again
        if (!computes && computed_until_.erase({rank, cpu}) > 0) return true;
        if (!best) continue;
        start(rank, *best);
        return true;
      }
    return false;
  }

  void start(std::size_t rank, std::size_t i) {
    const trace::GraphOperation& what = of(rank, i);
    Operation& it = ranks_[rank].operations[i];
    Time time = 0;
    if (what.kind == Kind::compute) {
      time = static_cast<Time>(simulate::at_rate(what.amount, platform_.compute_ratio));
      ranks_[rank].sums.compute += time;
    } else {
      if (what.kind == Kind::send) it.message = &sent(rank, i);
      time = what.kind == Kind::send ? it.message->cost.sender : it.message->cost.receiver;
      ranks_[rank].sums.communication += time;
    }
    it.state = State::busy;
    at(it.until = now_ + time);
  }

  Message& sent(std::size_t rank, std::size_t i) {
    const trace::GraphOperation& what = of(rank, i);
    Message& out = messages_.emplace_back();
    out.source = static_cast<std::int32_t>(rank), out.target = what.peer, out.tag = what.tag;
    out.number = ranks_[rank].sends++;
    out.send = i;
    out.nic = what.nic;
    const bool gaps = has_gaps(platform_);
    out.cost = *simulate::cost_of(platform_.links[platform_.link_between(out.source, out.target)],
                                  what.amount, trace::Mode::standard, gaps || any_source_ ? 1 : 0);
    if (out.cost.eager)
      at(out.asks = now_ + out.cost.asks_after);
    else
      at(out.envelope = now_ + out.cost.sender + out.cost.request);
    return out;
  }

  /// Serves the sending interface, in the order in which messages requested it.
  bool leave() {
    Message* it = nullptr;
    for (Message& each : messages_)
      if (!each.left && each.asks <= now_ &&
          (!it ||
           std::tuple(each.asks, each.source, each.number) < std::tuple(it->asks, it->source, it->number)))
        it = &each;
    if (!it) return false;
    it->left = true;
    Time& free = ranks_[static_cast<std::size_t>(it->source)].sending_free[it->nic];
    const Time departure = std::max(it->asks, free);
    free = departure + it->cost.interface;
    at(it->head = departure + it->cost.latency);
    if (it->cost.eager)
      it->envelope = it->head;
    else
      at(it->sent = free);
    return true;
  }

  Outcome outcome() {
    Outcome out;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::set<int> cpus{0};
      if (!ranks_[rank].operations.empty()) cpus.clear();
      for (std::size_t i = 0; i < ranks_[rank].operations.size(); ++i) {
        ranks_[rank].sums.finished =
            ranks_[rank].sums.finished && ranks_[rank].operations[i].state == State::done;
        cpus.insert(of(rank, i).cpu);
      }
      ranks_[rank].sums.cpus = static_cast<std::int32_t>(cpus.size());
      out.ranks.push_back(ranks_[rank].sums);
      if (ranks_[rank].sums.finished) {
        out.makespan = std::max(out.makespan, ranks_[rank].sums.end);
        continue;
      }
      simulate::Waiting waiting;
      waiting.rank = static_cast<std::int32_t>(rank);
      out.waiting.push_back(waiting);
    }
    for (const Message& each : messages_) {
      ++out.messages;
      out.bytes += each.cost.stream.bytes;
      out.unreceived += !each.receive;
    }
    return out;
  }

  const trace::OperationGraph& graph_;
  const Platform& platform_;
  bool any_source_ = false;
  std::vector<Rank> ranks_;
  std::deque<Message> messages_;
  std::vector<Message*> arrivals_;
  // cpus that have not chosen an operation since
  std::map<std::pair<std::size_t, int>, Time> computed_until_;
  std::set<Time> moments_;
  Time now_ = 0;
};

TEST_F(GoalSchedule, AgreesWithAPlainInterpreterOnRandomGraphs) {
  int hanging = 0, side_by_side = 0;
  for (unsigned seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Traits traits{.wildcards = seed % 3 == 0, .mistakes = seed % 7 == 0, .several = seed % 2 == 0};
    load(texts_of(random_graphs(random, traits)));
    if (HasFatalFailure()) return;
    const Platform platform = random_platform(random, goal_.trace.ranks);
    const Outcome out = run(platform);
    expect_same(out, PlainSchedule(graph_, platform).run());
    hanging += !out.waiting.empty();
    side_by_side += goal_.is_graph;
    if (HasFailure()) return;
  }
  EXPECT_GT(side_by_side, 600);
  EXPECT_GT(hanging, 25);
}

}  // namespace
}  // namespace parcast::interchange
