// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/platform.h"

#include <gtest/gtest.h>

namespace parcast::simulate {
namespace {

machine::Parameter given(double value) {
  return {.value = value, .origin = Origin::measured};
}

machine::Machine two_levels() {
  machine::Machine machine;
  machine.name = "cluster";
  machine.nodes = 4;
  machine.cores_per_node = 8;
  machine.sockets_per_node = 2;
  machine.links["core"] = {.latency = given(0.5e-6), .gap_per_byte = given(0.1e-9)};
  machine.links["network"] = {.latency = given(2e-6),
                              .gap_per_byte = given(0.25e-9),
                              .eager_limit = given(4096),
                              .rendezvous_latency = given(3e-6)};
  return machine;
}

TEST(Platform, SecondsBecomePicoseconds) {
  const auto platform = platform_of(two_levels(), 32);
  ASSERT_TRUE(platform);
  const Link& network = platform->links[platform->between_nodes];
  EXPECT_EQ(network.latency, 2'000'000);
  EXPECT_EQ(network.gap_per_byte, Rate{250} << 32);
  EXPECT_EQ(network.rendezvous_gap_per_byte, Rate{250} << 32)
      << "that of short messages where it was not measured";
  EXPECT_EQ(network.eager_limit, 4096);
  EXPECT_EQ(network.handshake, 3'000'000);
  EXPECT_EQ(platform->links[platform->inside_socket].eager_limit, kNotGiven);
}

TEST(Platform, RanksArePlacedBlockByBlock) {
  const auto platform = platform_of(two_levels(), 20);
  ASSERT_TRUE(platform);
  const std::uint32_t near = platform->inside_socket, far = platform->between_nodes;
  EXPECT_NE(near, far);
  EXPECT_EQ(platform->link_between(0, 7), near);
  EXPECT_EQ(platform->link_between(7, 8), far);
  EXPECT_EQ(platform->node_of[19], 2);
  EXPECT_EQ(platform->socket_of[3], 0);
  EXPECT_EQ(platform->socket_of[4], 1);
  EXPECT_EQ(platform->socket_of[8], 2);
}

TEST(Platform, AStandInIsSaid) {
  machine::Machine machine = two_levels();
  machine.links.erase("network");
  const auto platform = platform_of(machine, 20);
  ASSERT_TRUE(platform);
  ASSERT_EQ(platform->assumptions.size(), 1u);
  EXPECT_NE(platform->assumptions[0].find("between nodes was not measured"), std::string::npos);
  const auto crowded = platform_of(two_levels(), 20, 20);
  ASSERT_TRUE(crowded);
  EXPECT_NE(crowded->assumptions.at(0).find("20 processes on a node of 8 cores"), std::string::npos);
}

TEST(Platform, OutOfRangeIsAnError) {
  machine::Machine machine = two_levels();
  machine.links["network"].latency = given(1e9);
  const auto platform = platform_of(machine, 20);
  ASSERT_FALSE(platform);
  EXPECT_NE(platform.error().what.find("links.network.latency"), std::string::npos);
}

TEST(MessageCost, IsRoundedOnceHalvesUp) {
  Link link;
  link.gap_per_byte = kOne / 2;
  EXPECT_EQ(cost_of(link, 3, trace::Mode::standard, 0)->interface, 2);
  link.gap_per_byte = kOne / 3;  // a little less than a third
  EXPECT_EQ(cost_of(link, 1ull << 40, trace::Mode::standard, 0)->interface, 366'503'875'840);
  link.corrections = {{.from_bytes = 10, .startup = -50, .per_byte = 0}};
  link.latency = 20;
  EXPECT_EQ(cost_of(link, 9, trace::Mode::standard, 0)->latency, 20);
  EXPECT_EQ(cost_of(link, 10, trace::Mode::standard, 1)->latency, 1);
  EXPECT_EQ(cost_of(link, 300, trace::Mode::standard, 1)->body, 100 - 30)
      << "what the latency cannot bear is taken off the transfer";
  link.corrections.push_back({.from_bytes = 20, .startup = 5, .per_byte = kOne});
  EXPECT_EQ(cost_of(link, 19, trace::Mode::standard, 0)->latency, 0);
  EXPECT_EQ(cost_of(link, 20, trace::Mode::standard, 0)->latency, 20 + 5 + 20) << "of the last piece alone";
}

TEST(MessageCost, OfTooManyBytesIsNone) {
  Link link;
  link.gap_per_byte = Rate{1} << 61;
  EXPECT_FALSE(cost_of(link, 1ull << 60, trace::Mode::standard, 0));
}

TEST(Platform, HasTheMachinesNetworkWhereTheRunCanShareIt) {
  machine::Machine machine = two_levels();
  machine::Network& network = machine.network.emplace();
  network.topology = "torus";
  network.dimensions = {2, 2};
  network.bandwidth = given(10e9);
  EXPECT_FALSE(platform_of(machine, 8)->network) << "one node, whose memory is not known";
  const auto two_nodes = platform_of(machine, 16);
  ASSERT_TRUE(two_nodes->network);
  ASSERT_EQ(two_nodes->assumptions.size(), 1u);
  EXPECT_NE(two_nodes->assumptions[0].find("network.injection_bandwidth"), std::string::npos)
      << two_nodes->assumptions[0];
  network.injection_bandwidth = given(20e9);
  EXPECT_TRUE(platform_of(machine, 16)->assumptions.empty());
  network.memory_bandwidth = given(80e9);
  EXPECT_TRUE(platform_of(machine, 8)->network);
  const auto too_many = platform_of(machine, 40);
  ASSERT_FALSE(too_many);
  EXPECT_NE(too_many.error().what.find("5 nodes, but the network joins 4"), std::string::npos)
      << too_many.error().what;
}

}  // namespace
}  // namespace parcast::simulate
