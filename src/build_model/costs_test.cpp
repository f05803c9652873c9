// SPDX-License-Identifier: Apache-2.0
#include "fit_counts/costs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "build_model/build.h"
#include "model/binding.h"
#include "observations/testing/synthetic_runs.h"
#include "statistics/random.h"

namespace parcast::program {
namespace {

using recording::Recording;

constexpr int kSteps = 12;

/// Seconds of step `k` of a loop on one process.
using Time = std::function<double(double n, std::int32_t p, std::int32_t r, int k)>;

Recording timed(double n, std::int32_t processes, const Time& time) {
  return testing::record("timed", {{"n", n}}, processes, [&](testing::Tape& tape) {
    tape.collective("MPI_Barrier", 5, recording::Pattern::barrier, recording::kNoPeer, 0);
    for (int k = 0; k < kSteps; ++k) {
      tape.compute(time(n, processes, tape.rank(), k));
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
  });
}

Model model_of(const std::vector<Recording>& recordings) {
  auto model = build_model(recordings);
  EXPECT_TRUE(model);
  return model ? std::move(*model) : Model{};
}

// Returns the computing between two allreduces: all but the first step.
const Segment& step(const Model& model) {
  return *std::find_if(model.segments.begin(), model.segments.end(), [&](const Segment& s) {
    return s.from != kNone && s.from == s.to &&
           model.nodes[static_cast<std::size_t>(s.to)].label == "MPI_Allreduce";
  });
}

double seconds_at(const Model& model, const Cost& cost, double n, std::int32_t p, std::int32_t r = 0) {
  const auto binding = bind(model, {{{"n", n}}, p}, r);
  std::vector<double> point;
  for (const auto& argument : cost.arguments) point.push_back(symbolic::evaluate(argument, *binding).value());
  return cost.growth->predict(point);
}

bool has(const Model& model, const std::string& code) {
  return std::any_of(model.notices.begin(), model.notices.end(),
                     [&](const Notice& n) { return n.code == code; });
}

TEST(Costs, ATimeThatGrowsWithAParameterIsPredictedBeyondTheData) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2})
    for (const double n : {1000, 2000, 4000, 8000})
      recordings.push_back(timed(n, p, [](double m, auto, auto, auto) { return 3e-9 * m; }));
  const Model model = model_of(recordings);
  const Cost& cost = step(model).cost;
  EXPECT_EQ(cost.origin, Origin::fitted);
  EXPECT_NEAR(seconds_at(model, cost, 4000, 2), 12e-6, 0.01 * 12e-6);
  EXPECT_NEAR(seconds_at(model, cost, 32'000, 2), 96e-6, 0.03 * 96e-6);
  EXPECT_NEAR(cost.imbalance, 0, 1e-3);
  EXPECT_NEAR(cost.iteration_noise.noise, 0, 1e-6);
}

// Five sizes on one and two processes; one of the recordings took twice as long.
TEST(Costs, ARecordingThatSomethingSlowedChangesNoTime) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2})
    for (const double n : {400, 500, 600, 700, 800})
      recordings.push_back(timed(n, p, [&](double m, auto q, auto, auto) {
        return 1e-9 * m * m / q * (p == 2 && n == 600 ? 2 : 1);
      }));
  const Model model = model_of(recordings);
  EXPECT_TRUE(has(model, "slowed-run"));
  for (const Source& source : model.sources)
    EXPECT_EQ(source.slowed, source.processes == 2 && source.parameters.at("n") == 600);
  for (const double n : {400., 600., 800., 1600.})
    EXPECT_NEAR(seconds_at(model, step(model).cost, n, 4), 1e-9 * n * n / 4, .01e-9 * n * n / 4) << n;
}

TEST(Costs, ATimeThatProcessesShareFallsWithTheirNumber) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2})
    for (const double n : {200, 400, 800, 1600})
      recordings.push_back(timed(n, p, [](double m, auto q, auto, auto) { return 1e-9 * m * m / q; }));
  const Model model = model_of(recordings);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 800, 2), 320e-6, 0.01 * 320e-6);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 3200, 2), 5120e-6, 0.05 * 5120e-6);
}

TEST(Costs, ATimeSteeperThanTheCubeIsFollowedWhereNothingElseExplainsIt) {
  for (const double exponent : {4., 5.5}) {
    std::vector<Recording> recordings;
    for (const std::int32_t p : {1, 2})
      for (const double n : {20, 40, 80, 160})
        recordings.push_back(
            timed(n, p, [&](double m, auto q, auto, auto) { return 1e-13 * std::pow(m, exponent) / q; }));
    const Model model = model_of(recordings);
    EXPECT_NEAR(seconds_at(model, step(model).cost, 640, 2) / (0.5e-13 * std::pow(640, exponent)), 1, 0.02)
        << exponent;
  }
}

