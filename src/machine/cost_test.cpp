// SPDX-License-Identifier: Apache-2.0
#include "machine/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace parcast::machine {
namespace {

using recording::Pattern;
using symbolic::Expression;
using symbolic::symbol;
using symbolic::SymbolKind;

const double kLatency = 2e-6, kSend = 3e-7, kReceive = 5e-7, kGapPerByte = 1e-9;
const double kHandshake = 4e-6, kLargeGapPerByte = 0.5e-9, kEagerLimit = 4096;

Parameter measured(double value) {
  return {value, value / 100, 30, Origin::measured};
}

Machine with_link(const std::string& name) {
  Machine machine;
  machine.name = "X";
  machine.nodes = 4, machine.cores_per_node = 8;
  Link& link = machine.links[name];
  link.latency = measured(kLatency), link.send_overhead = measured(kSend),
  link.receive_overhead = measured(kReceive);
  link.gap_per_byte = measured(kGapPerByte);
  return machine;
}

Machine with_rendezvous() {
  Machine machine = with_link("network");
  Link& link = machine.links["network"];
  link.eager_limit = measured(kEagerLimit), link.rendezvous_latency = measured(kHandshake);
  link.rendezvous_gap_per_byte = measured(kLargeGapPerByte);
  link.send_overhead_per_byte = measured(0.2e-9), link.receive_overhead_per_byte = measured(0.3e-9);
  return machine;
}

double value(const Expression& expression, const Machine& machine, std::map<std::string, double> at = {}) {
  symbolic::Binding binding = cost_binding(machine);
  for (const auto& [name, number] : at) binding[name] = number;
  const auto result = evaluate(expression, binding);
  EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
  return result ? *result : NAN;
}

double seconds(const CommunicationCost& cost, const Machine& machine, std::map<std::string, double> at = {}) {
  return value(cost.startup, machine, at) + value(cost.transfer, machine, at);
}

TEST(PointToPoint, AnEagerMessageCostsOverheadsLatencyAndItsBytes) {
  const Machine machine = with_link("network");
  const auto whole = point_to_point(machine, "network", Side::end_to_end, 3, 3000);
  EXPECT_DOUBLE_EQ(value(whole.startup, machine), 3 * (kSend + kLatency + kReceive));
  EXPECT_DOUBLE_EQ(value(whole.transfer, machine), 3000 * kGapPerByte);
  EXPECT_EQ(whole.origin, Origin::measured);
  EXPECT_EQ(whole.note, "");
  EXPECT_DOUBLE_EQ(seconds(point_to_point(machine, "network", Side::send, 3, 3000), machine), 3 * kSend);
  EXPECT_DOUBLE_EQ(seconds(point_to_point(machine, "network", Side::receive, 3, 3000), machine),
                   3 * kReceive);
}

TEST(PointToPoint, TheProtocolFollowsTheBytesOfOneMessage) {
  const Machine machine = with_rendezvous();
  const Expression m = symbol("m", SymbolKind::parameter);
  const auto cost = point_to_point(machine, "network", Side::end_to_end, 2, 2 * m);
  const double start = kSend + kLatency + kReceive;
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"m", 4096}}), 2 * (start + 4096 * kGapPerByte));
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"m", 4097}}), 2 * (start + kHandshake + 4097 * kLargeGapPerByte));
  const auto sent = point_to_point(machine, "network", Side::send, 2, 2 * m);
  EXPECT_DOUBLE_EQ(seconds(sent, machine, {{"m", 4096}}), 2 * (kSend + 4096 * 0.2e-9));
  EXPECT_DOUBLE_EQ(seconds(sent, machine, {{"m", 8192}}), 2 * (kSend + kHandshake + 8192 * kLargeGapPerByte));
}

