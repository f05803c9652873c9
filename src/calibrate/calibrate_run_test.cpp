// SPDX-License-Identifier: Apache-2.0
// End to end: measures this machine for five seconds at one and two processes, and checks that the result is
// plausible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "calibrate/calibrate.h"
#include "calibrate/fit_pattern.h"
#include "machine/machine_file.h"
#include "machine/pattern_cost.h"

namespace parcast::calibrate {
namespace {

Options options() {
  Options out;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  out.budget_seconds = 20;  // with sanitizers everything but the machine takes several times as long
#else
  out.budget_seconds = 5;
#endif
  out.launcher = "mpirun --oversubscribe -n {p}";
  out.processes = {1, 2};
  out.program = PARCAST_BINARY_DIR "/libexec/parcast/parcast-calibrate";
  out.folder = std::filesystem::temp_directory_path();
  return out;
}

std::vector<Measurements>& raw() {
  static std::vector<Measurements> launches;
  return launches;
}

const Result<machine::Machine>& measured() {
  static const auto machine = [] {
    Options asked = options();
    asked.written = [](const machine::Machine&, const std::vector<Measurements>& launches) -> Result<void> {
      return raw() = launches, Result<void>();
    };
    return calibrate(asked);
  }();
  return machine;
}

TEST(CalibrateRun, GivesAMachineThatIsInOrder) {
  ASSERT_TRUE(measured()) << to_string(measured().error());
  const machine::Machine& machine = *measured();
  ASSERT_TRUE(check(machine));
  EXPECT_EQ(machine.nodes, 1);
  EXPECT_THAT(machine.measured_at, ::testing::EndsWith("Z"));
  ASSERT_TRUE(machine.environment.contains("mpi"));
  EXPECT_THAT(machine.description, ::testing::EndsWith(machine.environment.at("mpi")));
  const auto back = machine::machine_from_toml(machine::to_toml(machine), "x");
  ASSERT_TRUE(back) << to_string(back.error());
}

TEST(CalibrateRun, KeepsEveryRepeat) {
  ASSERT_TRUE(measured());
  std::size_t points = 0;
  for (const Measurements& launch : raw())
    for (const TablePoint& point : launch.points) {
      ++points;
      ASSERT_EQ(point.repeats.size(), static_cast<std::size_t>(point.samples)) << point.table;
      std::vector<double> sorted = point.repeats;
      std::sort(sorted.begin(), sorted.end());
      const double middle = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
      EXPECT_NEAR(point.seconds, middle, 1e-8 * middle) << point.table << " of " << point.bytes << " B";
    }
  EXPECT_GT(points, 100u);
}

TEST(CalibrateRun, MeasuresTheCoreAndItsMemory) {
  ASSERT_TRUE(measured());
  const machine::Machine& machine = *measured();
  EXPECT_GT(machine.core_speed.value, 1e7);
  EXPECT_LT(machine.core_speed.value, 1e12);
  ASSERT_GE(machine.working_sets.size(), 5u);
  const auto smallest = machine.working_sets.front();
  EXPECT_GT(smallest.seconds_per_load, 1e-10);
  EXPECT_LT(smallest.seconds_per_load, 1e-6);
  EXPECT_GT(smallest.bytes_per_second, 1e7);
}

TEST(CalibrateRun, MeasuresALinkWhoseLargeMessagesCostMore) {
  ASSERT_TRUE(measured());
  const machine::Machine& machine = *measured();
  ASSERT_EQ(machine.links.size(), 1u);
  const machine::Link& link = machine.links.begin()->second;
  EXPECT_GT(link.latency.value + link.send_overhead.value + link.receive_overhead.value, 1e-8);
  // the machine was too busy to measure large messages separately
  if (link.eager_limit.origin == Origin::unknown)
    EXPECT_EQ(link.eager_limit.value, 0);
  else
    EXPECT_GT(link.eager_limit.value, 0);
  const std::string name = "message-" + machine.links.begin()->first;
  for (const auto& table : machine.patterns) {
    if (table.name != name) continue;
    ASSERT_GE(table.points.size(), 10u);
    EXPECT_GT(table.points.back().seconds, 3 * table.points.front().seconds);
  }
}

TEST(CalibrateRun, CostsOfCollectivesGrowWithTheirBytes) {
  ASSERT_TRUE(measured());
  int tables = 0;
  for (const auto& table : measured()->patterns) {
    if (table.pattern == recording::Pattern::none || table.pattern == recording::Pattern::barrier ||
        table.pieces.empty())
      continue;
    ++tables;
    double largest = 0;
    for (const auto& point : table.points)
      if (point.processes == 2) largest = std::max(largest, point.bytes);
    EXPECT_GT(machine::pattern_seconds(table, 2, 8), 0) << table.name;
    if (largest >= 65536) {
      EXPECT_GT(machine::pattern_seconds(table, 2, largest), machine::pattern_seconds(table, 2, 8))
          << table.name;
    }
  }
  EXPECT_GE(tables, 1);  // a busy machine has no time for all ten tables within the budget
}

TEST(CalibrateRun, AFailingLauncherIsShownWithItsWords) {
  Options failing = options();
  failing.launcher = "sh -c 'echo there are not enough slots >&2; exit 3' {p}";
  const auto machine = calibrate(failing);
  ASSERT_FALSE(machine);
  EXPECT_THAT(to_string(machine.error()), ::testing::HasSubstr("there are not enough slots"));
}

}  // namespace
}  // namespace parcast::calibrate