TEST(Costs, AJumpAtTheLargestSizeDoesNotGrowFasterThanTheCube) {
  // The largest of three close sizes no longer fits a cache: a steep power would pass through all points.
  statistics::Random random(7);
  for (const double jump : {2., 3., 4.}) {
    std::vector<Recording> recordings;
    for (const std::int32_t p : {1, 2})
      for (const double n : {360, 480, 600}) {
        const double seconds = 1e-5 * (n > 500 ? jump : 1) * (0.95 + 0.1 * random.uniform());
        recordings.push_back(timed(n, p, [&](auto, auto, auto, auto) { return seconds; }));
      }
    const Model model = model_of(recordings);
    const Cost& cost = step(model).cost;
    EXPECT_LE(seconds_at(model, cost, 2e6, 2) / seconds_at(model, cost, 1e6, 2), 8.01) << jump;
  }
}

// The smallest runs were disturbed, so a wait seems to grow as sizes fall.
TEST(Costs, BelowTheSmallestSizeATimeGrowsWithItsInverseAtMost) {
  std::vector<Recording> recordings;
  for (const double n : {128, 192, 288, 400})
    for (const std::int32_t p : {1, 2})
      for (const double chance : {0.97, 1.02, 1.01})
        recordings.push_back(timed(n, p, [&](auto, auto q, auto, auto) {
          return (5e-6 + q * 4e5 / std::pow(n, 4) * 0.1) * chance;
        }));
  const Model model = model_of(recordings);
  const Cost& cost = step(model).cost;
  for (const std::int32_t p : {1, 2})
    EXPECT_LE(seconds_at(model, cost, 64, p), 2.01 * seconds_at(model, cost, 128, p)) << p;
}

TEST(Costs, WhatOneProcessLeavesOutIsNoPowerOfTheirNumber) {
  std::vector<Recording> recordings;
  for (const double n : {24, 33, 46, 60})
    for (const std::int32_t p : {1, 2})
      recordings.push_back(timed(n, p, [](auto, auto q, auto, auto) { return q == 1 ? 30e-6 : 240e-6; }));
  const Model two = model_of(recordings);
  EXPECT_NEAR(seconds_at(two, step(two).cost, 46, 1), 30e-6, 1e-6);
  EXPECT_NEAR(seconds_at(two, step(two).cost, 46, 2), 240e-6, 5e-6);
  EXPECT_NEAR(seconds_at(two, step(two).cost, 46, 16), 240e-6, 5e-6);
  // Four process counts permit a quadratic term, the number of all pairs of processes.
  for (const double n : {24, 46})
    for (const std::int32_t p : {1, 2, 3, 4})
      recordings.push_back(timed(n, p, [](auto, auto q, auto, auto) { return 2e-6 * q * q; }));
  recordings.erase(recordings.begin(), recordings.begin() + 8);
  for (Recording& each : recordings) each.cores_per_host = 4;
  const Model four = model_of(recordings);
  EXPECT_NEAR(seconds_at(four, step(four).cost, 46, 16), 512e-6, 0.2 * 512e-6);
}

TEST(Costs, OneRecordingIsAMeasurementThatNothingScales) {
  const Model model = model_of({timed(100, 2, [](auto, auto, auto, auto) { return 5e-6; })});
  const Cost& cost = step(model).cost;
  EXPECT_EQ(cost.origin, Origin::measured);
  EXPECT_NEAR(seconds_at(model, cost, 100, 2), 5e-6, 1e-12);
  EXPECT_NEAR(seconds_at(model, cost, 100'000, 2), 5e-6, 1e-12);
}

TEST(Costs, CountsComeFromCrowdedRecordingsAndTimesFromUndisturbedOnes) {
  // Two cores: from p = 3 on processes take turns, and their times are three times too long.
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4, 6})
    for (const double n : {1000, 2001, 4000, 8003})
      recordings.push_back(
          timed(n, p, [](double m, auto q, auto, auto) { return (q > 2 ? 3 : 1) * 2e-9 * m; }));
  const Model model = model_of(recordings);
  EXPECT_EQ(step(model).executions.origin, Origin::exact);
  for (const double n : {1000, 4000, 8000})
    EXPECT_NEAR(seconds_at(model, step(model).cost, n, 2), 2e-9 * n, 0.01 * 2e-9 * n);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 4000, 6), 8e-6, 0.05 * 8e-6);
  EXPECT_FALSE(has(model, "crowded-costs"));
}

