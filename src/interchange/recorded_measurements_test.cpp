// SPDX-License-Identifier: Apache-2.0
// Runs made by hand, so that every number can be checked on paper. A call takes 1 us; so do MPI_Finalize and
// region marks.
#include "interchange/recorded_measurements.h"

#include <gmock/gmock.h>

#include "interchange/measurements.h"
#include "observations/testing/synthetic_runs.h"

namespace parcast::interchange {
namespace {

using program::testing::Tape;
using testing::ElementsAre;
using testing::HasSubstr;

using Points = std::vector<std::vector<double>>;

recording::Recording run(std::int32_t processes, double n, double solve = 4) {
  return program::testing::record("app", {{"n", n}}, processes, [&](Tape& tape) {
    tape.compute(1);
    tape.begin("main");
    tape.compute(2.0 * (tape.rank() + 1));
    if (tape.processes() > 1) tape.send(1, 1 - tape.rank(), 100);
    tape.begin("solve");
    tape.compute(solve);
    tape.collective("MPI_Allreduce", 2, recording::Pattern::allreduce, 0, 8);
    tape.end();
    tape.compute(0.5);
    tape.end();
  });
}

const fit::Kernel* kernel_of(const fit::Measurements& m, const std::string& callpath,
                             const std::string& metric) {
  for (const fit::Kernel& kernel : m.kernels)
    if (kernel.callpath == callpath && kernel.metric == metric) return &kernel;
  return nullptr;
}

void expect_values(const fit::Measurements& m, const std::string& callpath, const std::string& metric,
                   const Points& values) {
  const fit::Kernel* kernel = kernel_of(m, callpath, metric);
  ASSERT_NE(kernel, nullptr) << callpath << " " << metric;
  ASSERT_EQ(kernel->values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(kernel->values[i].size(), values[i].size());
    for (std::size_t r = 0; r < values[i].size(); ++r)
      EXPECT_NEAR(kernel->values[i][r], values[i][r], 1e-10) << callpath << " " << metric;
  }
}

TEST(RecordedMeasurements, RegionsAddUpToTheProgramWithoutInitFinalizeAndMarks) {
  const auto m = measurements_of({run(2, 10), run(1, 10)});
  ASSERT_TRUE(m) << to_string(m.error());
  EXPECT_THAT(m->parameters, ElementsAre("p", "n"));
  EXPECT_EQ(m->kernels.front().points, (Points{{1, 10}, {2, 10}}));
  expect_values(*m, "", "seconds", {{7.500006}, {8.500007}});
  expect_values(*m, "", "longest", {{7.500006}, {9.500007}});
  expect_values(*m, "", "calls", {{1}, {2}});
  expect_values(*m, "", "messages", {{0}, {1}});
  expect_values(*m, "", "bytes", {{8}, {108}});
  expect_values(*m, "-", "seconds", {{1}, {1}});
  expect_values(*m, "main", "seconds", {{2.5}, {3.500001}});
  expect_values(*m, "main", "longest", {{2.5}, {4.500001}});
  expect_values(*m, "main", "bytes", {{0}, {100}});
  expect_values(*m, "main->solve", "seconds", {{4.000001}, {4.000001}});
  expect_values(*m, "main->solve", "bytes", {{8}, {8}});
  EXPECT_EQ(kernel_of(*m, "main->solve", "messages"), nullptr) << "0 in every run";
  EXPECT_EQ(kernel_of(*m, "-", "calls"), nullptr);
  EXPECT_EQ(kernel_of(*m, "main", "seconds")->unit, "s");
  EXPECT_EQ(kernel_of(*m, "main", "longest")->unit, "s");
  EXPECT_EQ(kernel_of(*m, "main", "longest")->largest_of, "seconds");
  EXPECT_EQ(kernel_of(*m, "main", "seconds")->largest_of, "");
  EXPECT_TRUE(check(*m));
}

TEST(RecordedMeasurements, RunsOfOnePointAreRepetitionsAndACopyIsNone) {
  auto again = run(2, 10, 5);
  again.digest += " again";
  const auto m = measurements_of({run(2, 10), again, run(2, 10)});
  ASSERT_TRUE(m);
  expect_values(*m, "main->solve", "seconds", {{4.000001, 5.000001}});
  ASSERT_EQ(m->warnings.size(), 1u);
  EXPECT_THAT(m->warnings[0], HasSubstr("was given more than once and is used once"));
}

TEST(RecordedMeasurements, ARegionThatARunDidNotEnterTookNoTimeThere) {
  const auto without = program::testing::record("app", {{"n", 20}}, 1, [](Tape& tape) {
    tape.compute(3), tape.collective("MPI_Barrier", 1, recording::Pattern::barrier, 0, 0);
  });
  const auto m = measurements_of({run(1, 10), without});
  ASSERT_TRUE(m) << to_string(m.error());
  expect_values(*m, "main", "seconds", {{2.5}, {0}});
  expect_values(*m, "-", "seconds", {{1}, {3.000001}});
  const auto alone = measurements_of({without});
  for (const fit::Kernel& kernel : alone->kernels)
    EXPECT_EQ(kernel.callpath, "") << "without regions the program is the only place";
}

TEST(RecordedMeasurements, CrowdedRunsAndOtherProgramsAreSaid) {
  const auto crowded = measurements_of({run(3, 10), run(1, 10)});
  ASSERT_TRUE(crowded);
  EXPECT_THAT(crowded->warnings, ElementsAre(HasSubstr("1 of 2 recordings had more processes than cores")));
  auto other = run(1, 10);
  other.executable_digest = "another";
  EXPECT_THAT(to_string(measurements_of({run(2, 10), other}).error()),
              HasSubstr("come from different executables"));
}

}  // namespace
}  // namespace parcast::interchange
