// SPDX-License-Identifier: Apache-2.0
#include "regress/linearise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "regress/costs.h"
#include "regress/runs_csv.h"

namespace parcast::regress {
namespace {

machine::Parameter given(double value) {
  return {value, 0, 0, Origin::assumed};
}

// Caches of 32 KiB, 1 MiB and 32 MiB with lines of 64 bytes, 1 GB of memory in pages of 4 KiB.
machine::Machine three_caches() {
  machine::Machine out;
  out.name = "three";
  out.cores_per_node = 4;
  out.memory_per_node = 1e9;
  out.memory = {{"L1", given(32768), given(8e9), {}, {}},
                {"L2", given(1048576), given(4e9), {}, {}},
                {"L3", given(33554432), given(2e9), {}, {}},
                {"memory", {}, given(1e9), {}, {}}};
  // In ns per byte: 0.1, 0.2, 0.4.
  out.working_sets = {
      {1, 1000, 0, 1e10}, {1, 2000, 0, 5e9}, {1, 4000, 0, 2.5e9}, {2, 1000, 0, 5e9}, {2, 4000, 0, 1e9}};
  return out;
}

Runs runs_of(std::vector<std::string> arrays, std::vector<regress::Run> runs) {
  Runs out;
  out.arrays = std::move(arrays);
  out.counts = {"operations"};
  out.where = "made";
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].place = "made:" + std::to_string(i + 2);
  out.runs = std::move(runs);
  return out;
}

Run run(std::vector<Array> arrays, double p = 1) {
  return {
      .program = "sweep", .parameters = {{"p", p}}, .seconds = 1, .counts = {1}, .arrays = std::move(arrays)};
}

std::size_t column(const Runs& runs, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(runs.counts, name) - runs.counts.begin());
}

bool says(const std::vector<std::string>& texts, const std::string& what) {
  return std::ranges::any_of(texts,
                             [&](const std::string& text) { return text.find(what) != std::string::npos; });
}

// A square array of doubles: 8 * 64^2 = 32768, 8 * 362^2 = 1048352, 8 * 2048^2 = 33554432 bytes just fit.
TEST(Linearise, AnArrayMissesWholeFromTheSizeOnThatExceedsEachOfThreeCaches) {
  std::vector<regress::Run> sizes;
  for (const double n : {64., 65., 362., 363., 2048., 2049.})
    sizes.push_back(run({{8 * n * n, 640 * n * n, {}}}));
  Runs runs = runs_of({"a"}, sizes);
  std::vector<regress::Run> none;
  ASSERT_TRUE(linearise(runs, none, three_caches(), LineariseBy::misses));
  EXPECT_EQ(runs.counts, (std::vector<std::string>{"operations", "misses_L1", "misses_L2", "misses_L3"}));
  const std::vector<std::vector<double>> expected{// 10 n^2 lines
                                                  {1, 0, 0, 0},
                                                  {1, 42250, 0, 0},
                                                  {1, 1310440, 0, 0},
                                                  {1, 1317690, 1317690, 0},
                                                  {1, 41943040, 41943040, 0},
                                                  {1, 41984010, 41984010, 41984010}};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(runs.runs[i].counts, expected[i]) << i;
  EXPECT_TRUE(runs.runs[0].arrays[0].missed.empty());
  EXPECT_EQ(runs.runs[3].arrays[0].missed, (std::vector<std::string>{"L1", "L2"}));
  EXPECT_TRUE(says(runs.notes, "no run has any page_faults: left out"));
  EXPECT_TRUE(
      says(runs.notes,
           "L1 32.8 kB (assumed), L2 1.05 MB (assumed), L3 33.6 MB (assumed), 1.00 GB of memory per node"));
}