TEST(Costs, NothingIsFittedAgainstAParameterThatNeverVariedWhereItRan) {
  // Only small problems are checked: 100 us shared by the processes, recorded only at n = 100.
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4})
    for (const double n : {100, 210, 430}) {
      Recording recording = testing::record("checked", {{"n", n}}, p, [&](testing::Tape& tape) {
        for (int k = 0; k < kSteps; ++k) {
          tape.compute(1e-9 *
                       static_cast<double>(testing::block(static_cast<std::int64_t>(n), p, tape.rank())));
          tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
        for (int k = 0; n == 100 && k < kSteps; ++k) {
          tape.compute(100e-6 / p);
          tape.collective("MPI_Barrier", 20, recording::Pattern::barrier, recording::kNoPeer, 0);
        }
        tape.collective(
            "MPI_Gather", 30, recording::Pattern::gather, 0,
            static_cast<std::uint64_t>(8 * testing::block(static_cast<std::int64_t>(n), p, tape.rank())));
      });
      recording.cores_per_host = 16;
      recordings.push_back(std::move(recording));
    }
  const Model model = model_of(recordings);
  const auto checked = std::find_if(model.segments.begin(), model.segments.end(), [&](const Segment& s) {
    return s.from != kNone && s.from == s.to &&
           model.nodes[static_cast<std::size_t>(s.to)].label == "MPI_Barrier";
  });
  ASSERT_NE(checked, model.segments.end());
  EXPECT_NEAR(seconds_at(model, checked->cost, 100, 4), 25e-6, 1e-6);
  EXPECT_NEAR(seconds_at(model, checked->cost, 400, 4), seconds_at(model, checked->cost, 100, 4), 1e-9);
}

// Twice the levels mean sixteen times the cells. No power of the five levels is that steep, but each is
// better than none.
TEST(Costs, ATimeThatGrowsExponentiallyIsFollowedAsFarAsPowersGo) {
  std::vector<Recording> recordings;
  for (const double n : {3, 4, 5, 6, 7, 8})
    recordings.push_back(timed(n, 2, [](double m, auto, auto, auto) { return 1e-7 * std::pow(4, m); }));
  const Model model = model_of(recordings);
  EXPECT_GT(seconds_at(model, step(model).cost, 8, 2), 0.2 * 1e-7 * std::pow(4, 8));
  EXPECT_GT(seconds_at(model, step(model).cost, 9, 2), seconds_at(model, step(model).cost, 8, 2));
}

TEST(Costs, ATimeThatNoFormulaGivesIsSaidToBeMissed) {
  std::vector<Recording> recordings;
  for (const double n : {3, 4, 5, 6, 7, 8})
    recordings.push_back(
        timed(n, 2, [](double m, auto, auto, auto) { return static_cast<int>(m) % 2 == 0 ? 1e-6 : 80e-6; }));
  const Model model = model_of(recordings);
  const auto said = std::ranges::find(model.notices, "missed-costs", &Notice::code);
  ASSERT_NE(said, model.notices.end());
  EXPECT_THAT(said->text, ::testing::HasSubstr("of the computing time fits no growth law"));
}

TEST(Costs, TimesKnownOnlyFromCrowdedRecordingsAreSaid) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {3, 4, 6})
    for (const double n : {1000, 2000, 4000})
      recordings.push_back(timed(n, p, [](double m, auto, auto, auto) { return 2e-9 * m; }));
  const Model crowded = model_of(recordings);
  const auto said = std::ranges::find(crowded.notices, "crowded-costs", &Notice::code);
  ASSERT_NE(said, crowded.notices.end());
  EXPECT_EQ(said->text,
            "100 % of the computing time is known only from recordings with more processes than cores");
}

TEST(Costs, TimesThatRestOnCrowdedRecordingsAmongOthersAreSaidToDoSo) {
  // on two cores, only recordings of three and more processes show how times change with p
  std::vector<Recording> recordings;
  for (const std::int32_t p : {2, 3, 4})
    for (const double n : {1000, 2000, 4000})
      recordings.push_back(timed(n, p, [](double m, auto, auto, auto) { return 2e-9 * m; }));
  const Model model = model_of(recordings);
  const auto said = std::ranges::find(model.notices, "crowded-costs", &Notice::code);
  ASSERT_NE(said, model.notices.end());
  EXPECT_THAT(said->text, ::testing::HasSubstr("rests partly on recordings with more processes than cores"));
}

