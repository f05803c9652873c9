// SPDX-License-Identifier: Apache-2.0
// Resource use of regions in real programs, compared with what the kernel reports to the programs.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "launch.h"

namespace parcast::record_tests {
namespace {

using namespace recording;

struct Seen {
  std::uint64_t faults = 0, waits = 0, grown = 0;
};

/// Parses lines like "first faults=8192 waits=0 grown=33554432", one per region.
std::map<std::string, Seen> given_in(const std::string& output) {
  std::map<std::string, Seen> given;
  const std::regex line("([a-z]+) faults=([0-9]+) waits=([0-9]+) grown=([0-9]+)");
  for (std::sregex_iterator at(output.begin(), output.end(), line), end; at != end; ++at)
    given[(*at)[1]] = {std::stoull((*at)[2]), std::stoull((*at)[3]), std::stoull((*at)[4])};
  return given;
}

struct Ran {
  Outcome outcome;
  std::map<std::string, Seen> given;
  std::map<std::string, Usage> used;  // by region
  std::vector<Loss> losses;
};

Ran run(const std::string& what, Mpi mpi, const std::string& environment = "") {
  const Scratch scratch;
  Ran ran;
  ran.outcome = run_recorded(scratch, {1, program("usage", mpi) + " " + what, environment, "", mpi});
  ran.given = given_in(ran.outcome.output);
  auto recording = recorded(scratch);
  EXPECT_TRUE(recording) << to_string(recording.error()) << ran.outcome.errors;
  if (!recording || recording->ranks.empty()) return ran;
  resolve_sites(*recording);
  const RankRecording& rank = recording->ranks[0];
  for (const Usage& usage : rank.usage) ran.used[rank.regions[usage.region]] = usage;
  ran.losses = recording->losses;
  return ran;
}

/// Page faults of the recorder's own code and tables, at their first use, may be included.
constexpr std::uint64_t kFew = 60;

void expect_faults(const Ran& ran, const std::string& name, const std::string& region,
                   std::uint64_t touched) {
  ASSERT_TRUE(ran.given.contains(name)) << ran.outcome.output << ran.outcome.errors;
  ASSERT_TRUE(ran.used.contains(region)) << region;
  const std::uint64_t given = ran.given.at(name).faults, used = ran.used.at(region).minor_faults;
  EXPECT_GE(given, touched);
  EXPECT_GE(used + 2, given) << region;
  EXPECT_LE(used, given + kFew) << region;
}

class UsageOf : public testing::TestWithParam<Mpi> {};

TEST_P(UsageOf, PagesTouchedAreTheRegionsThatTouchedThem) {
  const Ran ran = run("touch", GetParam());
  expect_faults(ran, "first", "work/first", 8192);
  expect_faults(ran, "second", "work/second", 4096);
  EXPECT_LE(ran.used.at("work").minor_faults, kFew);
  const double grown = static_cast<double>(ran.used.at("work/first").peak_growth);
  EXPECT_NEAR(grown, static_cast<double>(ran.given.at("first").grown), 2e6);
  EXPECT_GE(grown, 31e6);
  EXPECT_GE(ran.used.at("work/second").peak_memory, ran.used.at("work/first").peak_memory);
}

TEST_P(UsageOf, PathsByTheStackHaveTheirs) {
  const Ran ran = run("functions", GetParam(), "PARCAST_STACK=on");
  expect_faults(ran, "one", "main/work/one/touch_in_function", 8192);
  expect_faults(ran, "other", "main/work/other/touch_in_function", 4096);
}

TEST_P(UsageOf, ANapIsASwitchThatTheThreadWanted) {
  const Ran ran = run("naps", GetParam());
  ASSERT_TRUE(ran.used.contains("work/naps")) << ran.outcome.errors;
  // of 40: one is missing if its time is over before the thread leaves the processor
  EXPECT_GE(ran.given.at("naps").waits, 35u);
  EXPECT_EQ(ran.used.at("work/naps").voluntary_switches, ran.given.at("naps").waits);
}

/// 300,000 events use dozens of blocks, which the recorder prepares page by page.
TEST_P(UsageOf, WhatTheRecorderUsesIsNotTheHosts) {
  const Ran ran = run("calls", GetParam(), "PARCAST_TIMES=all");
  ASSERT_TRUE(ran.used.contains("work/calls")) << ran.outcome.errors;
  EXPECT_GE(ran.given.at("calls").faults, 200u);  // those of the recorder, as seen by the process
  EXPECT_LE(ran.used.at("work/calls").minor_faults, kFew);
  EXPECT_LE(ran.used.at("work/calls").peak_growth, 600'000u);
}

TEST_P(UsageOf, AThreadHasItsOwn) {
  const Ran ran = run("thread", GetParam());
  expect_faults(ran, "thread", "thread", 2048);
  EXPECT_EQ(ran.used.at("thread").thread, 1);
  EXPECT_NEAR(static_cast<double>(ran.used.at("thread").peak_growth), 2048 * 4096.0, 2e6);
  EXPECT_LE(ran.used.at("work").peak_growth, 1'000'000u);  // although the process's memory grew meanwhile
  EXPECT_LE(ran.used.at("work").minor_faults, 2 * kFew);   // the stack of the new thread
}

TEST_P(UsageOf, NothingIsCountedWhileTheClassIsSwitchedOff) {
  const Ran ran = run("switched", GetParam());
  expect_faults(ran, "on", "work/on", 4096);
  EXPECT_FALSE(ran.used.contains("work/off"));
  EXPECT_LE(ran.used.at("work").minor_faults, kFew);
  EXPECT_NEAR(static_cast<double>(ran.used.at("work/on").peak_growth), 4096 * 4096.0, 2e6);
  EXPECT_TRUE(run("touch", GetParam(), "PARCAST_CLASSES=mpi,user").used.empty());
}

TEST_P(UsageOf, AKilledProcessLeavesWhatItUsed) {
  const Ran ran = run("killed", GetParam());
  EXPECT_NE(ran.outcome.exit_code, 0);
  expect_faults(ran, "first", "work/first", 8192);
  for (const Loss& loss : ran.losses)
    EXPECT_EQ(loss.what.find("what was used"), std::string::npos) << loss.what;
}

/// If the machine has none, or forbids them, the run is the same without them.
TEST_P(UsageOf, HardwareCountersAreThereOrSilentlyAbsent) {
  const Ran ran = run("touch", GetParam(), "PARCAST_COUNTERS=on");
  EXPECT_EQ(ran.outcome.exit_code, 0) << ran.outcome.errors;
  EXPECT_TRUE(ran.losses.empty());
  expect_faults(ran, "first", "work/first", 8192);
  const Usage& first = ran.used.at("work/first");
  if (first.cycles) EXPECT_GT(*first.cycles, 100'000u);  // at least a millisecond
  if (first.instructions) EXPECT_GT(*first.instructions, 8192u);
  const Ran without = run("touch", GetParam());
  EXPECT_FALSE(without.used.at("work/first").cycles);
}

INSTANTIATE_TEST_SUITE_P(Families, UsageOf, testing::ValuesIn(families()),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace parcast::record_tests
