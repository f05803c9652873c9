// SPDX-License-Identifier: Apache-2.0
// The interpretation of chains, without waiting at interfaces, against the plain interpreter of
// message_passing.md, on random correct and faulty programs; and against times by hand.
#include "predict/interpret/interpretation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "predict/interpret/rank_classes.h"
#include "predict/simulate/as_messages.h"
#include "predict/simulate/collectives.h"
#include "predict/simulate/costs.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "predict/simulate/test_app.h"
#include "predict/simulate/test_program.h"
#include "predict/simulate/test_random_trace.h"
#include "predict/simulate/test_reference.h"
#include "trace/trace.h"

namespace parcast::interpret {
namespace {

using recording::Pattern;
using simulate::Platform;
using simulate::testing::Body;
using simulate::testing::Node;
using simulate::testing::Program;
using trace::Kind;
using trace::Mode;

__extension__ using Wide = __int128;

bool looks_at_anybody(const trace::Trace& trace) {
  return std::ranges::any_of(trace.operations, [](const trace::Operation& each) {
    return trace::looks_for_envelope(each.kind) && each.peer == trace::kAny;
  });
}

/// A platform's links, and its times for collectives.
class OfPlatform final : public Costs {
 public:
  OfPlatform(const trace::Trace& trace, const Platform& platform)
      : platform_(platform), least_(looks_at_anybody(trace) ? 1 : 0) {}

  Result<MessageTimes> message(std::int32_t from, std::int32_t to, std::uint64_t bytes,
                               Mode mode) const override {
    const auto cost =
        simulate::cost_of(platform_.links[platform_.link_between(from, to)], bytes, mode, least_);
    if (!cost) return Error{"a message takes too long", "", ""};
    return MessageTimes{.eager = cost->eager,
                        .sender = times_ * cost->sender,
                        .departs_after = times_ * cost->asks_after,
                        .flight = times_ * (cost->latency + cost->body),
                        .flight_bytes = times_ * cost->body,
                        .latency = times_ * cost->latency,
                        .receiver = times_ * cost->receiver,
                        .receiver_bytes = times_ * cost->stream.copying,
                        .transfer = times_ * cost->interface,
                        .occupies = times_ * cost->interface,
                        .request = times_ * cost->request,
                        .answer = times_ * cost->answer};
  }
  Result<CollectiveTimes> collective(const trace::Operation& operation, std::int32_t members) const override {
    return CollectiveTimes{
        platform_.measured.at({operation.pattern, operation.bytes, members, operation.uneven}), 0};
  }
  Time computing(std::int32_t, Time recorded) const override {
    return times_ *
           static_cast<Time>(
               (static_cast<Wide>(recorded) * platform_.compute_ratio + (simulate::kOne >> 1)) >> 32);
  }
  std::uint64_t way(std::int32_t from, std::int32_t to) const override {
    return platform_.link_between(from, to);
  }
  std::uint64_t processor(std::int32_t) const override { return 0; }
  dependence::CoreShare core_share() const override { return share_; }
  bool sends_collectives() const override { return sends_collectives_; }
  std::optional<std::int32_t> steps(const trace::Operation& operation, std::int32_t members,
                                    std::int32_t place) const override {
    if (!sends_collectives_) return {};
    return simulate::steps_of(call(operation, members, place));
  }
  CollectiveStep step(const trace::Operation& operation, std::int32_t members, std::int32_t place,
                      std::int32_t number) const override {
    const simulate::CollectiveStep step = simulate::step_of(call(operation, members, place), number);
    return {step.to, step.from, step.sent};
  }

  OfPlatform& with_share(double part, Time period) { return share_ = {part, period}, *this; }
  OfPlatform& times(Time factor) { return times_ = factor, *this; }
  OfPlatform& with_steps() { return sends_collectives_ = true, *this; }

