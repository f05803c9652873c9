// SPDX-License-Identifier: Apache-2.0
// Runs of a store as measured values for fits.
#include "cli/stored_measurements.h"
#include "fit/fit.h"
#include "store/databases.h"

namespace parcast::store {
namespace {

using cli::StoredOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StoredRuns : public OnEachDatabase {
 protected:
  std::string refused(const Store& store, const Query& query, const StoredOptions& options = {}) {
    return error_of(cli::stored_measurements(store, query, options));
  }
};
ON_EACH_DATABASE(StoredRuns);

Measurement run(double n, int p, double seconds, const std::string& when = "", int repeat = 0) {
  Measurement out;
  out.program = "wave", out.machine = "here";
  out.point.parameters["N"] = n;
  out.point.processes = p;
  out.seconds = seconds, out.measured_at = when, out.repeat = repeat;
  return out;
}

// N^2 / p * 1e-4 s at 3 x 3 points.
std::vector<Measurement> grid() {
  std::vector<Measurement> runs;
  for (const double n : {100.0, 200.0, 400.0})
    for (const int p : {1, 2, 4}) runs.push_back(run(n, p, n * n / p * 1e-4));
  return runs;
}

TEST_P(StoredRuns, ArePointsOfTheirParametersAndRunsOfOnePointRepetitions) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements(grid()));
  ASSERT_TRUE(store.add_measurement(run(100, 1, 1.5, "2026-11-21", 1)));
  const auto loaded = cli::stored_measurements(store, {.program = "wave"}, {});
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_THAT(loaded->measured.parameters, ElementsAre("p", "N"));
  ASSERT_EQ(loaded->measured.kernels.size(), 1u);
  const fit::Kernel& kernel = loaded->measured.kernels[0];
  EXPECT_EQ(kernel.metric, "seconds");
  EXPECT_EQ(kernel.unit, "s");
  EXPECT_EQ(kernel.points.size(), 9u);
  EXPECT_THAT(kernel.points[0], ElementsAre(1, 100));
  EXPECT_THAT(kernel.values[0], testing::UnorderedElementsAre(1, 1.5));
  EXPECT_THAT(loaded->measured.warnings, IsEmpty());
}

TEST_P(StoredRuns, AreFittedAsATableOfThemIs) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements(grid()));
  const auto loaded = cli::stored_measurements(store, {.parameters = {{"N", {100, 400}}}}, {});
  ASSERT_TRUE(loaded) << error_of(loaded);
  const auto fits = fit::fit_all(loaded->measured, {.asked = {{16, 1600}}});
  ASSERT_TRUE(fits);
  // all values are exact
  EXPECT_NEAR(fits->kernels[0].predictions[0].value, 1600.0 * 1600 / 16 * 1e-4, 1e-6);
}

TEST_P(StoredRuns, OfSeveralProgramsOrMachinesAreRefused) {
  Store store = open();
  auto runs = grid();
  runs.push_back(run(1, 1, 1));
  runs.back().program = "heat";
  runs.push_back(run(800, 1, 1));
  runs.back().machine = "there";
  ASSERT_TRUE(store.add_measurements(runs));
  EXPECT_THAT(refused(store, {}), HasSubstr("2 programs: heat, wave"));
  EXPECT_THAT(refused(store, {.program = "wave"}), HasSubstr("2 machines: here, there"));
  EXPECT_EQ(refused(store, {.program = "wave", .machine = "here"}), "no error");
}

TEST_P(StoredRuns, OfARecordingAndOfAMachineGoTogetherAndThatIsSaid) {
  Store store = open();
  ASSERT_TRUE(store.add_recording("/w", small_recording()));  // N 64, dt 0.1, p 2, 1.75 s
  Measurement other = run(128, 4, 1);
  other.point.parameters["dt"] = 0.1;
  ASSERT_TRUE(store.add_measurements({other}));
  const auto loaded = cli::stored_measurements(store, {}, {{"N"}, false});
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_THAT(loaded->measured.warnings,
              testing::Contains(HasSubstr(
                  "(some processor, 2 cores) and measured runs the machine (here): taken as one machine")));
  EXPECT_THAT(loaded->measured.kernels[0].values, ElementsAre(ElementsAre(1.75), ElementsAre(1)));
}

TEST_P(StoredRuns, WithoutAParameterThatOthersHaveAreNamed) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements(grid()));
  Measurement without = run(100, 8, 1);
  without.point.parameters.clear();
  ASSERT_TRUE(store.add_measurement(without));
  const std::string text = refused(store, {});
  EXPECT_THAT(text, HasSubstr("1 of 10 runs has no N"));
  EXPECT_THAT(text, HasSubstr("-s N=A..B, or choose the parameters with --parameters p,..."));
  EXPECT_EQ(refused(store, {.parameters = {{"N", {}}}}), "no error");
  EXPECT_EQ(refused(store, {}, {{"p"}, false}), "no error");
}

TEST_P(StoredRuns, WhoseParametersMoveTogetherAreRefusedUnlessOneIsChosen) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements({run(100, 1, 1), run(200, 2, 1.1), run(400, 4, 1.3)}));
  EXPECT_THAT(refused(store, {}), HasSubstr("N moves together with p at all 3 points"));
  const auto chosen = cli::stored_measurements(store, {}, {{"p"}, false});
  ASSERT_TRUE(chosen);
  EXPECT_THAT(chosen->measured.parameters, ElementsAre("p"));
  EXPECT_THAT(chosen->measured.warnings, ElementsAre(HasSubstr("N varies and is left out")));
}

TEST_P(StoredRuns, WhereTheyRanCountsWhereItVaries) {
  Store store = open();
  auto placed = [](int p, int nodes, double seconds) {
    Measurement out = run(100, p, seconds);
    out.nodes = nodes, out.threads = 2;
    return out;
  };
  ASSERT_TRUE(
      store.add_measurements({placed(4, 1, 4), placed(4, 2, 3.5), placed(8, 2, 2.2), placed(8, 1, 2.6)}));
  const auto loaded = cli::stored_measurements(store, {}, {});
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_THAT(loaded->measured.parameters, ElementsAre("p", "N", "nodes"));
}

TEST_P(StoredRuns, ThatNobodyMadeOrParametersThatNobodyGaveAreSaid) {
  Store store = open();
  ASSERT_TRUE(store.add_measurements(grid()));
  EXPECT_THAT(refused(store, {.processes = Bounds{64, 128}}), HasSubstr("no run is meant"));
  EXPECT_THAT(refused(store, {}, {{"p", "M"}, false}), HasSubstr("no run has a parameter \"M\""));
  EXPECT_THAT(refused(store, {}, {{}, true}), HasSubstr("no recording of these runs lies where it was"));
}

}  // namespace
}  // namespace parcast::store