/// A plate of nx x ny points on a grid of processes with halos on all sides. The host has two cores.
Recording plate(int nx, int ny, std::int32_t processes, const std::function<double(double)>& seconds_of) {
  const auto extents = balanced_dimensions(processes, 2);
  Recording recording =
      testing::record("plate", {{"nx", nx}, {"ny", ny}}, processes, [&](testing::Tape& tape) {
        const std::int32_t rows = extents[0], columns = extents[1];
        const std::int32_t i = tape.rank() / columns, j = tape.rank() % columns;
        const auto at = [&](std::int32_t a, std::int32_t b) {
          return ((a + rows) % rows) * columns + (b + columns) % columns;
        };
        const auto lx = static_cast<std::uint64_t>(testing::block(nx, rows, i)),
                   ly = static_cast<std::uint64_t>(testing::block(ny, columns, j));
        tape.call("MPI_Cart_create", 20, recording::CallClass::communicator);
        for (int k = 0; k < kSteps; ++k) {
          tape.exchange(50, {at(i - 1, j), 8 * ly}, {at(i + 1, j), 8 * ly});
          tape.exchange(54, {at(i, j - 1), 8 * lx}, {at(i, j + 1), 8 * lx});
          tape.compute(seconds_of(static_cast<double>(lx * ly)));
          tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
      });
  testing::add_grid(recording, extents);
  return recording;
}

double plate_seconds(const Model& model, double nx, double ny, std::int32_t p) {
  for (const Segment& s : model.segments) {
    if (s.to == kNone || model.nodes[static_cast<std::size_t>(s.to)].label != "MPI_Allreduce") continue;
    const auto binding = bind(model, {{{"nx", nx}, {"ny", ny}}, p}, 0);
    std::vector<double> point;
    for (const auto& argument : s.cost.arguments)
      point.push_back(symbolic::evaluate(argument, *binding).value());
    return s.cost.growth->predict(point);
  }
  return NAN;
}

// One and two processes divide nx only: ny and its part are the same there. Sixteen divide both by four.
TEST(Costs, ABlockOfDifferentParametersIsAMeasureOfWork) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 4, 9})
    for (const auto& [nx, ny] : {std::pair{96, 110}, {143, 96}, {203, 250}})
      recordings.push_back(plate(nx, ny, p, [](double points) { return 1e-6 + 4e-9 * points; }));
  const Model model = model_of(recordings);
  const double expected = 1e-6 + 4e-9 * 250 * 300;
  EXPECT_NEAR(plate_seconds(model, 1000, 1200, 16), expected, 0.03 * expected);
  EXPECT_FALSE(has(model, "crowded-misses"));
}

// The largest run on two processes takes twice as long as others for a point: memory that both share, or
// chance. The cube of one side passes it, but a plate has no more work than points.
TEST(Costs, TimesGrowNoFasterThanTheDataUnlessThatIsClear) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 4})
    for (const int n : {210, 347, 500}) {
      const double chance = p == 2 && n == 500 ? 2 : n == 347 ? 1.2 : 1;
      recordings.push_back(plate(n, n, p, [&](double points) { return chance * 4e-9 * points; }));
    }
  const Model model = model_of(recordings);
  const double expected = 4e-9 * 1500 * 1500 / 2;
  EXPECT_GT(plate_seconds(model, 1500, 1500, 2), 0.8 * expected);
  EXPECT_LT(plate_seconds(model, 1500, 1500, 2), 2.2 * expected);
}

// Times that are equal at one and two processes leave no law that is five times as long at four.
TEST(Costs, RecordingsWithMoreProcessesThanCoresThatNoLawGivesAreReported) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 4, 9})
    for (const double n : {1000, 2001, 4000})
      recordings.push_back(
          timed(n, p, [](double m, auto q, auto, auto) { return (q > 2 ? 5.0 : 1.0) * 2e-9 * m; }));
  const Model model = model_of(recordings);
  const auto noted = std::ranges::find(model.notices, "crowded-misses", &Notice::code);
  ASSERT_NE(noted, model.notices.end());
  EXPECT_THAT(noted->text, ::testing::HasSubstr("by these factors: 5.0 at p = 4, 5.0 at p = 9"));
}