TEST(PointToPoint, CorrectionsFollowTheMeasuredCurveAndLeaveTheDerivativesAlone) {
  Machine machine = with_link("network");
  machine.links["network"].corrections = {{1, measured(1e-7), measured(0)},
                                          {1000, measured(-2e-7), measured(3e-10)}};
  const Expression m = symbol("m", SymbolKind::parameter);
  const auto cost = point_to_point(machine, "network", Side::end_to_end, 2, 2 * m);
  const double start = kSend + kLatency + kReceive;
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"m", 0}}), 2 * start);
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"m", 999}}), 2 * (start + 1e-7 + 999 * kGapPerByte));
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"m", 1000}}), 2 * (start - 2e-7 + 1000 * (kGapPerByte + 3e-10)));
  const Expression total = cost.startup + cost.transfer;
  const auto by_latency = differentiate(total, symbol("links.network.latency", SymbolKind::machine_cost));
  EXPECT_EQ(value(by_latency, machine, {{"m", 1000}}), 2);
}

TEST(PointToPoint, ASymbolOfTheMachineCanBeDifferentiatedBy) {
  const Machine machine = with_link("network");
  const auto cost = point_to_point(machine, "network", Side::end_to_end, 7, 512);
  const Expression total = cost.startup + cost.transfer;
  EXPECT_EQ(value(differentiate(total, symbol("links.network.latency", SymbolKind::machine_cost)), machine),
            7);
  EXPECT_EQ(
      value(differentiate(total, symbol("links.network.gap_per_byte", SymbolKind::machine_cost)), machine),
      512);
}

TEST(PointToPoint, ALinkThatIsNotThereIsFreeAndSaidToBe) {
  const auto cost = point_to_point(with_link("network"), "core", Side::send, 1, 8);
  EXPECT_TRUE(cost.startup.is_zero());
  EXPECT_EQ(cost.origin, Origin::unknown);
  EXPECT_EQ(cost.note, "X has no link \"core\": its messages count as free");
}

TEST(PointToPoint, AnAssumedParameterMakesTheCostAssumed) {
  Machine machine = with_link("network");
  machine.links["network"].latency.origin = Origin::assumed;
  EXPECT_EQ(point_to_point(machine, "network", Side::send, 1, 8).origin, Origin::assumed);
}

/// Counts the rounds of a binomial broadcast by executing it: every informed process informs one more per
/// round.
int rounds_by_hand(int p) {
  int informed = 1, rounds = 0;
  while (informed < p) informed = std::min(p, 2 * informed), ++rounds;
  return rounds;
}

TEST(Collective, ABroadcastWithoutATableIsABinomialTreeForAnyNumberOfProcesses) {
  const Machine machine = with_link("network");
  const Expression p = symbol("p", SymbolKind::processes);
  const auto cost = collective(machine, Pattern::broadcast, 1, 64, p);
  for (int processes = 1; processes <= 65; ++processes) {
    const double message = kSend + kLatency + kReceive + 64 * kGapPerByte;
    EXPECT_NEAR(seconds(cost, machine, {{"p", processes}}), rounds_by_hand(processes) * message, 1e-18)
        << processes;
  }
  EXPECT_EQ(
      cost.note,
      "built from point to point as a binomial tree or, where it is cheaper, scatter and ring: no table for "
      "broadcast on X");
}

TEST(Collective, LargeReductionsUseTheAlgorithmThatMovesFewerBytes) {
  const Machine machine = with_link("network");
  const auto cost = collective(machine, Pattern::allreduce, 1, 1 << 20, 16);
  const double start = kSend + kLatency + kReceive, bytes = 1 << 20;
  EXPECT_DOUBLE_EQ(seconds(cost, machine), 8 * start + 2 * 15. / 16 * bytes * kGapPerByte);
}

struct Closed {
  Pattern pattern;
  double steps, volume;
};

