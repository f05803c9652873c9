// SPDX-License-Identifier: Apache-2.0
#include "regress/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "machine/machine_file.h"

namespace parcast::regress {
namespace {

// Costs of exactly 2, 1e-5, 1e-9 and 3e-6, except for a small alternating part.
Costs found(const std::vector<std::string>& counts) {
  Runs runs;
  runs.counts = counts;
  runs.parameters = {"p"};
  const std::vector<double> costs{2, 1e-5, 1e-9, 3e-6};
  for (int i = 0; i < 12; ++i) {
    Run run{.program = i % 2 ? "a" : "b", .parameters = {{"p", 1 << i % 4}}};
    run.counts = {1.0 + i % 5, 1e5 * (1 + i * 7 % 11), 1e9 * (1 + i * 5 % 7), 1e6 * (1 + i * i % 9)};
    for (std::size_t j = 0; j < 4; ++j) run.seconds += costs[j] * run.counts[j];
    run.seconds *= 1 + 0.01 * (i % 3 - 1);
    runs.runs.push_back(run);
  }
  auto result = find_costs(std::move(runs), {.held_out = false});
  EXPECT_TRUE(result);
  return *std::move(result);
}

TEST(MachineOfCosts, HasThemWithTheirErrorsAndCovariance) {
  const Costs costs = found({"computing", "messages", "bytes", "page_faults"});
  machine::Machine recorded;
  recorded.core_speed = {4e9, 0, 10, Origin::measured};
  const auto machine = machine_of(costs, "cluster", &recorded);
  ASSERT_TRUE(machine) << machine.error().what;
  const machine::Link& link = machine->links.at("network");
  EXPECT_EQ(link.latency.value, costs.costs[1].value);
  EXPECT_EQ(link.latency.standard_error, costs.costs[1].standard_error);
  EXPECT_EQ(link.latency.samples, 12);
  EXPECT_EQ(link.gap_per_byte.value, costs.costs[2].value);
  EXPECT_EQ(machine->page_fault.value, costs.costs[3].value);
  EXPECT_DOUBLE_EQ(machine->core_speed.value, 4e9 / costs.costs[0].value);
  EXPECT_DOUBLE_EQ(machine->core_speed.standard_error,
                   4e9 / costs.costs[0].value / costs.costs[0].value * costs.costs[0].standard_error);
  EXPECT_EQ((machine->covariance.at({"links.network.gap_per_byte", "links.network.latency"})),
            costs.fit.covariance(1, 2));
  EXPECT_DOUBLE_EQ((machine->covariance.at({"core_speed", "links.network.latency"})),
                   -4e9 / std::pow(costs.costs[0].value, 2) * costs.fit.covariance(0, 1));
  EXPECT_EQ(machine->nodes, 8);
  const auto again = machine::machine_from_toml(machine::to_toml(*machine), "cluster.machine.toml");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_DOUBLE_EQ(again->links.at("network").latency.value, link.latency.value);
}

TEST(MachineOfCosts, APageTouchedFirstIsNoPageFault) {
  const Costs costs = found({"operations", "messages", "bytes", "pages"});
  const auto machine = machine_of(costs, "cluster", nullptr);
  ASSERT_TRUE(machine) << machine.error().what;
  EXPECT_NEAR(machine->first_touch.value, 3e-6, 1e-7);
  EXPECT_EQ(machine->first_touch.standard_error, costs.costs[3].standard_error);
  EXPECT_EQ(machine->page_fault.origin, Origin::unknown);
  EXPECT_EQ((machine->covariance.at({"first_touch", "links.network.latency"})), costs.fit.covariance(1, 3));
}

TEST(MachineOfCosts, NamesWhatHasNoPlace) {
  const auto machine =
      machine_of(found({"operations", "messages", "bytes", "page_faults"}), "cluster", nullptr);
  ASSERT_TRUE(machine);
  ASSERT_FALSE(machine->notes.empty());
  EXPECT_EQ(machine->notes[0].find("no place for"), 0u);
  EXPECT_EQ(machine->core_speed.origin, Origin::unknown);
}

TEST(MachineOfCosts, IsRefusedWithoutMessagesAndBytes) {
  EXPECT_FALSE(machine_of(found({"operations", "sends", "bytes", "page_faults"}), "cluster", nullptr));
  EXPECT_FALSE(machine_of(found({"operations", "messages", "volume", "page_faults"}), "cluster", nullptr));
}

}  // namespace
}  // namespace parcast::regress
