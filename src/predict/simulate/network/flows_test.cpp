// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/flows.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "predict/simulate/network/test_shares.h"

namespace parcast::simulate::network {
namespace {

constexpr Bandwidth kGB = 1'000'000'000 * kPerBytePerSecond;  // 1 byte per nanosecond
constexpr Time kNs = 1000;

struct Order {
  Time start = 0;
  std::uint64_t bytes = 0;
  Bandwidth bound = kUnbounded;
  std::vector<LinkId> way;
};

/// Returns the end of each.
std::vector<Time> run(const std::vector<Bandwidth>& capacities, const std::vector<Order>& orders,
                      std::uint64_t* rates_computed = nullptr, Settling settling = Settling::near) {
  Flows flows(capacities, settling);
  std::multimap<Time, std::uint32_t> starts;
  for (std::uint32_t at = 0; at < orders.size(); ++at) starts.emplace(orders[at].start, at);
  std::vector<Time> ends(orders.size(), kNever);
  for (;;) {
    if (flows.unsettled() && (starts.empty() || starts.begin()->first > flows.time())) flows.settle();
    const Time start = starts.empty() ? kNever : starts.begin()->first,
               end = flows.unsettled() ? kNever : flows.next_end();
    if (start == kNever && end == kNever) break;
    if (end <= start) {
      for (const std::uint32_t subject : flows.end(end)) ends[subject] = end;
      continue;
    }
    const Order& order = orders[starts.begin()->second];
    flows.start(start, order.bytes, order.way, order.bound, starts.begin()->second);
    starts.erase(starts.begin());
  }
  if (rates_computed) *rates_computed = flows.rates_computed();
  return ends;
}

/// The rules of the page's section "Flows", with the remaining amounts as the only state: all rates are
/// recomputed at every instant.
std::vector<Time> plain_run(const std::vector<Bandwidth>& capacities, const std::vector<Order>& orders) {
  struct Under {
    Amount left = 0;
    Bandwidth rate = 0;
    Time end = kNever;
  };
  std::map<std::size_t, Under> under;
  std::vector<Time> ends(orders.size(), kNever);
  Time now = 0;
  for (;;) {
    Time next = kNever;
    for (std::size_t at = 0; at < orders.size(); ++at)
      if (ends[at] == kNever && !under.contains(at)) next = std::min(next, orders[at].start);
    for (const auto& [at, flow] : under) next = std::min(next, flow.end);
    if (next == kNever) return ends;
    for (auto& [at, flow] : under) {
      const Amount moved = static_cast<Amount>(flow.rate) * static_cast<Amount>(next - now);
      // never more than there was, and less left at the end than moves in a picosecond
      EXPECT_LE(moved, flow.left);
      flow.left -= moved;
      if (flow.end == next) EXPECT_LT(flow.left, static_cast<Amount>(flow.rate));
    }
    now = next;
    for (auto at = under.begin(); at != under.end();)
      if (at->second.end == now)
        ends[at->first] = now, at = under.erase(at);
      else
        ++at;
    for (std::size_t at = 0; at < orders.size(); ++at)
      if (ends[at] == kNever && orders[at].start == now) under[at].left = amount_of(orders[at].bytes);
    std::vector<reference::Flow> flows;
    for (const auto& [at, flow] : under) flows.push_back({orders[at].bound, orders[at].way});
    const auto rates = reference::rates(capacities, flows);
    auto rate = rates.begin();
    for (auto& [at, flow] : under) {
      if (flow.rate != *rate)
        flow.end = now + std::max<Time>(1, static_cast<Time>(flow.left / static_cast<Amount>(*rate)));
      flow.rate = *rate++;
    }
  }
}

TEST(Flows, one_takes_its_bytes_over_the_bandwidth) {
  EXPECT_EQ(run({kGB}, {{5, 1000, kUnbounded, {0}}}), std::vector<Time>{5 + 1000 * kNs});
  EXPECT_EQ(run({10 * kGB}, {{0, 1000, 2 * kGB, {0}}}), std::vector<Time>{500 * kNs});
}

TEST(Flows, that_share_a_link_from_the_same_instant_take_so_many_times_as_long) {
  for (const std::size_t k : {2u, 5u, 64u})
    EXPECT_EQ(run({kGB}, std::vector<Order>(k, {0, 1000, kUnbounded, {0}})),
              std::vector<Time>(k, static_cast<Time>(k) * 1000 * kNs))
        << k;
}

// A starts alone; B joins when 600 of A's 1000 bytes are left: both proceed at half the rate. A ends at 400 +
// 1200 ns, when B has 400 left.
TEST(Flows, share_from_the_moment_when_the_second_begins) {
  EXPECT_EQ(run({kGB}, {{0, 1000, kUnbounded, {0}}, {400 * kNs, 1000, kUnbounded, {0}}}),
            (std::vector<Time>{1600 * kNs, 2000 * kNs}));
}

// The bounded flow leaves 3/4 of the link to the other.
TEST(Flows, leave_to_others_what_they_cannot_take) {
  EXPECT_EQ(run({4 * kGB}, {{0, 1000, kGB, {0}}, {0, 3000, kUnbounded, {0}}}),
            (std::vector<Time>{1000 * kNs, 1000 * kNs}));
}

TEST(Flows, incast_takes_as_long_as_all_bytes_over_the_last_link) {
  constexpr std::size_t kSenders = 9;
  std::vector<Order> orders;
  for (LinkId sender = 0; sender < kSenders; ++sender)
    orders.push_back({0, 1000, kUnbounded, {1 + sender, 0}});
  EXPECT_EQ(run(std::vector<Bandwidth>(kSenders + 1, kGB), orders), std::vector<Time>(kSenders, 9000 * kNs));
}

TEST(Flows, that_share_nothing_take_the_time_of_their_bound_to_the_picosecond) {
  std::mt19937_64 draw(7);
  for (int k = 0; k < 2000; ++k) {
    // up to 1 ns per byte
    const auto per_byte = static_cast<std::int64_t>(1 + draw() % (std::uint64_t{1} << 42));
    const std::uint64_t bytes = 1 + draw() % 1'000'000;
    const auto streams = static_cast<Time>((Amount{bytes} * static_cast<std::uint64_t>(per_byte)) >> 32);
    if (streams == 0) continue;
    ASSERT_EQ(run({kUnbounded}, {{0, bytes, bandwidth_of(per_byte), {0}}}), std::vector<Time>{streams})
        << bytes << " at " << per_byte;
  }
}

std::vector<Order> random_orders(std::mt19937_64& draw, std::size_t links) {
  std::vector<Order> orders(1 + draw() % 40);
  for (Order& order : orders) {
    order.start = static_cast<Time>(draw() % 5 * 100 * kNs + (draw() % 4 == 0 ? draw() % 1000 : 0));
    order.bytes = draw() % 3 == 0 ? 100 : 1 + draw() % 2000;
    if (draw() % 2) order.bound = static_cast<Bandwidth>(1 + draw() % 4) * kGB / 2;
    for (LinkId link = 0; link < links; ++link)
      if (draw() % 4 == 0) order.way.push_back(link);
    if (order.way.empty()) order.way.push_back(static_cast<LinkId>(draw() % links));
  }
  return orders;
}

TEST(Flows, are_those_of_the_plain_rules_on_random_networks) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 draw(seed);
    std::vector<Bandwidth> capacities(1 + draw() % 12);
    for (Bandwidth& capacity : capacities) capacity = static_cast<Bandwidth>(1 + draw() % 6) * kGB / 3;
    const auto orders = random_orders(draw, capacities.size());
    const auto expected = plain_run(capacities, orders);
    ASSERT_EQ(run(capacities, orders), expected) << "seed " << seed;
    ASSERT_EQ(run(capacities, orders, nullptr, Settling::whole), expected) << "seed " << seed;
  }
}