TEST(Collective, EveryPatternHasItsClosedForm) {
  const Machine machine = with_link("network");
  const double start = kSend + kLatency + kReceive;
  for (const Closed& closed :
       {Closed{Pattern::barrier, 4, 0}, Closed{Pattern::reduce, 4, 4}, Closed{Pattern::allreduce, 5, 5},
        Closed{Pattern::gather, 4, 11}, Closed{Pattern::scatter, 4, 11}, Closed{Pattern::allgather, 4, 11},
        Closed{Pattern::alltoall, 4, 2}, Closed{Pattern::reduce_scatter, 4, 11. / 12},
        Closed{Pattern::scan, 4, 4}}) {
    const auto cost = collective(machine, closed.pattern, 5, 5 * 16, 12);
    EXPECT_DOUBLE_EQ(value(cost.startup, machine), 5 * closed.steps * start) << pattern_name(closed.pattern);
    EXPECT_DOUBLE_EQ(value(cost.transfer, machine), 5 * 16 * closed.volume * kGapPerByte)
        << pattern_name(closed.pattern);
    EXPECT_EQ(seconds(collective(machine, closed.pattern, 5, 80, 1), machine), 0)
        << pattern_name(closed.pattern);
  }
}

TEST(Collective, GroupsWithinANodeUseItsOwnLink) {
  Machine machine = with_link("network");
  machine.links["core"] = machine.links["network"];
  machine.links["core"].latency = measured(1e-7);
  const Expression p = symbol("p", SymbolKind::processes);
  const auto cost = collective(machine, Pattern::barrier, 1, 0, p);
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"p", 8}}), 3 * (kSend + 1e-7 + kReceive));
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"p", 9}}), 4 * (kSend + kLatency + kReceive));
}

Machine with_table() {
  Machine machine = with_link("network");
  PatternCost table;
  table.pattern = Pattern::allreduce;
  table.name = "allreduce";
  table.points = {{1, 8, 5e-8, 0, 9}, {2, 8, 1e-6, 0, 9}, {16, 1024, 5e-6, 0, 9}};
  table.single_startup = measured(5e-8);
  table.pieces.resize(2);
  table.pieces[0] = {0, "ceil_log2", measured(1e-6), measured(2e-6), measured(1e-9), {}, 0.01};
  table.pieces[1] = {1024, "linear", measured(3e-6), measured(1e-7), {}, measured(2e-10), 0.01};
  machine.patterns = {table};
  return machine;
}

TEST(Collective, ATableIsUsedPieceByPiece) {
  const Machine machine = with_table();
  const Expression p = symbol("p", SymbolKind::processes), m = symbol("m", SymbolKind::parameter);
  const auto cost = collective(machine, Pattern::allreduce, 10, 10 * m, p);
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"p", 5}, {"m", 1023}}), 10 * (1e-6 + 3 * 2e-6 + 1023 * 1e-9));
  EXPECT_DOUBLE_EQ(seconds(cost, machine, {{"p", 5}, {"m", 1024}}),
                   10 * (3e-6 + 5 * 1e-7 + 1024 * 5 * 2e-10));
  EXPECT_EQ(cost.note, "");
  EXPECT_EQ(cost.fewest_processes, 2);
  EXPECT_EQ(cost.most_processes, 16);
  EXPECT_EQ(cost.largest_bytes, 1024);
}

Machine with_share(Machine machine, double share) {
  machine.core_share = measured(share), machine.share_period = measured(1e-3);
  return machine;
}

// Overheads of 0.8 us take 0.08 us of a process that has saved its share, and it saves 0.72 us of 2 us.
TEST(CoreShare, ShortensLatenciesByWhatTheOverheadsLeave) {
  const Machine machine = with_share(with_link("network"), 0.1);
  EXPECT_NEAR(value(made_up_latency(machine, "network", 3), machine), 3 * 0.9 * (kSend + kReceive), 1e-15);
  Machine near = machine;
  near.links["network"].latency = measured(5e-7);
  EXPECT_NEAR(value(made_up_latency(near, "network", 3), near), 3 * 5e-7, 1e-15);
  EXPECT_TRUE(made_up_latency(with_link("network"), "network", 3).is_zero());
  Machine quick = machine;  // a budget of 0.01 us, each 0.1 us
  quick.share_period = measured(1e-7);
  EXPECT_NEAR(value(made_up_latency(quick, "network", 3), quick), 3 * 0.9 * 1e-7, 1e-15);
  EXPECT_TRUE(made_up_latency(machine, "socket", 3).is_zero());
}