// Sweeps until the values of n x n points change by less than 1e-4 (counted, as in data_decided_test.cpp).
TEST(Costs, ALoopUntilConvergenceIsNamed) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2})
    for (const auto& [n, sweeps] :
         {std::pair{20, 197}, {25, 274}, {31, 374}, {40, 531}, {50, 710}, {63, 936}, {80, 1205}, {90, 1346}})
      recordings.push_back(testing::record("sweeps", {{"n", n}}, p, [&](testing::Tape& tape) {
        for (int k = 0; k < sweeps; ++k) {
          tape.compute(1e-9 * n * n);
          tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
      }));
  const Model model = model_of(recordings);
  const auto noted = std::ranges::find(model.notices, "data-decided", &Notice::code);
  ASSERT_NE(noted, model.notices.end());
  EXPECT_THAT(noted->text, ::testing::HasSubstr("no formula gives how often the loop at"));
  EXPECT_FALSE(has(model_of({timed(100, 2, [](auto, auto, auto, auto) { return 5e-6; })}), "data-decided"));
}

TEST(Costs, AReservedShareOfACoreIsASlowerProcessor) {
  Recording recording = timed(100, 2, [](auto, auto, auto, auto) { return 5e-6; });
  for (auto& rank : recording.ranks) rank.processor_share = 0.05;
  const Model model = model_of({recording});
  EXPECT_NEAR(seconds_at(model, step(model).cost, 100, 2), 100e-6, 1e-11);
  EXPECT_TRUE(model.sources[0].reserved);
}

TEST(Costs, APersistentDifferenceBetweenRanksIsImbalance) {
  // 1 and 2: the mean is 1.5, and the slowest is a third above it.
  const Model model = model_of({timed(100, 2, [](auto, auto, auto r, auto) { return 1e-5 * (1 + r); })});
  EXPECT_NEAR(step(model).cost.imbalance, 1.0 / 3, 1e-9);
  EXPECT_NEAR(step(model).cost.iteration_noise.noise, 0, 1e-9);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 100, 2), 1.5e-5, 1e-11);
}