/// Capacities and bounds of a few units, so that shares are rounded considerably and links are full at the
/// same rate: on a link of 5, two flows of 5 and one of 2 get 2 and 2, not 3.
TEST(Flows, are_those_of_the_plain_rules_where_rounding_counts) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::mt19937_64 draw(seed);
    std::vector<Bandwidth> capacities(2 + draw() % 6);
    for (Bandwidth& capacity : capacities) capacity = static_cast<Bandwidth>(40 + draw() % 12);
    auto orders = random_orders(draw, capacities.size());
    for (Order& order : orders)
      order.bytes = 1, order.start = static_cast<Time>(draw() % 40) * 1'000'000'000'000,
      order.bound = draw() % 2 ? kUnbounded : static_cast<Bandwidth>(1 + draw() % 12);
    ASSERT_EQ(run(capacities, orders), plain_run(capacities, orders)) << "seed " << seed;
  }
}

/// On a ring, where all flows are connected: each from one node to another, started one after the other at
/// random.
std::vector<Order> ring_orders(std::mt19937_64& draw, std::size_t nodes, std::size_t count) {
  std::vector<Order> orders(count);
  for (Order& order : orders) {
    const std::size_t from = draw() % nodes, hops = 1 + draw() % 8;
    order.start = static_cast<Time>(draw() % 400'000) * kNs;
    order.bytes = 1 + draw() % 4000;
    if (draw() % 3 == 0) order.bound = kGB / static_cast<Bandwidth>(1 + draw() % 5);
    for (std::size_t hop = 0; hop < hops; ++hop)
      order.way.push_back(static_cast<LinkId>((from + hop) % nodes));
  }
  return orders;
}

TEST(Flows, resolved_near_a_change_are_those_resolved_over_all_that_hangs_together) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::mt19937_64 draw(seed);
    const std::vector<Bandwidth> capacities(300, kGB);
    const auto orders = ring_orders(draw, capacities.size(), 9000);
    std::uint64_t near = 0, whole = 0;
    ASSERT_EQ(run(capacities, orders, &near), run(capacities, orders, &whole, Settling::whole))
        << "seed " << seed;
    EXPECT_LT(5 * near, whole) << "seed " << seed;
  }
}

