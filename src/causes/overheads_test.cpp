// SPDX-License-Identifier: Apache-2.0
#include "causes/overheads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "causes/efficiencies.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

Phase phase(std::int32_t process, Kind kind, double seconds, std::string name = {}) {
  return {process, kind, std::move(name), seconds, {}};
}

/// Returns phases of random kinds, names and times over nine orders of magnitude; processes end at different
/// times.
Run random_run(statistics::Random& random) {
  causes::Run run{{}, static_cast<std::int32_t>(1 + random.below(12)), {}, {}};
  const double unit = std::pow(10.0, 3 - 9 * random.uniform());
  for (std::int32_t process = 0; process < run.processes; ++process)
    for (std::uint64_t i = 0; i <= random.below(6); ++i)
      run.phases.push_back(phase(process, i == 0 ? Kind::computation : static_cast<Kind>(random.below(3)),
                                 unit * random.exponential(),
                                 random.below(2) ? "" : "part" + std::to_string(random.below(3))));
  return run;
}

TEST(Overheads, IdentitiesHoldOnRandomRuns) {
  statistics::Random random(11);
  for (int round = 0; round < 500; ++round) {
    const causes::Run run = random_run(random);
    ASSERT_TRUE(check(Runs{{}, {run}, {}}).ok());
    const Sequential sequential{std::pow(10.0, 4 * random.uniform() - 2), Sequential::Basis::measured, 1};
    const Overheads x = overheads(run, sequential);
    double sum = 0, seconds = 0;
    for (const Overhead& overhead : x.phases) {
      sum += overhead.ratio;
      seconds += overhead.seconds;
      EXPECT_NEAR(overhead.ratio * sequential.seconds / overhead.seconds, 1, 1e-12);
      double by_process = 0;
      for (const double one : overhead.by_process) by_process += one;
      EXPECT_NEAR(by_process / overhead.seconds, 1, 1e-12);
    }
    EXPECT_NEAR(x.efficiency * sum, 1, 1e-12);
    EXPECT_NEAR(x.speedup / (run.processes * x.efficiency), 1, 1e-12);
    EXPECT_NEAR(x.speedup * x.parallel_seconds / sequential.seconds, 1, 1e-12);  // S = Tseq / Tpar
    EXPECT_NEAR(seconds / (run.processes * x.parallel_seconds), 1, 1e-12);
  }
}

TEST(Overheads, BothViewsSumToTheSameSeconds) {
  statistics::Random random(12);
  for (int round = 0; round < 500; ++round) {
    causes::Run run = random_run(random);
    const std::vector<double> useful = seconds_by_process(run, Kind::computation);
    const double most = *std::max_element(useful.begin(), useful.end());
    run.ideal_seconds = most + random.uniform() * (longest(run) - most);
    const auto pop = efficiencies(run);
    ASSERT_TRUE(pop.ok());
    const double total = run.processes * longest(run);
    EXPECT_NEAR((pop->useful_seconds + pop->imbalance_seconds + pop->communication_seconds) / total, 1,
                1e-12);
    EXPECT_NEAR((pop->useful_seconds + pop->imbalance_seconds + *pop->serialisation_seconds +
                 *pop->transfer_seconds) /
                    total,
                1, 1e-12);
    EXPECT_NEAR(pop->load_balance * pop->communication, pop->parallel, 1e-12);
    EXPECT_NEAR(*pop->serialisation * *pop->transfer, pop->communication, 1e-12);
    const Overheads x = overheads(run, {1, Sequential::Basis::measured, 1});
    EXPECT_NEAR(seconds_of(x, Kind::computation) / pop->useful_seconds, 1, 1e-12);
    EXPECT_NEAR(
        pop->parallel *
            (ratio_of(x, Kind::computation) + ratio_of(x, Kind::communication) + ratio_of(x, Kind::idle)) /
            ratio_of(x, Kind::computation),
        1, 1e-12);
  }
}