TEST(Linearise, ArraysOfARunAddUpEachByItsOwnPortion) {
  Runs runs = runs_of({"a", "b"},
                      {run({{1000, 6400, {}}, {40000, 640, {}}}), run({{40000, 6400, {}}, {2e6, 640, {}}})});
  std::vector<regress::Run> none;
  ASSERT_TRUE(linearise(runs, none, three_caches(), LineariseBy::misses));
  EXPECT_EQ(runs.runs[0].counts, (std::vector<double>{1, 10, 0}));
  EXPECT_EQ(runs.runs[1].counts, (std::vector<double>{1, 110, 10}));
}

// 1 MB at 8 GB/s in the first cache, 4 GB/s in the second, 2 GB/s in the third, then 1 GB/s.
TEST(Linearise, ByBandwidthAnArrayMovesAtThatOfTheLevelThatHoldsIt) {
  Runs runs = runs_of({"a"}, {run({{32768, 1e6, {}}}), run({{32769, 1e6, {}}}), run({{2e6, 1e6, {}}}),
                              run({{4e7, 1e6, {}}})});
  std::vector<regress::Run> none;
  ASSERT_TRUE(linearise(runs, none, three_caches(), LineariseBy::bandwidth));
  EXPECT_EQ(runs.counts, (std::vector<std::string>{"operations", "memory"}));
  const std::vector<double> seconds{1.25e-4, 2.5e-4, 5e-4, 1e-3};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    EXPECT_NEAR(runs.runs[i].counts[1], seconds[i], 1e-18) << i;
  EXPECT_EQ(runs.runs[1].arrays[0].missed, (std::vector<std::string>{"L1"}));
}

// 0.15 ns per byte half way between 0.1 and 0.2, 0.25 a quarter of the way from 0.2 to 0.4; with two active
// cores 0.2 + (1 - 0.2) / 3.
TEST(Linearise, ByTheCurveAnArrayCostsWhatLiesBetweenMeasuredPoints) {
  Runs runs = runs_of({"a"}, {run({{500, 1e9, {}}}), run({{1500, 1e9, {}}}), run({{2500, 1e9, {}}}),
                              run({{1e6, 1e9, {}}}), run({{2000, 1e9, {}}}, 2)});
  std::vector<regress::Run> none;
  ASSERT_TRUE(linearise(runs, none, three_caches(), LineariseBy::curve));
  const std::vector<double> seconds{0.1, 0.15, 0.25, 0.4, 0.2 + 0.8 / 3};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    EXPECT_NEAR(runs.runs[i].counts[1], seconds[i], 1e-12) << i;
}

TEST(Linearise, CostsOfMissesAreFoundFromTimesThatHaveThem) {
  const auto known = [](const std::vector<double>& counts) {
    return 1e-9 * counts[0] + 3e-9 * counts[1] + 8e-8 * counts[2];
  };
  Runs runs = runs_of({"a", "b"}, {});
  for (int i = 0; i < 24; ++i) {
    const double n = std::floor(20 * std::pow(1.25, i));
    regress::Run each = run({{8 * n, 8 * n * (30 + i % 5), {}}, {16 * n, 16 * n * (3 + i % 4), {}}});
    each.counts = {1e6 * (1 + i % 7)}, each.place = "made:" + std::to_string(i),
    each.program = i % 2 == 0 ? "sweep" : "walk";
    runs.runs.push_back(each);
  }
  std::vector<regress::Run> asked{run({{2e6, 1e9, {}}, {1e5, 3e8, {}}})};
  machine::Machine machine = three_caches();
  machine.memory = {{"L1", given(4000), {}, {}, {}}, {"L2", given(20000), {}, {}, {}}};
  ASSERT_TRUE(linearise(runs, asked, machine, LineariseBy::misses));
  for (regress::Run& each : runs.runs) each.seconds = known(each.counts);
  const double expected = known(asked[0].counts);
  const auto costs = find_costs(std::move(runs), {.held_out = false});
  ASSERT_TRUE(costs) << costs.error().what;
  EXPECT_NEAR(costs->costs[0].value, 1e-9, 1e-18);
  EXPECT_NEAR(costs->costs[1].value, 3e-9, 3e-18);
  EXPECT_NEAR(costs->costs[2].value, 8e-8, 8e-17);
  EXPECT_NEAR(answer(*costs, asked[0]).value, expected, 1e-9 * expected);
}