/// Returns the cost of a segment on two ranks that takes 1 and 2 units, `executions` times. Its work, if
/// counted, is the same on both.
Cost cost_of_unequal(int executions, const std::optional<CostBuilder::KnownWork>& work) {
  Traces traces;
  traces.transitions.emplace_back();
  for (const std::int32_t rank : {0, 1}) {
    Trace& trace = traces.traces.emplace_back(Trace{.run = 0, .rank = rank, .complete = true});
    TransitionTotals& totals = trace.transitions[0];
    totals.traversals = executions;
    totals.time = summarise(
        std::vector<Sample>(static_cast<std::size_t>(executions), Sample{10'000 * (1 + rank), false}));
  }
  CostBuilder::RunInfo run;
  run.run.processes = 2, run.run.parameters = {100};
  return CostBuilder({"n"}, {run}, {}, {}, traces).build(0, true, work).cost;
}

TEST(Costs, OfASingleExecutionWhatCountedWorkDoesNotTellIsChance) {
  const symbolic::Expression work = symbolic::symbol("n", symbolic::SymbolKind::parameter);
  EXPECT_NEAR(cost_of_unequal(1, {}).imbalance, 1.0 / 3, 1e-9);
  EXPECT_EQ(cost_of_unequal(1, CostBuilder::KnownWork{work}).imbalance, 0);
  EXPECT_NEAR(cost_of_unequal(12, CostBuilder::KnownWork{work}).imbalance, 1.0 / 3, 1e-9);
}

TEST(Costs, OfCountedWorkThePartThatNothingTiesToTheParametersIsKept) {
  const symbolic::Expression work = symbolic::symbol("n", symbolic::SymbolKind::parameter);
  const Cost sure = cost_of_unequal(12, CostBuilder::KnownWork{work}),
             unsure = cost_of_unequal(12, CostBuilder::KnownWork{work, .25, .5});
  EXPECT_EQ(sure.unsure, 0);
  EXPECT_EQ(unsure.unsure, .75);
  EXPECT_DOUBLE_EQ(sure.growth->relative_error_per_doubling, .02);
  EXPECT_DOUBLE_EQ(unsure.growth->relative_error_per_doubling, std::hypot(.02, .5 * .06));
  EXPECT_EQ(cost_of_unequal(12, {}).unsure, 0);
}

TEST(Costs, OtherFormulasOfCountedWorkAreKept) {
  const symbolic::Expression work = symbolic::symbol("n", symbolic::SymbolKind::parameter);
  const Cost cost = cost_of_unequal(
      12, CostBuilder::KnownWork{work, 0, 0, {work / 100}, "a recording at p = 2, n = 101 would tell"});
  ASSERT_EQ(cost.alternatives.size(), 1u);
  EXPECT_EQ(cost.alternatives[0], work / 100);
  EXPECT_EQ(cost.advice, "a recording at p = 2, n = 101 would tell");
}

/// Returns the cost of a segment that takes 1 us for each of n, and 30 % more in runs with few steps.
/// `repeats`: the steps are its repetitions.
Cost cost_of_steps(bool repeats) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  for (const int n : {100, 200, 400})
    for (const int steps : {10, 20, 80}) {
      Trace& trace = traces.traces.emplace_back(Trace{.run = runs.size(), .rank = 0, .complete = true});
      TransitionTotals& totals = trace.transitions[0];
      totals.traversals = steps;
      totals.time = summarise(std::vector<Sample>(static_cast<std::size_t>(steps),
                                                  Sample{1000 * n * (steps == 10 ? 13 : 10) / 10, false}));
      CostBuilder::RunInfo run;
      run.run.processes = 1, run.run.parameters = {static_cast<double>(n), static_cast<double>(steps)};
      runs.push_back(run);
    }
  return CostBuilder({"n", "steps"}, runs, {}, {}, traces).build(0, true, {}, {false, repeats}).cost;
}

TEST(Costs, OfOneRepetitionDoNotDependOnTheirNumber) {
  const auto takes_steps = [](const Cost& cost) {
    return std::ranges::any_of(cost.arguments, [](const symbolic::Expression& argument) {
      return symbolic::to_text(argument).find("steps") != std::string::npos;
    });
  };
  EXPECT_TRUE(takes_steps(cost_of_steps(false)));
  const Cost cost = cost_of_steps(true);
  EXPECT_FALSE(takes_steps(cost));
  ASSERT_EQ(cost.arguments.size(), 1u);
  EXPECT_NEAR(cost.growth->predict(std::vector<double>{800}), 8.8e-4, 0.8e-4);
}

/// Returns the cost of 20 to 90 ns between two calls in six runs of sizes n, in which checks = 7 or 10 by
/// turns. The times follow neither: their noise is as large as they are.
Cost cost_of_noise(bool major) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  const std::int64_t nanoseconds[] = {22, 88, 20, 85, 26, 90};
  for (const int n : {100, 110, 130, 150, 170, 200}) {
    const std::size_t k = runs.size();
    Trace& trace = traces.traces.emplace_back(Trace{.run = k, .rank = 0, .complete = true});
    trace.transitions[0].traversals = 1;
    trace.transitions[0].time = summarise(std::vector<Sample>{{nanoseconds[k], false}});
    CostBuilder::RunInfo run;
    run.run.processes = 1, run.run.parameters = {static_cast<double>(n), k % 2 == 0 ? 7.0 : 10.0};
    runs.push_back(run);
  }
  CostBuilder costs({"n", "checks"}, runs, {}, {}, traces);
  costs.expect_growth({"n"}, 2);
  return costs.build(0, major).cost;
}

// With checks^4 a run of checks = 100 would have these 50 ns as 800 us, and its fit 3 % error.
TEST(Costs, OfAShortSegmentFollowNoParameterThatNoDataConsistOf) {
  const Cost cost = cost_of_noise(false);
  const symbolic::Binding at{{"n", 400}, {"checks", 100}, {"p", 1}};
  std::vector<double> point;
  for (const symbolic::Expression& argument : cost.arguments) {
    EXPECT_EQ(symbolic::to_text(argument).find("checks"), std::string::npos);
    point.push_back(*symbolic::evaluate(argument, at));
  }
  EXPECT_LT(cost.growth->predict(point), 2e-6);
}

// Other work lengthened single times on a busy host: n^2 leaves half of them unexplained, n^6 a third. It
// would have a run of 22 times the size take hours.
TEST(Costs, OfScatteredTimesAreNoSteepPower) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  const std::int64_t nanoseconds[] = {14345, 13421, 79737, 319075, 20454, 20720, 32685, 104874};
  for (const int p : {1, 2})
    for (const int n : {96, 143, 203, 288}) {
      Trace& trace = traces.traces.emplace_back(Trace{.run = runs.size(), .rank = 0, .complete = true});
      trace.transitions[0].traversals = 1;
      trace.transitions[0].time = summarise(std::vector<Sample>{{nanoseconds[runs.size()], false}});
      CostBuilder::RunInfo run;
      run.run.processes = p, run.run.parameters = {static_cast<double>(n)};
      runs.push_back(run);
    }
  CostBuilder costs({"n"}, runs, {}, {}, traces);
  costs.expect_growth({"n"}, 2);
  const Cost cost = costs.build(0, true).cost;
  const symbolic::Binding at{{"n", 6400}, {"p", 1}};
  std::vector<double> point;
  for (const symbolic::Expression& argument : cost.arguments)
    point.push_back(*symbolic::evaluate(argument, at));
  EXPECT_LT(cost.growth->predict(point), 319e-6 * std::pow(6400. / 288, 3));
}