 private:
  simulate::CollectiveCall call(const trace::Operation& operation, std::int32_t members,
                                std::int32_t place) const {
    return {operation.pattern,
            machine::algorithm_at(platform_.algorithms(operation.pattern), operation.bytes, operation.uneven),
            members,
            place,
            operation.root,
            operation.bytes};
  }

  dependence::CoreShare share_;
  Time times_ = 1;
  bool sends_collectives_ = false;
  const Platform& platform_;
  Time least_;
};

/// Messages move on at all times, ranks share nothing, and there is no noise.
void without_sharing(Platform& platform) {
  platform.attention = simulate::Attention::always;
  platform.noise.reset(), platform.contention.reset(), platform.network.reset();
}

/// Also, interfaces are always free.
void without_contention(Platform& platform) {
  without_sharing(platform);
  for (simulate::Link& link : platform.links)
    link.gap = 0, link.gap_per_byte = 0, link.rendezvous_gap_per_byte = 0;
}

/// Gives collectives measured times.
void measure_collectives(const trace::Trace& trace, Platform& platform) {
  for (const trace::Operation& operation : trace.operations) {
    if (operation.kind != Kind::collective) continue;
    const auto members =
        operation.communicator == 0
            ? trace.ranks
            : static_cast<std::int32_t>(trace.communicators[operation.communicator].members.size());
    const Time time = 1000 * static_cast<Time>(operation.pattern) +
                      7 * static_cast<Time>(std::min<std::uint64_t>(operation.bytes, 100000)) + members;
    platform.measured[{operation.pattern, operation.bytes, members, operation.uneven}] = time;
  }
}

void expect_same(const Interpretation& own, const simulate::Outcome& other) {
  EXPECT_EQ(own.makespan, other.makespan);
  EXPECT_EQ(own.unreceived, other.unreceived);
  for (std::int32_t rank = 0; rank < own.ranks; ++rank) {
    const simulate::RankOutcome& of = other.ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(own.ends[static_cast<std::size_t>(rank)], of.end) << "rank " << rank;
    EXPECT_EQ(own.of_rank(rank).time(), of.end) << "rank " << rank;
    EXPECT_EQ(own.of_rank(rank).compute, of.compute) << "rank " << rank;
  }
}

/// A random case whose collectives are messages, without contention; nothing when it has locks.
struct WithoutCollectives {
  trace::Trace given;
  Platform platform;
  simulate::AsMessages made;
};
std::optional<WithoutCollectives> without_collectives(std::uint64_t seed) {
  auto [given, platform] = simulate::testing::random_case(seed);
  if (trace::has_locks(given)) return {};
  without_contention(platform);
  auto made = simulate::collectives_as_messages(given, platform);
  EXPECT_TRUE(made) << to_string(made.error());
  if (!made) return {};
  return WithoutCollectives{std::move(given), std::move(platform), *std::move(made)};
}

using Hanging = std::set<std::pair<std::int32_t, std::uint32_t>>;  // rank and operation
template <class Waits>
Hanging hanging(const Waits& waits) {
  Hanging out;
  for (const trace::Waiting& each : waits) out.emplace(each.rank, each.operation);
  return out;
}

TEST(Interpretation, TakesAsLongAsThePlainInterpreterOnRandomPrograms) {
  int compared = 0, folded = 0;
  for (std::uint64_t seed = 0; compared < 1200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto found = without_collectives(seed);
    if (HasFailure()) return;
    if (!found) continue;
    auto& [given, platform, made] = *found;
    if (seed % 3 == 0) platform.share = simulate::testing::with_share({}, seed).platform.share;
    const auto reference = simulate::reference::interpret(made.trace, platform);
    const auto own = interpret(
        made.trace, OfPlatform(made.trace, platform).with_share(platform.share.part, platform.share.period),
        one_unit(made.trace));
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(own) << to_string(own.error());
    ASSERT_TRUE(own->waiting.empty());
    expect_same(*own, *reference);
    ++compared, folded += own->folded > 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(folded, 20);
}

/// Steps of collectives equal the messages in a trace without collectives, for any share of a core of the
/// ranks.
TEST(Interpretation, CollectivesBySteps) {
  int compared = 0, folded = 0, shared = 0, with_collectives = 0, waits_for_anybody = 0;
  for (std::uint64_t seed = 0; compared < 600; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto found = without_collectives(seed);
    if (HasFailure()) return;
    if (!found) continue;
    auto& [given, platform, made] = *found;
    platform.compute_ratio = simulate::kOne;
    const double part = std::array{1.0, 0.5, 0.05}[seed % 3];
    const Time period = seed % 2 ? 2'000'000 : 50'000;
    OfPlatform of_given(given, platform), of_made(made.trace, platform);
    // so that each part of a time is an integer, for any number of parts
    of_given.with_share(part, period).times(20).with_steps();
    of_made.with_share(part, period).times(20);
    const auto own = interpret(given, of_given, one_unit(given), {.edges = true});
    const auto written = interpret(made.trace, of_made, one_unit(made.trace), {.fold = false});
    ASSERT_TRUE(own) << to_string(own.error());
    ASSERT_TRUE(written) << to_string(written.error());
    EXPECT_EQ(own->ends, written->ends);
    EXPECT_EQ(own->unreceived, written->unreceived);
    for (std::int32_t rank = 0; rank < given.ranks; ++rank) {
      const Statistics a = own->of_rank(rank), b = written->of_rank(rank);
      EXPECT_EQ(std::tuple(a.compute, a.startup, a.transfer, a.wait),
                std::tuple(b.compute, b.startup, b.transfer, b.wait))
          << "rank " << rank;
    }
    // Their messages belong to no edge.
    std::int64_t counted = 0, sent = 0;
    for (const Edge& edge : own->edges) counted += edge.messages;
    for (std::int32_t rank = 0; rank < given.ranks; ++rank) sent += own->of_rank(rank).messages;
    EXPECT_LE(counted, sent);
    ++compared, shared += part<1, folded += own->folded> 0, with_collectives += !made.replaced.empty(),
        waits_for_anybody += looks_at_anybody(given) && !made.replaced.empty();
    if (HasFailure()) return;
  }
  EXPECT_GT(folded, 10);
  EXPECT_GT(shared, 200);
  EXPECT_GT(with_collectives, 200);
  EXPECT_GT(waits_for_anybody, 30);
}

TEST(Interpretation, CollectivesWithATimeOfTheirOwnWaitForWhomTheyNeed) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 300; ++seed) {
    auto [trace, platform] = simulate::testing::random_case(seed);
    if (trace::has_locks(trace)) continue;
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    without_contention(platform);
    measure_collectives(trace, platform);
    if (seed % 3 == 0) platform.share = simulate::testing::with_share({}, seed).platform.share;
    const auto engine = simulate::simulate(trace, platform);
    const auto own =
        interpret(trace, OfPlatform(trace, platform).with_share(platform.share.part, platform.share.period),
                  one_unit(trace));
    if (!engine) continue;  // members of one call with different bytes
    ASSERT_TRUE(own) << to_string(own.error());
    expect_same(*own, *engine);
    ++compared;
    if (HasFailure()) return;
  }
}

TEST(Interpretation, DoesNotDependOnTheOrderOfChainsNorOnFolding) {
  int cases = 0;
  for (std::uint64_t seed = 0; cases < 40; ++seed) {
    auto [trace, platform] = simulate::testing::random_case(seed);
    if (trace::has_locks(trace)) continue;
    ++cases;
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    if (seed % 4)
      without_sharing(platform);
    else
      without_contention(platform);
    measure_collectives(trace, platform);
    const OfPlatform costs(trace, platform);
    const auto first = interpret(trace, costs, one_unit(trace));
    ASSERT_TRUE(first);
    for (std::uint64_t order = 0; order < 25; ++order) {
      const auto again = interpret(trace, costs, one_unit(trace), {.fold = order % 2 == 0, .shuffle = order});
      ASSERT_TRUE(again);
      ASSERT_EQ(again->by_class, first->by_class) << "order " << order;
      ASSERT_EQ(again->ends, first->ends) << "order " << order;
      ASSERT_EQ(again->evaluated + again->folded, first->evaluated + first->folded);
    }
  }
}

/// A periodic grid of rows x columns ranks: exchanges with four neighbours, computing, an allreduce now and
/// then, and a broadcast from a root.
trace::Trace torus(std::int32_t rows, std::int32_t columns, std::int32_t busiest) {
  Program program;
  for (std::int32_t rank = 0; rank < rows * columns; ++rank) {
    const std::int32_t row = rank / columns, column = rank % columns;
    const auto at = [&](std::int32_t r, std::int32_t c) {
      return (r + rows) % rows * columns + (c + columns) % columns;
    };
    Body step{simulate::testing::compute(rank == busiest ? 90000 : 70000)};
    const std::int32_t next[4] = {at(row + 1, column), at(row - 1, column), at(row, column + 1),
                                  at(row, column - 1)};
    for (std::int32_t way = 0; way < 4; ++way)
      step.push_back(simulate::testing::start_receive(next[way ^ 1], way));
    for (std::int32_t way = 0; way < 4; ++way)
      step.push_back(simulate::testing::start_send(next[way], way < 2 ? 800 : 100000, Mode::standard, way));
    step.push_back(simulate::testing::wait({1, 2, 3, 4, 5, 6, 7, 8}));
    program.ranks.push_back(
        {simulate::testing::collective(Pattern::broadcast, 64, 3),
         simulate::testing::loop(
             5, {simulate::testing::loop(30, step), simulate::testing::collective(Pattern::allreduce, 8)})});
  }
  return to_trace(program);
}

/// A row of ranks with different amounts of work, on links with random costs: some ranks drift relative to
/// others for a long time.
Program drifting(std::uint64_t seed) {
  namespace make = simulate::testing;
  std::mt19937_64 draw(seed);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(high - low + 1));
  };
  Program program;
  const auto ranks = static_cast<std::int32_t>(from(2, 7));
  const std::int64_t spread = std::array{2, 50, 3000}[seed % 3];
  const auto rounds = static_cast<std::uint32_t>(from(100, 400));
  const int kind = static_cast<int>(draw() % 4);
  std::vector<std::uint64_t> bytes;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    bytes.push_back(static_cast<std::uint64_t>(from(0, 1) ? from(900, 1100) : from(40, 40 + spread)));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t right = rank + 1, left = rank - 1;
    Body step{make::compute(from(20000, 20000 + spread))};
    std::vector<std::uint32_t> all;
    const auto begin = [&](Node node) {
      step.push_back(std::move(node)), all.push_back(static_cast<std::uint32_t>(all.size() + 1));
    };
    if (left >= 0) begin(make::start_receive(left, 1));
    if (right < ranks) begin(make::start_receive(right, 2));
    if (left >= 0) begin(make::start_send(left, bytes[static_cast<std::size_t>(rank)], Mode::standard, 2));
    if (right < ranks)
      begin(make::start_send(right, bytes[static_cast<std::size_t>(rank)], Mode::standard, 1));
    step.push_back(make::compute(from(100, 100 + spread)));
    if (!all.empty()) step.push_back(make::wait(all));
    // A chain from the first rank to the last, of eager and of synchronous messages.
    if (kind == 1 || kind == 3) {
      if (left >= 0) step.push_back(make::receive(left, 3));
      step.push_back(make::compute(from(10, 10 + spread)));
      if (right < ranks)
        step.push_back(make::send(right, 80, rank % 2 && kind == 3 ? Mode::synchronous : Mode::standard, 3));
    }
    if (kind == 2)
      step.push_back(
          make::collective(seed % 2 ? Pattern::broadcast : Pattern::scan, 8, seed % 2 ? ranks - 1 : 0));
    program.ranks.push_back({make::compute(from(0, 400000)), make::loop(rounds, step),
                             make::loop(3, {make::compute(5), make::loop(rounds / 2, step)})});
  }
  return program;
}

