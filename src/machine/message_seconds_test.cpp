// SPDX-License-Identifier: Apache-2.0
#include "machine/message_seconds.h"

#include <gtest/gtest.h>

#include "machine/cost.h"
#include "machine/test_systems.h"

namespace parcast::machine {
namespace {

using test::assumed;

/// A machine whose link has all parameters.
Machine full() {
  Machine machine;
  machine.name = "full";
  Link& link = machine.links["network"];
  link.latency = assumed(2e-6), link.send_overhead = assumed(0.7e-6), link.receive_overhead = assumed(0.9e-6);
  link.gap_per_byte = assumed(1e-9), link.send_overhead_per_byte = assumed(0.2e-9),
  link.receive_overhead_per_byte = assumed(0.3e-9);
  link.eager_limit = assumed(8192), link.rendezvous_latency = assumed(5e-6),
  link.rendezvous_gap_per_byte = assumed(0.8e-9);
  link.corrections = {{0, assumed(1e-7), assumed(1e-11)}, {1000, assumed(-2e-7), assumed(-2e-11)}};
  return machine;
}

double symbolic_seconds(const Machine& machine, Side side, std::int64_t bytes) {
  const auto cost =
      point_to_point(machine, "network", side, symbolic::Expression(1), symbolic::Expression(bytes));
  return *symbolic::evaluate(cost.startup + cost.transfer, cost_binding(machine));
}

TEST(MessageSeconds, of_eager_messages_are_those_of_the_closed_form) {
  const Machine machine = full();
  for (const std::int64_t bytes : {0, 1, 999, 1000, 8192}) {
    const MessageSeconds m = message_seconds(machine.links.at("network"), static_cast<double>(bytes), false);
    EXPECT_TRUE(m.eager);
    EXPECT_NEAR(m.sender_busy / symbolic_seconds(machine, Side::send, bytes), 1, 1e-12) << bytes;
    EXPECT_NEAR(m.receiver_busy / symbolic_seconds(machine, Side::receive, bytes), 1, 1e-12) << bytes;
    EXPECT_NEAR(
        (m.departs_after + m.flight + m.receiver_busy) / symbolic_seconds(machine, Side::end_to_end, bytes),
        1, 1e-12)
        << bytes;
    EXPECT_EQ(m.request, 0);
    EXPECT_DOUBLE_EQ(m.buffer_in_use,
                     static_cast<double>(bytes) * machine.links.at("network").gap_per_byte.value);
  }
}

TEST(MessageSeconds, of_long_messages_by_hand) {
  const MessageSeconds m = message_seconds(full().links.at("network"), 10'000, false);
  EXPECT_FALSE(m.eager);
  EXPECT_DOUBLE_EQ(m.sender_busy, 0.7e-6);
  EXPECT_DOUBLE_EQ(m.receiver_busy, 0.9e-6);
  EXPECT_DOUBLE_EQ(m.request, 2.5e-6);
  EXPECT_DOUBLE_EQ(m.answer, 2.5e-6);
  // L, the correction from 1000 bytes on, 10,000 bytes at 0.8 ns
  EXPECT_DOUBLE_EQ(m.flight, 2e-6 - 2e-7 - 2e-7 + 8e-6);
  EXPECT_DOUBLE_EQ(m.buffer_in_use, 8e-6);
}

TEST(MessageSeconds, of_synchronous_messages_shake_hands_for_twice_the_latency_where_nothing_else_is_known) {
  const Link link = test::link_of(3e-6, 1e-9);
  const MessageSeconds m = message_seconds(link, 100, true);
  EXPECT_FALSE(m.eager);
  EXPECT_DOUBLE_EQ(m.request, 3e-6);
  EXPECT_DOUBLE_EQ(m.answer, 3e-6);
  EXPECT_DOUBLE_EQ(m.buffer_in_use, 100e-9)
      << "where no gap per byte of long messages is known, that of short ones";
  EXPECT_TRUE(message_seconds(link, 1e12, false).eager) << "without a limit every message is";
}

TEST(MessageSeconds, a_correction_below_minus_the_latency_shortens_the_stream_and_never_the_past) {
  Link link = test::link_of(1e-6, 1e-9);
  link.corrections = {{0, assumed(-3e-6), {}}};
  EXPECT_DOUBLE_EQ(message_seconds(link, 5000, false).flight, 3e-6);
  EXPECT_DOUBLE_EQ(message_seconds(link, 1000, false).flight, 0);
}

}  // namespace
}  // namespace parcast::machine
