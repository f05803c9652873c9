// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/calibrate.h"
#include "machine/machine_file.h"

namespace parcast::calibrate {
namespace {

/// A launch of p processes, each on a separate node, on a machine with known laws.
Measurements launch_of(int p, bool one_kernel) {
  Measurements m;
  m.processes = p;
  m.processor = "CPU", m.mpi_library = "MPI";
  m.environment = {{"kernel", "6.1.0"}};
  m.cores = 8, m.memory = 64e9;
  m.caches = {{"L1", 32768}, {"L2", 524288}};
  for (int r = 0; r < p; ++r) m.places.push_back({r, -1, one_kernel ? 0 : r});
  if (p == 1) {
    m.values = {{"core_speed", 2e9, 1e6, 9}, {"noise", 0.01, 0.001, 100}};
    for (double bytes = 4096; bytes <= 1 << 24; bytes *= 2) {
      const double load = bytes <= 32768 ? 1e-9 : bytes <= 524288 ? 4e-9 : 80e-9;
      m.sweep.push_back({1, bytes, load, 32 / load});
    }
  }
  for (double bytes = 8; bytes <= 1 << 20; bytes *= 2) {
    if (p == 2) m.points.push_back({"message-network", 2, bytes, 5e-6 + bytes * 1e-9, 1e-9, 99});
    if (p > 1)
      m.points.push_back({"broadcast", p, bytes, std::ceil(std::log2(p)) * (5e-6 + bytes * 1e-9), 1e-9, 99});
  }
  return m;
}

std::vector<Measurements> launches(bool one_kernel) {
  return {launch_of(1, one_kernel), launch_of(2, one_kernel), launch_of(8, one_kernel),
          launch_of(4, one_kernel)};
}

TEST(Assemble, TheSmallestShareOfACoreStandsWithItsPeriod) {
  std::vector<Measurements> all = launches(false);
  EXPECT_EQ(assemble(all, Options{})->core_share.origin, Origin::unknown);
  all[1].values = {{"core_share-node", 0.2, 0, 1},
                   {"share_period-node", 0.1, 0, 1},
                   {"core_share-network", 0.05, 0.001, 2},
                   {"share_period-network", 0.002, 0, 2}};
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->core_share.value, 0.05);
  EXPECT_EQ(machine->core_share.standard_error, 0.001);
  EXPECT_EQ(machine->share_period.value, 0.002);
  EXPECT_EQ(machine->core_share.origin, Origin::measured);
  // On a busy host launches disagree: such a share is not known.
  all[1].values = {{"core_share-node", 0.35, 1.73, 3}, {"share_period-node", 0.1, 0, 3}};
  EXPECT_EQ(assemble(all, Options{})->core_share.origin, Origin::unknown);
  // A share of 1 in most launches is an entire core. A share without its period is ignored.
  all[1].values = {
      {"core_share-node", 1, 0, 3}, {"share_period-node", 0.1, 0, 1}, {"core_share-network", 0.05, 0, 1}};
  EXPECT_EQ(assemble(all, Options{})->core_share.origin, Origin::unknown);
}

TEST(Assemble, DriftIsThatOfAllProcessCounts) {
  std::vector<Measurements> all = launches(false);
  EXPECT_EQ(assemble(all, Options{})->drift.origin, Origin::unknown);
  all[0].values.push_back({"drift", .03, .01, 2}), all[1].values.push_back({"drift", .09, .01, 4});
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  // rounded to six digits as in the file
  EXPECT_NEAR(machine->drift.value, std::sqrt((.03 * .03 + 3 * .09 * .09) / 4), 1e-6);
  EXPECT_NEAR(machine->drift.standard_error, machine->drift.value / std::sqrt(8), 1e-6);
  EXPECT_EQ(machine->drift.samples, 5);
  EXPECT_EQ(machine->drift.origin, Origin::measured);
}

TEST(Assemble, WhatAFitLeavesOfNothingIsNothing) {
  std::vector<Measurements> all = launches(false);
  all[0].values.push_back({"drift", 3e-45, 2e-46, 2});
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->drift.value, 0);
  EXPECT_EQ(machine->drift.standard_error, 0);
}