// Every array that exceeds the first cache also exceeds the second.
TEST(Linearise, MissesThatGoTogetherAreNamed) {
  Runs runs = runs_of({"a"}, {run({{1e4, 1e8, {}}}), run({{2e4, 3e8, {}}}), run({{2e6, 1e8, {}}}),
                              run({{3e6, 4e8, {}}}), run({{4e6, 5e8, {}}})});
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    runs.runs[i].counts[0] = 1e8 * static_cast<double>(i * i + 1),
    runs.runs[i].seconds = 0.1 + static_cast<double>(i);
  std::vector<regress::Run> none;
  ASSERT_TRUE(linearise(runs, none, three_caches(), LineariseBy::misses));
  const auto costs = find_costs(std::move(runs), {.held_out = false});
  ASSERT_TRUE(costs) << costs.error().what;
  ASSERT_EQ(costs->aliases.size(), 1u);
  EXPECT_TRUE(says(costs->warnings, "on all runs, so their costs cannot be separated"));
}

// Three processes of 0.4 GB on a node of 1 GB: 16384 bytes are 4 pages. On two nodes, two of them share one
// node and fit.
TEST(Linearise, PagesFaultWhereTheProcessesOfANodeHoldMoreThanItsMemory) {
  regress::Run spread = run({{4e8, 16384, {}}}, 3);
  spread.parameters["nodes"] = 2;
  Runs runs = runs_of({"a"}, {run({{4e8, 16384, {}}}, 3), run({{4e8, 16384, {}}}, 2), spread});
  std::vector<regress::Run> asked{run({{2e9, 8192, {}}})};
  ASSERT_TRUE(linearise(runs, asked, three_caches(), LineariseBy::misses));
  const std::size_t faults = column(runs, "page_faults");
  ASSERT_LT(faults, runs.counts.size());
  EXPECT_EQ(runs.runs[0].counts[faults], 4);
  EXPECT_EQ(runs.runs[1].counts[faults], 0);
  EXPECT_EQ(runs.runs[2].counts[faults], 0);
  EXPECT_EQ(asked[0].counts[faults], 2);
  EXPECT_TRUE(runs.runs[0].memory_exceeded && asked[0].memory_exceeded && !runs.runs[1].memory_exceeded);
  ASSERT_EQ(runs.warnings.size(), 2u);
  EXPECT_EQ(runs.warnings[0].find(
                "MEMORY EXCEEDED: the processes of a node hold 1.20 GB, and a node of three has 1.00 GB"),
            0u)
      << runs.warnings[0];
  EXPECT_NE(runs.warnings[0].find("sweep, p = 3 (made:2)"), std::string::npos) << runs.warnings[0];
}

TEST(Linearise, WhatTheMachineDoesNotTellIsRefused) {
  machine::Machine bare;
  bare.name = "bare";
  std::vector<regress::Run> none;
  for (const auto& [by, hint] : {std::pair(LineariseBy::misses, "[[memory]]"),
                                 {LineariseBy::bandwidth, "[[memory]]"},
                                 {LineariseBy::curve, "parcast calibrate"}}) {
    Runs runs = runs_of({"a"}, {run({{1, 1, {}}})});
    const auto refused = linearise(runs, none, bare, by);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "machine bare");
    EXPECT_NE(refused.error().hint.find(hint), std::string::npos) << refused.error().hint;
  }
  Runs without = runs_of({}, {run({})}), twice = runs_of({"a"}, {run({{1, 1, {}}})});
  twice.counts = {"misses_L2"};
  EXPECT_FALSE(linearise(without, none, three_caches(), LineariseBy::misses));
  EXPECT_FALSE(linearise(twice, none, three_caches(), LineariseBy::misses));
}

}  // namespace
}  // namespace parcast::regress