// All cross one link: a start or an end changes all rates, and the search nearby is given up.
TEST(Flows, that_all_change_are_resolved_over_all_that_hangs_together) {
  std::mt19937_64 draw(3);
  auto orders = ring_orders(draw, 50, 1000);
  for (Order& order : orders) order.way.push_back(50), order.bound = kUnbounded;
  const std::vector<Bandwidth> capacities(51, kGB);
  ASSERT_EQ(run(capacities, orders), run(capacities, orders, nullptr, Settling::whole));
}

TEST(Flows, end_the_same_in_whatever_order_they_are_told) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 draw(seed);
    const std::vector<Bandwidth> capacities(5, kGB);
    auto orders = random_orders(draw, capacities.size());
    const auto ends = run(capacities, orders);
    std::reverse(orders.begin(), orders.end());
    auto back = run(capacities, orders);
    std::reverse(back.begin(), back.end());
    ASSERT_EQ(back, ends) << "seed " << seed;
  }
}

TEST(Flows, on_one_link_none_is_faster_for_another_one_more) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 draw(seed);
    auto orders = random_orders(draw, 1);
    const auto with = run({2 * kGB}, orders);
    orders.pop_back();
    const auto without = run({2 * kGB}, orders);
    // Rounding: of every end a picosecond, of every share less than a unit.
    for (std::size_t at = 0; at < orders.size(); ++at)
      ASSERT_GE(with[at] + static_cast<Time>(2 * orders.size()), without[at])
          << "seed " << seed << " flow " << at;
  }
}

// The two flows of share_from_the_moment_when_the_second_begins: each takes 600 ns longer than alone.
TEST(Flows, note_what_links_carried_and_how_much_longer_all_took) {
  Flows flows({kGB, 2 * kGB});
  flows.start(0, 1000, std::vector<LinkId>{0, 1}, kUnbounded, 0);
  flows.settle();
  flows.start(400 * kNs, 1000, std::vector<LinkId>{0}, kUnbounded, 1);
  for (flows.settle(); flows.next_end() != kNever; flows.settle()) flows.end(flows.next_end());
  EXPECT_EQ(flows.carried(0), 2000u);
  EXPECT_EQ(flows.carried(1), 1000u);
  EXPECT_EQ(flows.slowed(), 2 * 600 * kNs);
}

// 100 pairs that share nothing, each of a flow and a second one that joins it: no start or end causes other
// pairs to be recomputed.
TEST(Flows, that_no_scarce_link_joins_cost_each_other_nothing) {
  std::vector<Order> orders;
  for (LinkId pair = 0; pair < 100; ++pair) {
    orders.push_back({pair * kNs, 1000, kUnbounded, {pair, 100}});
    orders.push_back({50'000 * kNs + pair * kNs, 60'000, kUnbounded, {pair, 100}});
  }
  std::vector<Bandwidth> capacities(100, kGB);
  capacities.push_back(1000 * kGB);  // all flows cross it, and it is never full
  std::uint64_t computed = 0;
  run(capacities, orders, &computed);
  EXPECT_EQ(computed, 200u);
}

// 1 byte at 10 bytes/ps is less than moves in a picosecond. So are the 7 bytes left of 52 after 9 ps at 5,
// when the other flow ends and the rate doubles.
TEST(Flows, last_a_picosecond_at_least_from_the_instant_of_a_change) {
  EXPECT_EQ(run({10'000 * kGB}, {{7, 1, kUnbounded, {0}}}), std::vector<Time>{8});
  EXPECT_EQ(run({10'000 * kGB}, {{0, 109, kUnbounded, {0}}}), std::vector<Time>{10});
  EXPECT_EQ(run({10'000 * kGB}, {{0, 52, kUnbounded, {0}}, {0, 45, kUnbounded, {0}}}),
            (std::vector<Time>{10, 9}));
}

TEST(Flows, end_beyond_the_longest_time_where_they_would_take_longer) {
  Flows flows({static_cast<Bandwidth>(kLeastBandwidth) * kPerBytePerSecond});
  flows.start(0, std::uint64_t{1} << 62, std::vector<LinkId>{0}, kUnbounded, 0);
  flows.settle();
  EXPECT_EQ(flows.next_end(), trace::kLongest + 1);
}

TEST(Bandwidth, of_a_gap_per_byte_is_its_inverse_rounded_up) {
  EXPECT_EQ(bandwidth_of(std::int64_t{1000} << 32), kGB);
  EXPECT_EQ(bandwidth_of(std::int64_t{3000} << 32), kGB / 3 + 1);
  EXPECT_EQ(bandwidth_of(0), kUnbounded);
  EXPECT_EQ(bandwidth_of(1), kUnbounded);
}

}  // namespace
}  // namespace parcast::simulate::network