TEST(Assemble, JoinsTheLaunchesToOneMachine) {
  const auto machine = assemble(launches(false), Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->nodes, 8);
  EXPECT_EQ(machine->cores_per_node, 8);
  EXPECT_EQ(machine->description, "CPU, MPI");
  EXPECT_EQ(machine->core_speed.value, 2e9);
  EXPECT_EQ(machine->environment.at("kernel"), "6.1.0");
  ASSERT_EQ(machine->memory.size(), 3u);
  EXPECT_DOUBLE_EQ(machine->memory[0].latency.value, 1e-9);
  EXPECT_DOUBLE_EQ(machine->memory[1].latency.value, 4e-9);
  EXPECT_DOUBLE_EQ(machine->memory[2].latency.value, 80e-9);
  EXPECT_DOUBLE_EQ(machine->memory[2].bandwidth.value, 32 / 80e-9);
  ASSERT_TRUE(machine->links.contains("network"));
  EXPECT_NEAR(machine->links.at("network").gap_per_byte.value, 1e-9, 1e-12);
  const auto table = std::find_if(machine->patterns.begin(), machine->patterns.end(),
                                  [](const auto& p) { return p.name == "broadcast"; });
  ASSERT_NE(table, machine->patterns.end());
  EXPECT_EQ(table->pieces[0].growth, "ceil_log2");
  EXPECT_EQ(table->points.size(), 54u);
}

TEST(Assemble, HowLaunchesLayOnNodesIsKept) {
  std::vector<Measurements> all = launches(false);
  using Placements = std::vector<machine::MeasuredPlacement>;
  EXPECT_EQ(assemble(all, Options{})->placements, (Placements{{2, 2, 1}, {4, 4, 1}, {8, 8, 1}}));
  all[1].places = {{0, -1, 0}, {0, -1, 0}};                                   // two processes on one node
  for (std::size_t r = 0; r < 8; ++r) all[2].places[r].node = r < 5 ? 0 : 1;  // five and three
  all[3].places.clear();                                                      // four processes without places
  all.push_back(launch_of(2, false));  // two processes again, on two nodes
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_EQ(machine->placements, (Placements{{2, 1, 2}, {2, 2, 1}, {8, 2, 5}}));
  const auto back = machine::machine_from_toml(machine::to_toml(*machine), "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->placements, machine->placements);
}

TEST(Assemble, NodesOfOneRunningSystemShareItsCoresAndMemory) {
  const auto machine = assemble(launches(true), Options{});
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->nodes, 8);
  EXPECT_EQ(machine->cores_per_node, 1);
  EXPECT_EQ(machine->memory_per_node, 8e9);
}

// On working sets of 16 MB one core gets 10 GB/s, each of two cores 8, and each of four cores 5 as the median
// of three points. Bandwidths of caches do not count.
TEST(Assemble, WhatCoresGetTogetherIsThatBeyondTheCaches) {
  Measurements alone = launch_of(1, true), two = launch_of(2, true), four = launch_of(4, true);
  for (Measurements* each : {&alone, &two, &four}) each->sweep.clear();
  for (const double bytes : {4e6, 8e6, 16e6}) {
    alone.sweep.push_back({1, bytes, 80e-9, 10e9});
    two.sweep.push_back({2, bytes, 80e-9, 8e9});
    four.sweep.push_back({4, bytes, 80e-9, bytes == 4e6 ? 7e9 : bytes == 8e6 ? 5e9 : 4.5e9});
  }
  two.sweep.push_back({2, 65536, 4e-9, 40e9});
  const auto machine = assemble({alone, two, four}, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  ASSERT_TRUE(machine->memory_sharing);
  ASSERT_EQ(machine->memory_sharing->points.size(), 3u);
  for (const auto& [at, cores, bandwidth] :
       {std::tuple(0, 1, 10e9), std::tuple(1, 2, 16e9), std::tuple(2, 4, 20e9)}) {
    EXPECT_EQ(machine->memory_sharing->points[at].cores, cores);
    EXPECT_DOUBLE_EQ(machine->memory_sharing->points[at].bandwidth.value, bandwidth);
    EXPECT_EQ(machine->memory_sharing->points[at].bandwidth.origin, Origin::measured);
  }
  // one core alone does not determine the sharing
  EXPECT_FALSE(assemble({alone}, Options{})->memory_sharing);
}

TEST(Assemble, AMachineLargerThanItsMeasuredPartIsSaidByThePerson) {
  Options options;
  options.nodes = 100, options.cores_per_node = 32;
  const auto machine = assemble(launches(false), options);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->nodes, 100);
  EXPECT_EQ(machine->cores_per_node, 32);
}