// Five processes without a table: three rounds and one for the fifth process, of 0.8 + 2 - 0.72 us each.
TEST(CoreShare, ShortensTheMessagesOfACollectiveWithoutATable) {
  const Machine machine = with_share(with_link("network"), 0.1);
  const auto cost = collective(machine, Pattern::allreduce, 1, 0, 5);
  EXPECT_NEAR(seconds(cost, machine), 4 * (kLatency + 0.1 * (kSend + kReceive)), 1e-15);
}

TEST(Collective, WhatIsBeyondItsTableIsSaid) {
  const Machine machine = with_table();
  const auto cost = collective(machine, Pattern::allreduce, 1, 8, 16);
  const std::string said =
      "allreduce was measured on X for up to 16 processes and 1024 bytes, and is taken to go on in a "
      "straight line";
  EXPECT_EQ(beyond_table("X", cost, 16, 1024), "");
  EXPECT_EQ(beyond_table("X", cost, 16, 1024 * (1 + 1e-12)), "");  // rounding of a mean
  EXPECT_EQ(beyond_table("X", cost, 17, 8), said);
  EXPECT_EQ(beyond_table("X", cost, 2, 1025), said);
  // built from messages, without a table
  EXPECT_EQ(beyond_table("X", collective(machine, Pattern::scan, 1, 8, 16), 17, 1025), "");
}

TEST(PointToPoint, WhatIsBeyondTheMeasuredMessagesIsSaid) {
  Machine machine = with_link("network");
  EXPECT_EQ(beyond_link(machine, "network", 1e9), "");  // not measured
  PatternCost messages;
  messages.name = "message-network";
  messages.points = {{2, 8, 1e-6, 0, 9}, {2, 4096, 5e-6, 0, 9}};
  machine.patterns = {messages};
  EXPECT_EQ(beyond_link(machine, "network", 4096), "");
  EXPECT_EQ(beyond_link(machine, "network", 4097),
            "messages over the network link were measured on X for up to 4096 bytes, and are taken to go on "
            "in a straight line");
  EXPECT_EQ(beyond_link(machine, "core", 4097), "");
}

/// Returns a table of one piece with the same cost for any number of processes.
PatternCost flat_table(const std::string& name, double startup) {
  PatternCost table;
  table.name = name;
  const auto priced = priced_by(name);
  if (priced) table.pattern = priced->pattern, table.uneven = priced->uneven;
  table.pieces = {{0, "1", measured(startup), {}, {}, {}, 0.01}};
  return table;
}

TEST(Collective, AVVariantIsPricedByItsOwnTable) {
  Machine machine = with_link("network");
  machine.patterns = {flat_table("allgatherv", 7e-6), flat_table("allgather", 3e-6)};
  const auto uneven = collective(machine, Pattern::allgather, 2, 16, 4, true),
             even = collective(machine, Pattern::allgather, 2, 16, 4);
  EXPECT_DOUBLE_EQ(seconds(uneven, machine), 2 * 7e-6);
  EXPECT_DOUBLE_EQ(seconds(even, machine), 2 * 3e-6);
  EXPECT_EQ(uneven.table, "allgatherv");
  EXPECT_EQ(uneven.note + even.note, "");
}

TEST(Collective, AVVariantWithoutATableCostsWhatTheRegularOneDoesAndSaysSo) {
  Machine machine = with_link("network");
  machine.patterns = {flat_table("gather", 3e-6)};
  const auto cost = collective(machine, Pattern::gather, 1, 8, 4, true);
  EXPECT_DOUBLE_EQ(seconds(cost, machine), 3e-6);
  EXPECT_EQ(cost.table, "gather");
  EXPECT_EQ(cost.note, "gatherv costs as much as gather of equal parts: no table for gatherv on X");
}

