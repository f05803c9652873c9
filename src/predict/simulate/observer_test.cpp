// SPDX-License-Identifier: Apache-2.0
// Compares the events that observers receive with the outcome.
#include "predict/simulate/observer.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "predict/simulate/simulate.h"
#include "predict/simulate/test_random_trace.h"

namespace parcast::simulate {
namespace {

/// Adds up the events, and checks that those of each rank have neither gaps nor overlaps.
class Ledger : public Observer {
 public:
  explicit Ledger(std::int32_t count) : ranks(static_cast<std::size_t>(count)) {}

  struct Sums {
    Time end = 0, compute = 0, busy = 0, waiting = 0;
    std::uint64_t operations = 0;
    bool entered = false, finished = true, ended = false;
  };

  void computed(std::int32_t rank, Time from, Time to) override {
    go_on(rank, from, to).compute += to - from;
    EXPECT_FALSE(of(rank).entered) << "computing within an operation";
  }
  void entered(std::int32_t rank, std::uint32_t, Time at) override {
    EXPECT_EQ(of(rank).end, at);
    EXPECT_FALSE(of(rank).entered);
    of(rank).entered = true;
  }
  void stayed(const Stay& stay) override {
    Sums& sums = go_on(stay.rank, stay.from, stay.to);
    EXPECT_TRUE(sums.entered);
    sums.entered = false;
    sums.busy += stay.busy;
    EXPECT_GE(stay.waiting(), 0);
    sums.waiting += stay.waiting();
    sums.finished = stay.finished;
    ++sums.operations;
  }
  void ended(std::int32_t rank, Time at) override {
    EXPECT_EQ(of(rank).end, at);
    of(rank).ended = true;
  }

  void sent(const Sent& sent) override {
    EXPECT_TRUE(on_the_way.emplace(sent.message, Way{sent}).second) << "the number is in use";
    EXPECT_TRUE(of(sent.sender).entered);
    const int kind = sent.of_collective;
    ++messages[kind];
    bytes[kind] += sent.bytes;
  }
  void departed(std::uint32_t message, std::uint32_t, Time asked, Time at, Time head) override {
    Way& way = on_the_way.at(message);
    EXPECT_LE(way.sent.at, asked);
    if (!with_share) EXPECT_EQ(way.sent.until, way.sent.at + way.sent.cost.sender);
    EXPECT_LE(asked, at);
    if (on_network)
      EXPECT_GE(head, at + way.sent.cost.latency);
    else
      EXPECT_EQ(head, at + way.sent.cost.latency);
    way.head = head;
  }
  void served(std::uint32_t message, Time at, Time available) override {
    Way& way = on_the_way.at(message);
    EXPECT_EQ(way.available, -1) << "served twice";
    EXPECT_GE(at, way.head);
    EXPECT_GE(available, at + way.sent.cost.body);
    way.available = available;
  }
  void delayed(std::uint32_t message, Time available) override {
    Way& way = on_the_way.at(message);
    EXPECT_TRUE(on_network);
    EXPECT_GE(way.available, 0) << "not served";
    EXPECT_GE(available, way.available);
    way.available = available;
  }
  void taken(const Taken& taken) override {
    const Way& way = on_the_way.at(taken.message);
    EXPECT_EQ(way.sent.receiver, taken.receiver);
    EXPECT_TRUE(of(taken.receiver).entered);
    EXPECT_EQ(way.available, taken.available);
    EXPECT_GE(taken.from, taken.available);
    if (!with_share) EXPECT_EQ(taken.to - taken.from, way.sent.cost.receiver);
    on_the_way.erase(taken.message);
    ++received;
  }

  struct Way {
    Sent sent;
    Time head = -1, available = -1;
  };
  std::vector<Sums> ranks;
  std::map<std::uint32_t, Way> on_the_way;
  std::array<std::uint64_t, 2> messages{}, bytes{};
  std::uint64_t received = 0;
  bool on_network = false, with_share = false;