TEST(Interpretation, RoundsThatDriftAreThoseThatWouldHaveCome) {
  int folded = 0;
  std::uint64_t evaluated = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "drifting(" << seed << ")");
    const trace::Trace trace = to_trace(drifting(seed));
    Platform platform = simulate::testing::app_platform();
    platform.links[0].gap_per_byte = static_cast<simulate::Rate>(0.37 * static_cast<double>(simulate::kOne));
    if (seed % 2)
      without_sharing(platform);
    else
      without_contention(platform);
    platform.links[0].receive_overhead_per_byte =
        static_cast<simulate::Rate>((seed % 5) * simulate::kOne / 3);
    measure_collectives(trace, platform);
    const OfPlatform costs(trace, platform);
    Labels labels = one_unit(trace);
    labels.units = static_cast<std::uint32_t>(trace.operations.size() + 1), labels.tail = labels.units - 1;
    for (std::size_t i = 0; i < trace.operations.size(); ++i)
      labels.operation[i] = static_cast<std::uint32_t>(i), labels.computing[i] = labels.tail;
    const auto quick = interpret(trace, costs, labels, {.edges = true}),
               slow = interpret(trace, costs, labels, {.edges = true, .fold = false});
    ASSERT_TRUE(quick) << to_string(quick.error());
    ASSERT_TRUE(slow) << to_string(slow.error());
    ASSERT_EQ(quick->ends, slow->ends);
    ASSERT_EQ(quick->makespan, slow->makespan);
    ASSERT_EQ(quick->by_class, slow->by_class);
    ASSERT_EQ(quick->edges.size(), slow->edges.size());
    for (std::size_t i = 0; i < quick->edges.size(); ++i)
      ASSERT_EQ(quick->edges[i].messages, slow->edges[i].messages);
    ASSERT_EQ(quick->evaluated + quick->folded, slow->evaluated);
    folded += quick->folded > 0, evaluated += quick->evaluated, all += slow->evaluated;
  }
  EXPECT_GT(folded, 1450);
  EXPECT_LT(evaluated, all / 4);
  RecordProperty("folded", folded), RecordProperty("evaluated", std::to_string(evaluated)),
      RecordProperty("all", std::to_string(all));
}