TEST(Overheads, WholeNanosecondsSumExactly) {
  // In units of 2^-30 s every sum is an integer, so that nothing is rounded.
  statistics::Random random(13);
  const auto whole = [&] { return static_cast<double>(random.below(1u << 30)) * 0x1p-30; };
  for (int round = 0; round < 100; ++round) {
    causes::Run run{{}, 8, {}, {}};
    for (std::int32_t process = 0; process < 8; ++process)
      for (const Kind kind : {Kind::computation, Kind::communication, Kind::idle})
        run.phases.push_back(phase(process, kind, whole()));
    const Overheads x = overheads(run, {1, Sequential::Basis::measured, 1});
    const auto pop = efficiencies(run);
    ASSERT_TRUE(pop.ok());
    const double phases =
        seconds_of(x, Kind::computation) + seconds_of(x, Kind::communication) + seconds_of(x, Kind::idle);
    EXPECT_EQ(phases, 8 * x.parallel_seconds);
    EXPECT_EQ(pop->useful_seconds + pop->imbalance_seconds + pop->communication_seconds, phases);
  }
}

// By hand: two processes, Tseq = 10. Process 0 computes 6 and sends 1, process 1 computes 4 and sends 2.
TEST(Overheads, UnequalEndsAreAPhaseOfTheirOwn) {
  const causes::Run run{{},
                        2,
                        {phase(0, Kind::computation, 6), phase(0, Kind::communication, 1),
                         phase(1, Kind::computation, 4), phase(1, Kind::communication, 2)},
                        {}};
  const Overheads x = overheads(run, {10, Sequential::Basis::measured, 1});
  ASSERT_EQ(x.phases.size(), 3u);
  EXPECT_EQ(to_string(x.phases[2].phase), "idle end");
  EXPECT_DOUBLE_EQ(x.phases[2].ratio, 0.1);
  EXPECT_DOUBLE_EQ(x.phases[2].by_process[1], 1);
  EXPECT_DOUBLE_EQ(ratio_of(x, Kind::computation), 1.0);
  EXPECT_DOUBLE_EQ(ratio_of(x, Kind::communication), 0.3);
  EXPECT_DOUBLE_EQ(x.speedup, 10.0 / 7);
  const auto pop = efficiencies(run);
  ASSERT_TRUE(pop.ok());
  EXPECT_DOUBLE_EQ(pop->load_balance, 5.0 / 6);
  EXPECT_DOUBLE_EQ(pop->communication, 6.0 / 7);
  EXPECT_DOUBLE_EQ(pop->parallel, 5.0 / 7);
  EXPECT_FALSE(pop->serialisation.has_value());
  const causes::Run alone{{}, 1, {phase(0, Kind::computation, 8)}, {}};
  EXPECT_DOUBLE_EQ(*efficiencies(run, &alone)->computation_scalability, 0.8);
}

TEST(Overheads, PhasesStandWithinThoseThatTheirNamesBeginWith) {
  const causes::Run run{
      {},
      1,
      {phase(0, Kind::computation, 1, "solve/inner"), phase(0, Kind::computation, 2, "solve/outer"),
       phase(0, Kind::computation, 3, "write"), phase(0, Kind::communication, 4),
       phase(0, Kind::communication, 5, "solve/inner")},
      {}};
  std::string rows;
  for (const OverheadRow& row : tree_of(overheads(run, {10, Sequential::Basis::measured, 1}))) {
    rows +=
        std::string(row.depth, '.') + row.name + " " + std::to_string(static_cast<int>(row.seconds)) + "; ";
    EXPECT_DOUBLE_EQ(row.ratio, row.seconds / 10);
  }
  EXPECT_EQ(
      rows,
      "computation 6; .solve 3; ..inner 1; ..outer 2; .write 3; communication 9; .solve 5; ..inner 5; ");
}

TEST(Overheads, ComputationMayTakeLessThanAlone) {
  causes::Run run{{}, 4, {}, {}};
  for (std::int32_t process = 0; process < 4; ++process)
    run.phases.push_back(phase(process, Kind::computation, 1.5));
  const Overheads x = overheads(run, {8, Sequential::Basis::measured, 1});
  EXPECT_DOUBLE_EQ(ratio_of(x, Kind::computation), 0.75);
  EXPECT_DOUBLE_EQ(x.speedup, 8 / 1.5);
}