TEST(Collective, ATableOfTheVVariantAloneDoesNotPriceTheRegularOne) {
  Machine machine = with_link("network");
  machine.patterns = {flat_table("alltoallv", 7e-6)};
  const auto cost = collective(machine, Pattern::alltoall, 1, 64, 8);
  EXPECT_EQ(cost.table, "");
  EXPECT_NE(cost.note, "");
  EXPECT_DOUBLE_EQ(value(cost.startup, machine), 3 * (kSend + kLatency + kReceive));
}

TEST(PricedBy, TablesAreKnownByTheirNames) {
  for (const char* name : {"allgatherv", "alltoallv", "gatherv", "scatterv", "allgather", "neighbourhood"}) {
    const auto priced = priced_by(name);
    ASSERT_TRUE(priced) << name;
    EXPECT_EQ(table_name(priced->pattern, priced->uneven), name);
  }
  for (const char* name : {"barrierv", "broadcastv", "v", "", "halo2d", "put-fence"})
    EXPECT_FALSE(priced_by(name)) << name;
}

TEST(OverlapShare, IsWithinNoneAndAll) {
  EXPECT_EQ(overlap_share({.value = -0.2}), 0);
  EXPECT_EQ(overlap_share({.value = 0.3}), 0.3);
  EXPECT_EQ(overlap_share({.value = 1.7}), 1);
}

TEST(Collective, OneProcessPaysItsOwnMeasuredCost) {
  const Machine machine = with_table();
  const Expression p = symbol("p", SymbolKind::processes);
  EXPECT_DOUBLE_EQ(seconds(collective(machine, Pattern::allreduce, 10, 80, p), machine, {{"p", 1}}),
                   10 * 5e-8);
}

TEST(Collective, OnTheIdealMachineIsFreeWithoutAnyRemark) {
  const Machine ideal = ideal_machine();
  const Expression p = symbol("p", SymbolKind::processes);
  for (const int processes : {1, 2, 7, 64}) {
    const auto cost = collective(ideal, Pattern::alltoall, 3, 1000000, p);
    EXPECT_EQ(seconds(cost, ideal, {{"p", processes}}), 0);
    EXPECT_EQ(cost.note, "");
  }
}

TEST(LinkFor, TakesTheNearestLevelThatWasMeasured) {
  Machine machine = with_link("network");
  EXPECT_EQ(link_for(machine, 16, 8).link, "network");
  EXPECT_EQ(link_for(machine, 16, 8).note, "");
  EXPECT_EQ(link_for(machine, 8, 8).link, "network");
  EXPECT_EQ(link_for(machine, 8, 8).note,
            "the link inside a node was not measured on X: the costs of its network link are used");
  machine.links["core"] = machine.links["network"];
  machine.links["socket"] = machine.links["network"];
  machine.sockets_per_node = 2;
  EXPECT_EQ(link_for(machine, 4, 8).link, "core");
  EXPECT_EQ(link_for(machine, 8, 8).link, "socket");
  EXPECT_EQ(link_for(machine, 9, 8).link, "network");
  machine.links.erase("network");
  EXPECT_EQ(link_for(machine, 9, 8).link, "socket");
  EXPECT_EQ(link_for(machine, 9, 8).note,
            "the link between nodes was not measured on X: the costs of its socket link are used");
  machine.links.clear();
  EXPECT_EQ(link_for(machine, 2, 8).link, "");
  EXPECT_NE(link_for(machine, 2, 8).note, "");
}

TEST(CostBinding, BindsEverySymbolAndKeepsTheErrors) {
  const Machine machine = with_table();
  EXPECT_EQ(cost_binding(machine).at("links.network.latency"), kLatency);
  EXPECT_EQ(cost_binding(machine).at("links.network.gap"), 0);
  EXPECT_EQ(cost_parameters(machine).at("links.network.latency").standard_error, kLatency / 100);
  EXPECT_EQ(cost_binding(machine).size(), cost_parameters(machine).size());
}

}  // namespace
}  // namespace parcast::machine