/// By hand: rank 0 takes messages of seven ranks that sent them at once. Each occupies its interface for
/// 1,000 x 20 ps; the last can be received after a send's overhead, the latency and seven of these times, and
/// takes a receive's overhead more. Likewise the seven messages that it sends.
TEST(Interpretation, MessagesOfARankWaitForItsInterfaces) {
  namespace make = simulate::testing;
  for (const bool gathers : {true, false}) {
    Program program;
    for (std::int32_t rank = 0; rank < 8; ++rank) {
      Body body;
      std::vector<std::uint32_t> all;
      for (std::int32_t other = 1; rank == 0 && other < 8; ++other)
        body.push_back(gathers ? make::start_receive(other) : make::start_send(other, 1000)),
            all.push_back(static_cast<std::uint32_t>(other));
      if (rank > 0) body.push_back(gathers ? make::send(0, 1000) : make::receive(0));
      if (rank == 0) body.push_back(make::wait(all));
      program.ranks.push_back(body);
    }
    const trace::Trace trace = to_trace(program);
    Platform platform;
    platform.links = {{.latency = 5000,
                       .send_overhead = 300,
                       .receive_overhead = 200,
                       .gap_per_byte = 20 * simulate::kOne}};
    platform.attention = simulate::Attention::always;
    const auto own = interpret(trace, OfPlatform(trace, platform), one_unit(trace));
    const auto engine = simulate::simulate(trace, platform);
    ASSERT_TRUE(own && engine);
    EXPECT_EQ(own->makespan, 300 + 5000 + 7 * 20000 + 200);
    EXPECT_EQ(engine->makespan, own->makespan);
  }
}