TEST(Assemble, RoughTablesAreNamedInOneNoteAndANoteOfAllLaunchesOnce) {
  std::vector<Measurements> all = launches(false);
  all[1].rough = {"scan", "barrier"}, all[2].rough = {"barrier"};
  for (Measurements& launch : all) launch.notes.emplace_back("one-sided calls were refused");
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  const auto count = [&](const std::string& text) {
    return std::count_if(machine->notes.begin(), machine->notes.end(),
                         [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  EXPECT_EQ(count("rough: on 2 processes barrier, scan; on 8 processes barrier"), 1);
  EXPECT_EQ(count("one-sided calls were refused"), 1);
}

TEST(Assemble, NotesNameTheOptionThatHelps) {
  using testing::HasSubstr;
  std::vector<Measurements> all = launches(false);
  EXPECT_THAT(assemble(all, Options{})->notes, testing::Not(testing::Contains(HasSubstr("memory"))));
  // Nothing beyond the second cache, two process counts above 1, and noise in every point.
  std::erase_if(all[0].sweep, [](const SweepPoint& point) { return point.bytes > 524288; });
  all.resize(3);
  for (Measurements& launch : all)
    for (TablePoint& point : launch.points) point.standard_error = point.seconds;
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  EXPECT_THAT(machine->notes.front(), HasSubstr("too noisy for the budget"));
  EXPECT_THAT(machine->notes,
              testing::IsSupersetOf({HasSubstr("predictions use that of L2; use a longer --budget"),
                                     HasSubstr("1 pattern was measured on fewer than three process counts"),
                                     HasSubstr("ceil(log2 p) for broadcast")}));
}

TEST(Assemble, WhatThereWasNoTimeForIsNamedInOneNote) {
  std::vector<Measurements> all = launches(false);
  all[1].left_out = {{"scan", 2, 0}, {"alltoallv", 2, 65536}};
  all[2].left_out = {{"scan", 8, 0}};
  all[3].points.push_back({"put-lock", 4, 8, 3e-6, 1e-8, 9});  // a single size: no cost per byte
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  const auto of_time = [](const std::string& note) { return note.find("budget ended") != std::string::npos; };
  ASSERT_EQ(std::count_if(machine->notes.begin(), machine->notes.end(), of_time), 1);
  EXPECT_EQ(
      *std::find_if(machine->notes.begin(), machine->notes.end(), of_time),
      "the budget ended before these calls: on 2 processes alltoallv from 65.5 kB, scan; on 4 processes "
      "put-lock; on 8 processes scan; use a longer --budget");
  EXPECT_TRUE(std::none_of(machine->patterns.begin(), machine->patterns.end(),
                           [](const auto& table) { return table.name == "put-lock"; }));
}

TEST(Assemble, TablesOfVVariantsAreOfTheirPattern) {
  std::vector<Measurements> all = launches(false);
  for (Measurements& launch : all)
    for (double bytes = 8; bytes <= 1 << 20 && launch.processes > 1; bytes *= 2)
      launch.points.push_back(
          {"gatherv", launch.processes, bytes, (launch.processes - 1) * (1e-6 + bytes * 1e-9), 1e-9, 99});
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine) << to_string(machine.error());
  const machine::PatternCost* table = machine::table_for(*machine, recording::Pattern::gather, true);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->name, "gatherv");
  EXPECT_EQ(table->pieces[0].growth, "peers");
  EXPECT_NEAR(table->pieces[0].startup_growth.value, 1e-6, 1e-9);
  const auto back = machine::machine_from_toml(machine::to_toml(*machine), "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(machine::table_for(*back, recording::Pattern::gather, true)->name, "gatherv");
}

TEST(Assemble, TheOverlapOfReductionsIsThatOfTheMostProcesses) {
  std::vector<Measurements> all = launches(false);
  all[2].values.push_back({"allreduce_overlap", 1.1, 0.1, 9});  // 8 processes
  all[3].values.push_back({"allreduce_overlap", 0.4, 0.1, 9});  // 4 processes
  const auto machine = assemble(all, Options{});
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->allreduce_overlap.value, 1.1);
  EXPECT_EQ(machine->allreduce_overlap.origin, Origin::measured);
}

TEST(Assemble, TheFileOfTheMachineReadsBack) {
  const auto machine = assemble(launches(false), Options{});
  ASSERT_TRUE(machine);
  const std::string text = machine::to_toml(*machine);
  const auto back = machine::machine_from_toml(text, "x");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(machine::to_toml(*back), text);
}

TEST(Assemble, UsualProcessCountsEndAtTheCores) {
  EXPECT_THAT(usual_process_counts(1), ::testing::ElementsAre(1));
  EXPECT_THAT(usual_process_counts(2), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(usual_process_counts(16), ::testing::ElementsAre(1, 2, 3, 4, 6, 8, 12, 16));
}

}  // namespace
}  // namespace parcast::calibrate
