// SPDX-License-Identifier: Apache-2.0
// Without contention, a simulated message or collective takes the time of the machine's cost expressions,
// from which the engine `equation` builds its closed form.
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/cost.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {
namespace {

using trace::Item;
using trace::Kind;

machine::Parameter given(double value) {
  return {.value = value, .origin = Origin::measured};
}

machine::Machine measured() {
  machine::Machine machine;
  machine.name = "here";
  machine.cores_per_node = 4;
  machine::Link& link = machine.links["core"];
  link.latency = given(300e-9);
  link.send_overhead = given(40e-9);
  link.receive_overhead = given(110e-9);
  link.gap = given(50e-9);
  link.gap_per_byte = given(0.12e-9);
  link.send_overhead_per_byte = given(0.07e-9);
  link.receive_overhead_per_byte = given(0.08e-9);
  link.eager_limit = given(4040);
  link.rendezvous_latency = given(2.5e-6);
  link.rendezvous_gap_per_byte = given(0.13e-9);
  link.corrections = {{0, given(-20e-9), given(8.6e-9)},
                      {4, given(-4e-9), given(0.11e-9)},
                      {512, given(38e-9), given(-0.02e-9)},
                      {8192, given(-400e-9), given(0.03e-9)}};
  return machine;
}

/// Both ranks are ready at 0: returns the time at which the message has been received.
double simulated_message(const machine::Machine& machine, std::uint64_t bytes) {
  trace::Trace trace;
  trace.ranks = 2;
  trace.operations = {{.kind = Kind::send, .peer = 1, .bytes = bytes},
                      {.kind = Kind::receive, .peer = -1, .bytes = bytes}};
  trace.sequences = {{Item::operation(0)}, {Item::operation(1)}};
  trace.sequence_of = {0, 1};
  const auto platform = platform_of(machine, 2);
  EXPECT_TRUE(platform) << to_string(platform.error());
  const auto outcome = simulate(trace, *platform);
  EXPECT_TRUE(outcome);
  return static_cast<double>(outcome->ranks[1].end) * 1e-12;
}

TEST(MachineAgreement, OfAMessage) {
  const machine::Machine machine = measured();
  const symbolic::Binding binding = machine::cost_binding(machine);
  for (const std::int64_t bytes :
       {0, 1, 3, 4, 5, 100, 511, 512, 513, 4039, 4040, 4041, 8191, 8192, 100'000, 10'000'000}) {
    const auto cost =
        machine::point_to_point(machine, "core", machine::Side::end_to_end, 1, symbolic::Expression(bytes));
    const auto expected = symbolic::evaluate(cost.startup + cost.transfer, binding);
    ASSERT_TRUE(expected);
    EXPECT_NEAR(simulated_message(machine, static_cast<std::uint64_t>(bytes)), *expected,
                5e-12 + 1e-9 * *expected)
        << bytes;
  }
}

TEST(MachineAgreement, OfAMeasuredCollective) {
  machine::Machine machine = measured();
  machine::PatternCost cost{.pattern = recording::Pattern::allreduce, .name = "allreduce"};
  cost.points = {{.processes = 4, .bytes = 1000, .seconds = 1e-6}};
  cost.pieces = {{.from_bytes = 0,
                  .growth = "log2",
                  .startup = given(1e-6),
                  .startup_growth = given(0.5e-6),
                  .per_byte = given(0.2e-9),
                  .per_byte_growth = given(0.1e-9)}};
  machine.patterns = {cost};
  trace::Trace trace;
  trace.ranks = 4;
  trace.operations = {{.kind = Kind::collective, .pattern = recording::Pattern::allreduce, .bytes = 1000}};
  trace.sequences = {{Item::operation(0)}};
  trace.sequence_of = {0, 0, 0, 0};
  auto platform = platform_of(machine, 4);
  ASSERT_TRUE(platform);
  ASSERT_TRUE(take_measured_collectives(machine, trace, *platform));
  const auto outcome = simulate(trace, *platform);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->makespan, 1'000'000 + 2 * 500'000 + 1000 * (200 + 2 * 100));
  // A named algorithm is used.
  machine.collectives[recording::Pattern::allreduce] = {{0, machine::Algorithm::linear}};
  auto named = platform_of(machine, 4);
  ASSERT_TRUE(named);
  ASSERT_TRUE(take_measured_collectives(machine, trace, *named));
  EXPECT_TRUE(named->measured.empty());
}

TEST(MachineAgreement, OfAVVariant) {
  machine::Machine machine = measured();
  machine::PatternCost regular{.pattern = recording::Pattern::allgather, .name = "allgather"};
  regular.pieces = {{.from_bytes = 0, .growth = "1", .startup = given(1e-6)}};
  machine::PatternCost uneven = regular;
  uneven.name = "allgatherv", uneven.uneven = true, uneven.pieces[0].startup = given(2e-6);
  trace::Trace trace;
  trace.ranks = 4;
  trace.operations = {
      {.kind = Kind::collective, .pattern = recording::Pattern::allgather, .uneven = true, .bytes = 1000}};
  trace.sequences = {{Item::operation(0)}};
  trace.sequence_of = {0, 0, 0, 0};
  for (const bool has_own : {true, false}) {
    machine.patterns = {regular};
    if (has_own) machine.patterns.push_back(uneven);
    auto platform = platform_of(machine, 4);
    ASSERT_TRUE(platform);
    ASSERT_TRUE(take_measured_collectives(machine, trace, *platform));
    const auto outcome = simulate(trace, *platform);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->makespan, has_own ? 2'000'000 : 1'000'000);
    const auto said = [](const std::string& sentence) {
      return sentence.find("allgatherv costs as much as allgather") != std::string::npos;
    };
    EXPECT_EQ(std::any_of(platform->assumptions.begin(), platform->assumptions.end(), said), !has_own);
  }
}

TEST(MachineAgreement, RanksAttendAsTheMeasuredOverlapSays) {
  machine::Machine machine = measured();
  const auto attention = [&](double overlap, Attention before) {
    machine.links.at("core").rendezvous_overlap = given(overlap);
    auto platform = platform_of(machine, 4);
    EXPECT_TRUE(platform);
    platform->attention = before;
    take_measured_attention(machine, *platform);
    EXPECT_EQ(platform->assumptions.size(), 1u);
    return platform->attention;
  };
  EXPECT_EQ(attention(0.93, Attention::calls), Attention::always);
  EXPECT_EQ(attention(0.5, Attention::calls), Attention::always);
  EXPECT_EQ(attention(-0.1, Attention::always), Attention::calls);
  auto unknown = platform_of(measured(), 4);
  ASSERT_TRUE(unknown);
  take_measured_attention(measured(), *unknown);
  EXPECT_EQ(unknown->attention, Attention::calls);
  EXPECT_TRUE(unknown->assumptions.empty());
}

}  // namespace
}  // namespace parcast::simulate