// The loop over the steps has no call, so one execution takes steps x n^3 x 1 ns.
TEST(Costs, OfALoopWithoutCallsGrowWithTheCubeAndTheSteps) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  const auto add = [&](double n, double steps) {
    Trace& trace = traces.traces.emplace_back(Trace{.run = runs.size(), .rank = 0, .complete = true});
    trace.transitions[0].traversals = 1;
    trace.transitions[0].time =
        summarise(std::vector<Sample>{{static_cast<std::int64_t>(n * n * n * steps), false}});
    CostBuilder::RunInfo run;
    run.run.processes = 1, run.run.parameters = {n, steps};
    runs.push_back(run);
  };
  for (const double n : {80, 100, 120}) add(n, 40);
  add(80, 80);
  const Cost cost = CostBuilder({"n", "steps"}, runs, {}, {}, traces).build(0, true).cost;
  const symbolic::Binding at{{"n", 240}, {"steps", 80}};
  std::vector<double> point;
  for (const symbolic::Expression& argument : cost.arguments)
    point.push_back(symbolic::evaluate(argument, at).value());
  EXPECT_NEAR(cost.growth->predict(point), 240. * 240 * 240 * 80 * 1e-9, 0.01);
}

TEST(Costs, ResidentBytesDoNotDependOnNumbersOfIterations) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  std::vector<double> bytes;
  for (const int n : {100, 200, 400})
    for (const int steps : {10, 20, 80}) {
      traces.traces.push_back(Trace{.run = runs.size(), .rank = 0, .complete = true});
      CostBuilder::RunInfo run;
      run.run.processes = 1, run.run.parameters = {static_cast<double>(n), static_cast<double>(steps)};
      runs.push_back(run);
      bytes.push_back(1e6 + 16.0 * n * n * (steps == 10 ? 1.3 : 1));
    }
  const CostBuilder builder({"n", "steps"}, runs, {}, {}, traces);
  const auto arguments_of = [](const Residence& of) {
    std::string text;
    for (const auto& argument : of.arguments) text += symbolic::to_text(argument) + " ";
    return text;
  };
  EXPECT_NE(arguments_of(builder.residence(bytes)).find("steps"), std::string::npos);
  const Residence of_data = builder.residence(bytes, {false, true});
  EXPECT_EQ(arguments_of(of_data).find("steps"), std::string::npos);
  EXPECT_NEAR(of_data.growth.predict(std::vector<double>{800}), 1e6 + 16 * 1.1 * 800 * 800, 2e6);
}

