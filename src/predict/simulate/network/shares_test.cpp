// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/network/shares.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "predict/simulate/network/test_shares.h"

namespace parcast::simulate::network {
namespace {

using testing::ElementsAre;

std::vector<Bandwidth> filled(const std::vector<Bandwidth>& capacities,
                              const std::vector<reference::Flow>& flows) {
  Filling filling;
  for (const Bandwidth capacity : capacities) filling.add_link(capacity);
  for (const reference::Flow& flow : flows) filling.add_flow(flow.bound, flow.way);
  return filling.fill();
}

struct Instance {
  std::vector<Bandwidth> capacities;
  std::vector<reference::Flow> flows;
};

/// Few different numbers, so that several links are full at the same time.
Instance random_instance(std::uint64_t seed, std::size_t most_flows) {
  std::mt19937_64 draw(seed);
  const auto below = [&](std::uint64_t bound) { return draw() % bound; };
  Instance out;
  const std::size_t links = 1 + below(6), flows = 1 + below(most_flows);
  for (std::size_t link = 0; link < links; ++link)
    out.capacities.push_back(static_cast<Bandwidth>(1 + below(below(2) ? 4 : 20)));
  for (std::size_t f = 0; f < flows; ++f) {
    reference::Flow flow;
    for (LinkId link = 0; link < links; ++link)
      if (below(3) == 0) flow.way.push_back(link);
    if (below(2)) std::reverse(flow.way.begin(), flow.way.end());
    if (below(2) || flow.way.empty()) flow.bound = static_cast<Bandwidth>(1 + below(8));
    out.flows.push_back(flow);
  }
  return out;
}

Instance scaled(Instance of, Bandwidth by) {
  for (Bandwidth& capacity : of.capacities) capacity *= by;
  for (reference::Flow& flow : of.flows)
    if (flow.bound != kUnbounded) flow.bound *= by;
  return of;
}

TEST(Shares, of_one_link_are_equal_and_rounded_down) {
  EXPECT_THAT(filled({100}, {{kUnbounded, {0}}, {kUnbounded, {0}}, {kUnbounded, {0}}}),
              ElementsAre(33, 33, 33));
}

// Bertsekas and Gallager 1992, the chain: a long flow over two links; it shares the first with two
// others.
TEST(Shares, what_one_flow_cannot_take_goes_to_others) {
  EXPECT_THAT(
      filled({90, 100}, {{kUnbounded, {0, 1}}, {kUnbounded, {0}}, {kUnbounded, {0}}, {kUnbounded, {1}}}),
      ElementsAre(30, 30, 30, 70));
  EXPECT_THAT(filled({90}, {{10, {0}}, {kUnbounded, {0}}, {kUnbounded, {0}}}), ElementsAre(10, 40, 40));
}

TEST(Shares, without_links_are_the_bounds) {
  EXPECT_THAT(filled({}, {{7, {}}, {9, {}}}), ElementsAre(7, 9));
}

TEST(Shares, are_the_exact_ones_to_within_rounding) {
  constexpr Bandwidth kScale = 1 << 20;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const Instance instance = random_instance(seed, 8);
    const auto exact = reference::exact_rates(instance.capacities, instance.flows);
    const Instance fine = scaled(instance, kScale);
    const auto rates = filled(fine.capacities, fine.flows);
    for (std::size_t f = 0; f < rates.size(); ++f) {
      using reference::Wide;
      const Wide difference = Wide{rates[f]} * exact[f].under - Wide{exact[f].over} * kScale;
      // Each rounding takes less than a unit, which may go to others on the next link.
      ASSERT_LE(difference < 0 ? -difference : difference, Wide{64} * exact[f].under)
          << "seed " << seed << " flow " << f << ": " << rates[f] << " for " << exact[f].over << "/"
          << exact[f].under;
    }
  }
}

TEST(Shares, are_those_of_the_plain_rounds_whatever_the_order_of_flows) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Instance instance = scaled(random_instance(seed, 30), 37);
    // The page omits links that cannot be full; so do the callers of a filling.
    const auto expected = reference::rates(instance.capacities, instance.flows);
    Instance scarce = instance;
    for (reference::Flow& flow : scarce.flows)
      for (const LinkId each : flow.way) flow.bound = std::min(flow.bound, instance.capacities[each]);
    for (LinkId link = 0; link < instance.capacities.size(); ++link) {
      Amount demand = 0;
      for (std::size_t f = 0; f < scarce.flows.size(); ++f)
        if (std::count(instance.flows[f].way.begin(), instance.flows[f].way.end(), link) > 0)
          demand += static_cast<Amount>(scarce.flows[f].bound);
      if (demand <= static_cast<Amount>(instance.capacities[link]))
        for (reference::Flow& flow : scarce.flows) std::erase(flow.way, link);
    }
    ASSERT_EQ(filled(scarce.capacities, scarce.flows), expected) << "seed " << seed;
    std::vector<std::size_t> order(instance.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
    std::vector<reference::Flow> shuffled;
    for (const std::size_t f : order) shuffled.push_back(scarce.flows[f]);
    const auto rates = filled(scarce.capacities, shuffled);
    for (std::size_t at = 0; at < order.size(); ++at)
      ASSERT_EQ(rates[at], expected[order[at]]) << "seed " << seed;
  }
}

TEST(Shares, leave_no_flow_without_a_full_link_where_none_is_faster) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Instance instance = scaled(random_instance(seed, 20), 1000);
    const auto rates = filled(instance.capacities, instance.flows);
    for (std::size_t f = 0; f < rates.size(); ++f) {
      bool held = rates[f] == instance.flows[f].bound;
      for (const LinkId link : instance.flows[f].way) {
        Bandwidth sum = 0, fastest = 0, count = 0;
        for (std::size_t other = 0; other < rates.size(); ++other)
          if (std::count(instance.flows[other].way.begin(), instance.flows[other].way.end(), link) > 0)
            sum += rates[other], fastest = std::max(fastest, rates[other]), ++count;
        ASSERT_LE(sum, instance.capacities[link]);
        held = held || (instance.capacities[link] - sum < count && rates[f] + count > fastest);
      }
      ASSERT_TRUE(held) << "seed " << seed << " flow " << f;
    }
  }
}

}  // namespace
}  // namespace parcast::simulate::network