TEST(Overheads, TheSequentialTimeIsMeasuredOrModelledAndSaysSo) {
  Runs runs;
  const auto add = [&](double n, std::int32_t p, double seconds) {
    causes::Run run{{{"n", n}}, p, {}, {}};
    for (std::int32_t process = 0; process < p; ++process)
      run.phases.push_back(phase(process, Kind::computation, seconds));
    runs.runs.push_back(run);
  };
  for (const double n : {10.0, 20.0, 40.0, 80.0}) add(n, 1, 1e-3 * n * n);
  add(10, 1, 0.2);
  add(10, 4, 1);
  add(160, 4, 1);
  const auto measured = sequential_of(runs, runs.runs[5]);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->basis, Sequential::Basis::measured);
  EXPECT_EQ(measured->runs, 2u);
  EXPECT_DOUBLE_EQ(measured->seconds, 0.15);
  runs.runs.erase(runs.runs.begin() + 4);
  const auto modelled = sequential_of(runs, runs.runs.back());
  ASSERT_TRUE(modelled);
  EXPECT_EQ(modelled->basis, Sequential::Basis::modelled);
  EXPECT_NEAR(modelled->seconds / 25.6, 1, 0.03);
  Runs few{{}, {runs.runs[0], runs.runs.back()}, {}};
  EXPECT_FALSE(sequential_of(few, few.runs.back()));
}

TEST(Overheads, AGridOfProcessesIsNoPartOfTheProblem) {
  Runs runs;
  const auto add = [&](double n, double rows, double columns, double seconds) {
    const auto p = static_cast<std::int32_t>(rows * columns);
    causes::Run run{{{"columns", columns}, {"n", n}, {"rows", rows}}, p, {}, {}};
    for (std::int32_t process = 0; process < p; ++process)
      run.phases.push_back(phase(process, Kind::computation, seconds));
    runs.runs.push_back(run);
  };
  add(10, 1, 1, 3);
  add(20, 1, 1, 7);
  add(20, 2, 3, 2);
  EXPECT_THAT(grid_parameters(runs), testing::ElementsAre("columns", "rows"));
  ASSERT_TRUE(sequential_of(runs, runs.runs[2]));
  EXPECT_EQ(sequential_of(runs, runs.runs[2])->seconds, 7);
  // Weak scaling: the size grows with the processes, but is not their number.
  Runs weak;
  for (const std::int32_t p : {1, 2, 4})
    weak.runs.push_back({{{"n", 100.0 * p}}, p, {phase(0, Kind::computation, 1)}, {}});
  EXPECT_TRUE(grid_parameters(weak).empty());
  EXPECT_FALSE(sequential_of(weak, weak.runs[2]));
}

TEST(Overheads, RunsThatCannotBeAreRefused) {
  const auto message = [](causes::Run run, std::vector<Variable> variables = {}) {
    const auto result = check(Runs{std::move(variables), {std::move(run)}, {}});
    return result.ok() ? std::string() : to_string(result.error());
  };
  EXPECT_EQ(message({{{"n", 3}}, 2, {phase(0, Kind::idle, 1)}, {}}),
            "n = 3, p = 2: error: only 1 of 2 processes have phases\n  give each process at least one row; "
            "runs at the same point need names of their own");
  EXPECT_NE(message({{}, 1, {phase(1, Kind::idle, 1)}, {}}).find("there is no process 1 among 1"),
            std::string::npos);
  EXPECT_NE(message({{}, 1, {phase(0, Kind::idle, -1)}, {}}).find("a phase takes -1 seconds"),
            std::string::npos);
  EXPECT_NE(message({{}, 1, {phase(0, Kind::idle, 0)}, {}}).find("a run takes no time"), std::string::npos);
  EXPECT_NE(message({{}, 1, {phase(0, Kind::idle, 1)}, {}}, {{"operations", Role::work}})
                .find("0 values of 1 variables"),
            std::string::npos);
  causes::Run run{{}, 1, {phase(0, Kind::communication, 1)}, {}};
  EXPECT_EQ(efficiencies(run).error().what, "no process computes");
  run.phases.push_back(phase(0, Kind::computation, 1));
  run.ideal_seconds = 3;
  EXPECT_EQ(efficiencies(run).error().what,
            "on an ideal network the run takes 3.00 s, which is not between its longest computing, 1.00 s, "
            "and its time, 2.00 s");
}

}  // namespace
}  // namespace parcast::causes