// Work from 100,100 to 100,400, times from 11.5 to 16 us. At n = 4000 the line gives 70 us; a power of 109 of
// the work, which fits equally well, gives 730 us.
TEST(Costs, WorkThatIsNearlyTheSameEverywhereTellsNoPower) {
  Traces traces;
  traces.transitions.emplace_back();
  std::vector<CostBuilder::RunInfo> runs;
  for (const int n : {100, 200, 400}) {
    Trace& trace = traces.traces.emplace_back(Trace{.run = runs.size(), .rank = 0, .complete = true});
    TransitionTotals& totals = trace.transitions[0];
    totals.traversals = 12;
    totals.time = summarise(std::vector<Sample>(12, Sample{10'000 + 15 * n, false}));
    CostBuilder::RunInfo run;
    run.run.processes = 1, run.run.parameters = {static_cast<double>(n)};
    runs.push_back(run);
  }
  const symbolic::Expression work = symbolic::symbol("n", symbolic::SymbolKind::parameter) + 100'000;
  const Cost cost =
      CostBuilder({"n"}, runs, {}, {}, traces).build(0, true, CostBuilder::KnownWork{work}).cost;
  std::vector<double> at;
  for (const symbolic::Expression& argument : cost.arguments)
    at.push_back(symbolic::evaluate(argument, {{"n", 4000}, {"p", 1}}).value());
  EXPECT_NEAR(cost.growth->predict(at), 70e-6, 20e-6);
}

// 100 rounds of ever fewer steps take from 200 us down to 2 us, and one is disturbed: their mean is uncertain
// by a third, and nothing else than the work fits better.
TEST(Costs, OneRunWithRoundsThatDifferGrowsWithItsWork) {
  Traces traces;
  traces.transitions.emplace_back();
  Trace& trace = traces.traces.emplace_back(Trace{.run = 0, .rank = 0, .complete = true});
  TransitionTotals& totals = trace.transitions[0];
  std::vector<Sample> rounds(100);
  for (int k = 0; k < 100; ++k) rounds[static_cast<std::size_t>(k)] = {2'000 * (100 - k), false};
  rounds[50].nanoseconds = 4'000'000;
  totals.traversals = 100;
  totals.time = summarise(rounds);
  CostBuilder::RunInfo run;
  run.run.processes = 1, run.run.parameters = {100};
  const symbolic::Expression n = symbolic::symbol("n", symbolic::SymbolKind::parameter);
  const CostBuilder costs({"n"}, {run}, {}, {}, traces);
  const Cost cost = costs.build(0, true, CostBuilder::KnownWork{n * n}).cost;
  ASSERT_EQ(cost.arguments, std::vector{n * n});
  const double small = cost.growth->predict(std::vector<double>{1e4});
  EXPECT_NEAR(cost.growth->predict(std::vector<double>{4e4}), 4 * small, 1e-9 * small);
}

TEST(Costs, ADifferenceThatTheShareOfRowsExplainsIsNoImbalance) {
  std::vector<Recording> recordings;
  for (const std::int32_t p : {1, 2, 3, 4, 6, 8, 9})
    for (const int n : {33, 47, 65, 101, 139, 203}) {
      Recording recording = testing::record("rows", {{"n", n}}, p, [&](testing::Tape& tape) {
        const auto rows = testing::block(n, p, tape.rank());
        for (int k = 0; k < kSteps; ++k) {
          tape.compute(1e-6 * static_cast<double>(rows));
          tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
        }
        tape.collective("MPI_Gather", 20, recording::Pattern::gather, 0,
                        static_cast<std::uint64_t>(8 * rows));
      });
      recording.cores_per_host = 16;
      recordings.push_back(std::move(recording));
    }
  const Model model = model_of(recordings);
  EXPECT_NEAR(step(model).cost.imbalance, 0, 0.005);
  // 203 rows over 6: 34 or 33.
  EXPECT_NEAR(seconds_at(model, step(model).cost, 203, 6, 0), 34e-6, 0.2e-6);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 203, 6, 5), 33e-6, 0.2e-6);
}

TEST(Costs, AFirstExecutionThatStandsOutIsNotPartOfTheMean) {
  // The segment between allreduces is first executed in step 1.
  const Model model = model_of({timed(100, 2, [](auto, auto, auto, int k) { return k == 1 ? 4e-6 : 1e-6; })});
  EXPECT_NEAR(step(model).cost.first_excess, 3, 1e-9);
  EXPECT_NEAR(seconds_at(model, step(model).cost, 100, 2), 1e-6, 1e-12);
}

TEST(Costs, NoiseBetweenIterationsIsNoImbalance) {
  testing::Numbers numbers(6);
  const Model model = model_of({testing::record("timed", {{"n", 1}}, 2, [&](testing::Tape& tape) {
    for (int k = 0; k < 2000; ++k) {
      tape.compute(1e-5 * (0.9 + 0.2 * numbers.uniform()));
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
  })});
  EXPECT_NEAR(step(model).cost.iteration_noise.noise, 0.2 / std::sqrt(12), 0.01);
  EXPECT_LT(step(model).cost.imbalance, 0.005);
}

TEST(Costs, SharesAreThoseOfTheComputingTime) {
  // 12 steps of 1 us; 36 us before the finalisation.
  const Model model = model_of({testing::record("shares", {}, 1, [](testing::Tape& tape) {
    for (int k = 0; k < 12; ++k) {
      tape.compute(1e-6);
      tape.collective("MPI_Allreduce", 10, recording::Pattern::allreduce, recording::kNoPeer, 8);
    }
    tape.compute(36e-6);
  })});
  ASSERT_EQ(model.segments.size(), 3u);
  EXPECT_NEAR(model.segments[0].share, 1.0 / 48, 1e-12);
  EXPECT_NEAR(model.segments[1].share, 11.0 / 48, 1e-12);
  EXPECT_NEAR(model.segments[2].share, 36.0 / 48, 1e-12);
}

}  // namespace
}  // namespace parcast::program