/// Nested loops: once periodic, ten times the rounds of the outer loop are no more work.
TEST(Interpretation, RoundsOfOuterLoopsAreFoldedToo) {
  const auto evaluated = [](std::uint32_t rounds) {
    Program program;
    for (std::int32_t rank = 0; rank < 6; ++rank) {
      const Body step{simulate::testing::compute(1000 * (rank + 1)),
                      simulate::testing::start_receive((rank + 5) % 6),
                      simulate::testing::start_send((rank + 1) % 6, 100), simulate::testing::wait({1, 2})};
      program.ranks.push_back(
          {simulate::testing::loop(rounds, {simulate::testing::loop(200, step),
                                            simulate::testing::collective(Pattern::allreduce, 8)})});
    }
    const trace::Trace trace = to_trace(program);
    Platform platform;
    platform.links = {{.latency = 5000,
                       .send_overhead = 300,
                       .receive_overhead = 200,
                       .gap = 900,
                       .gap_per_byte = 20 * simulate::kOne}};
    measure_collectives(trace, platform);
    const auto folded = interpret(trace, OfPlatform(trace, platform), one_unit(trace)),
               each = interpret(trace, OfPlatform(trace, platform), one_unit(trace), {.fold = false});
    EXPECT_TRUE(folded && each);
    EXPECT_EQ(folded->by_class, each->by_class);
    EXPECT_EQ(folded->ends, each->ends);
    return folded->evaluated;
  };
  EXPECT_EQ(evaluated(400), evaluated(40));
}