 private:
  Sums& of(std::int32_t rank) { return ranks[static_cast<std::size_t>(rank)]; }
  Sums& go_on(std::int32_t rank, Time from, Time to) {
    EXPECT_EQ(of(rank).end, from) << "rank " << rank;
    EXPECT_LE(from, to);
    of(rank).end = to;
    return of(rank);
  }
};

/// Expects equality, for any ranks and messages.
void expect_given(const Ledger& given, const Outcome& outcome) {
  for (std::size_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    SCOPED_TRACE(::testing::Message() << "rank " << rank);
    const Ledger::Sums& sums = given.ranks[rank];
    EXPECT_EQ(sums.end, outcome.ranks[rank].end);
    EXPECT_EQ(sums.compute, outcome.ranks[rank].compute);
    EXPECT_EQ(sums.busy, outcome.ranks[rank].communication);
    EXPECT_EQ(sums.compute + sums.busy + sums.waiting, outcome.ranks[rank].end);
    EXPECT_EQ(sums.finished, outcome.ranks[rank].finished);
    EXPECT_EQ(sums.ended, outcome.ranks[rank].finished);
    EXPECT_FALSE(sums.entered);
  }
  EXPECT_EQ(given.messages[0], outcome.messages);
  EXPECT_EQ(given.bytes[0], outcome.bytes);
  EXPECT_EQ(given.messages[1], outcome.collective_messages);
  EXPECT_EQ(given.bytes[1], outcome.collective_bytes);
}

/// Some collectives take a measured time, others are executed as messages.
void measure_some(const trace::Trace& trace, Platform& platform) {
  for (const trace::Operation& operation : trace.operations) {
    const auto members =
        operation.communicator == 0
            ? trace.ranks
            : static_cast<std::int32_t>(trace.communicators[operation.communicator].members.size());
    if (operation.kind == trace::Kind::collective && !operation.uneven)
      platform.measured[{operation.pattern, operation.bytes, members}] = 700;
  }
}

TEST(Observers, AreToldOfEveryMomentOfEveryRank) {
  std::uint64_t taken = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(::testing::Message() << "random_case(" << seed << ")");
    auto [trace, platform] = simulate::testing::random_case(seed, false);
    if (seed % 3 == 0) measure_some(trace, platform);
    if (seed % 5 == 0) platform = simulate::testing::with_share({trace, platform}, seed).platform;
    if (seed % 4 == 0) platform = simulate::testing::with_network({trace, platform}, seed).platform;
    Ledger ledger(trace.ranks);
    ledger.on_network = platform.network.has_value();
    ledger.with_share = !platform.share.whole();
    const std::array<Observer*, 1> observers{&ledger};
    const auto unseen = simulate(trace, platform),
               outcome = simulate(trace, platform, Trust::none, observers);
    if (!unseen) continue;  // measured members with different bytes may be refused
    ASSERT_TRUE(outcome) << to_string(outcome.error());
    EXPECT_EQ(unseen->ranks, outcome->ranks);
    expect_given(ledger, *outcome);
    taken += ledger.received;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(taken, 100'000u);
}

TEST(Observers, AreToldOfRanksThatHang) {
  std::uint64_t hanging = 0;
  for (int kind = 0; kind < simulate::testing::kMistakes; ++kind)
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      SCOPED_TRACE(::testing::Message() << "broken_case(" << seed << ", " << kind << ")");
      const auto [trace, platform] = simulate::testing::broken_case(seed, kind);
      Ledger ledger(trace.ranks);
      const std::array<Observer*, 1> observers{&ledger};
      const auto outcome = simulate(trace, platform, Trust::none, observers);
      if (!outcome) continue;
      hanging += outcome->waiting.size();
      expect_given(ledger, *outcome);
      if (::testing::Test::HasFailure()) return;
    }
  EXPECT_GT(hanging, 500u);
}

}  // namespace
}  // namespace parcast::simulate