TEST(Interpretation, RanksThatAdvanceInStepAreInterpretedOnce) {
  for (const std::int32_t busiest : {-1, 17}) {
    const trace::Trace trace = torus(8, 12, busiest);
    Platform platform;
    platform.links = {{.latency = 5000, .send_overhead = 300, .receive_overhead = 200, .eager_limit = 4000},
                      {.latency = 700, .send_overhead = 90, .receive_overhead = 80, .eager_limit = 4000}};
    platform.inside_socket = platform.inside_node = 1;
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
      platform.node_of.push_back(rank / 2), platform.socket_of.push_back(0);
    measure_collectives(trace, platform);
    platform.attention = simulate::Attention::always;
    const OfPlatform costs(trace, platform);
    const auto classes = rank_classes(trace, costs);
    EXPECT_EQ(classes.has_value(), busiest < 0);
    if (classes) {
      // the node's other rank is before or after it in the row
      EXPECT_EQ(classes->representatives.size(), 2u);
    }
    const auto once = interpret(trace, costs, one_unit(trace), {.edges = true}),
               each = interpret(trace, costs, one_unit(trace), {.edges = true, .fold = false});
    const auto engine = simulate::simulate(trace, platform);
    ASSERT_TRUE(once && each && engine);
    expect_same(*once, *engine);
    EXPECT_EQ(once->makespan, each->makespan);
    EXPECT_EQ(once->evaluated + once->folded, each->evaluated);
    ASSERT_EQ(once->edges.size(), 1u);
    EXPECT_EQ(once->edges[0].messages, each->edges[0].messages);
    EXPECT_EQ(once->edges[0].bytes, each->edges[0].bytes);
    for (std::int32_t rank = 0; rank < trace.ranks; ++rank)
      ASSERT_EQ(once->statistics(rank, 0), each->statistics(rank, 0)) << "rank " << rank;
  }
}

/// Returns rank and line of each deadlocked rank.
template <class Waits>
std::set<std::pair<std::int32_t, std::int32_t>> lines_of(const trace::Trace& trace, const Waits& waits) {
  std::set<std::pair<std::int32_t, std::int32_t>> out;
  for (const trace::Waiting& each : waits)
    out.emplace(each.rank, trace.places[trace.operations[each.operation].place].line);
  return out;
}

/// Each mistake at each place of a program: the deadlocked ranks, and their lines.
TEST(Interpretation, FindsTheLinesInWhichRanksHang) {
  int hangs = 0;
  std::map<std::string, int> kinds;
  for (const simulate::testing::Bug& bug : simulate::testing::hanging_bugs()) {
    SCOPED_TRACE(bug.name);
    const trace::Trace trace = simulate::testing::traced(bug.program);
    Platform platform = simulate::testing::app_platform();
    without_contention(platform);
    const auto reference = simulate::reference::interpret(trace, platform);
    const auto made = simulate::collectives_as_messages(trace, platform);
    ASSERT_TRUE(made) << to_string(made.error());
    const auto own = interpret(made->trace, OfPlatform(made->trace, platform), one_unit(made->trace));
    ASSERT_TRUE(reference) << to_string(reference.error());
    ASSERT_TRUE(own) << to_string(own.error());
    EXPECT_EQ(lines_of(made->trace, own->waiting), lines_of(trace, reference->waiting));
    const auto by_steps = interpret(trace, OfPlatform(trace, platform).with_steps(), one_unit(trace));
    ASSERT_TRUE(by_steps) << to_string(by_steps.error());
    EXPECT_EQ(lines_of(trace, by_steps->waiting), lines_of(trace, reference->waiting));
    EXPECT_TRUE(!own->waiting.empty() || own->unreceived > 0);
    if (!own->waiting.empty()) ++hangs, ++kinds[bug.name.substr(0, bug.name.find(" in app.c"))];
  }
  EXPECT_GE(hangs, 40);
  EXPECT_GE(kinds.size(), 8u);
  RecordProperty("hangs", hangs);
}

TEST(Interpretation, CorrectProgramsRaiseNoAlarm) {
  int correct = 0;
  for (std::uint64_t seed = 5000; correct < 1000; ++seed) {
    auto [trace, platform] = simulate::testing::random_case(seed);
    if (trace::has_locks(trace)) continue;
    without_contention(platform);
    measure_collectives(trace, platform);
    const auto own = interpret(trace, OfPlatform(trace, platform), one_unit(trace));
    ASSERT_TRUE(own) << to_string(own.error());
    EXPECT_TRUE(own->waiting.empty()) << seed;
    EXPECT_EQ(own->unreceived, 0u) << seed;
    ++correct;
  }
}

TEST(Interpretation, FindsWhoHangsWhereAProgramHasAMistake) {
  int found = 0, refused = 0;
  std::set<int> kinds;
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      auto [trace, platform] = simulate::testing::broken_case(seed, kind);
      if (trace::has_locks(trace)) continue;
      SCOPED_TRACE(::testing::Message() << "broken_case(" << seed << ", " << kind
                                        << "): " << simulate::testing::mistake_name(kind));
      without_contention(platform);
      const auto made = simulate::collectives_as_messages(trace, platform);
      if (!made) {  // calls of one collective that differ
        const auto own = interpret(trace, OfPlatform(trace, platform), one_unit(trace));
        ASSERT_FALSE(own);
        EXPECT_THAT(own.error().what, ::testing::HasSubstr("call different collectives"));
        ++refused;
        continue;
      }
      const auto reference = simulate::reference::interpret(made->trace, platform);
      const auto own = interpret(made->trace, OfPlatform(made->trace, platform), one_unit(made->trace));
      ASSERT_TRUE(reference) << to_string(reference.error());
      ASSERT_TRUE(own) << to_string(own.error());
      EXPECT_EQ(hanging(own->waiting), hanging(reference->waiting));
      if (reference->waiting.empty()) expect_same(*own, *reference);
      if (!own->waiting.empty()) ++found, kinds.insert(kind);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(found, 200);
  EXPECT_GE(kinds.size(), 10u);
  RecordProperty("hangs", found), RecordProperty("refused", refused),
      RecordProperty("kinds", static_cast<int>(kinds.size()));
}

}  // namespace
}  // namespace parcast::interpret
