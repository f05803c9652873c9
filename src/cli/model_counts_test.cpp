// SPDX-License-Identifier: Apache-2.0
#include "cli/model_counts.h"

#include <gmock/gmock.h>

#include "predict/model_builder.h"

namespace parcast::cli {
namespace {

using namespace predict::by_hand;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

// steps x { n^2 / p additions, 5 ns each when recorded; allreduce of 8 bytes }: by recursive doubling
// ceil(log2 p) messages each time.
program::Model compiled(const std::string& name, const std::string& recorded_on = "processor, 8 cores") {
  Builder b(name);
  b.add_parameter("n", {256, 512});
  b.add_parameter("steps", {10, 20});
  b.model.processes = {1, 2, 4};
  b.model.recorded_on = recorded_on;
  const program::NodeId loop = b.loop(0, parameter("steps"));
  const program::NodeId reduce = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                                              program::Synchronisation::global, parameter("steps"), 8);
  const Expression points = parameter("n") * parameter("n") / p();
  b.segment(loop, reduce, reduce, parameter("steps"), proportional(points, 5e-9));
  b.model.blocks = {{"a.c", "work", 1, "a.c:3", {{"double_add", 1}}}};
  b.model.work = {{reduce, {{0, parameter("steps") * points, program::CountTier::symbolic}}}};
  return b.model;
}

std::shared_ptr<const machine::Machine> sheet() {
  machine::Machine m = simple_machine(0, 0, 0);
  m.name = "sheet";
  machine::OperationCost add{"double_add", {}, {}};
  add.dependent.value = 4e-9, add.independent.value = 1e-9;
  m.operations = {add};
  return std::make_shared<machine::Machine>(std::move(m));
}

regress::Run run_of(const std::string& program, std::map<std::string, double> parameters) {
  regress::Run run;
  run.program = program, run.parameters = std::move(parameters), run.place = "runs.csv:2";
  return run;
}

TEST(ModelCounts, ComputingIsAsRecordedOrByPrices) {
  ModelCounts recorded, priced(sheet());
  ASSERT_TRUE(recorded.add(compiled("wave"), "wave.model.json"));
  ASSERT_TRUE(priced.add(compiled("wave"), "wave.model.json"));
  regress::Run run = run_of("wave", {{"n", 1000}, {"steps", 20}, {"p", 8}, {"rows", 3}});
  ASSERT_TRUE(recorded.count(run));
  ASSERT_EQ(run.counts.size(), 3u);
  EXPECT_NEAR(run.counts[0], 20 * 1e6 / 8 * 5e-9, 1e-9 * run.counts[0]);
  EXPECT_NEAR(run.counts[1], 20 * 3, 1e-9);
  EXPECT_NEAR(run.counts[2], 20 * 3 * 8, 1e-6);
  ASSERT_TRUE(priced.count(run));
  EXPECT_NEAR(run.counts[0], 20 * 1e6 / 8 * 1e-9, 1e-9 * run.counts[0]);  // not an average with 4 ns
  EXPECT_NEAR(run.counts[1], 20 * 3, 1e-9);
  EXPECT_THAT(priced.note(), HasSubstr("prices of sheet"));
  EXPECT_THAT(recorded.note(), HasSubstr("processor, 8 cores"));
}

TEST(ModelCounts, WhatElseRunsHaveStandsBehindTheirs) {
  ModelCounts counts(sheet());
  ASSERT_TRUE(counts.add(compiled("wave"), "wave.model.json"));
  regress::Runs runs;
  runs.counts = {"pages", "files"};
  runs.runs = {run_of("wave", {{"n", 1000}, {"steps", 20}})};
  runs.runs[0].counts = {1953, 2};
  std::vector<regress::Run> asked{run_of("wave", {{"n", 2000}, {"steps", 10}})};
  asked[0].counts = {7812, 3};
  ASSERT_TRUE(counts.count(runs, asked));
  EXPECT_THAT(runs.counts, ElementsAre("computing", "messages", "bytes", "pages", "files"));
  EXPECT_THAT(runs.runs[0].counts, ElementsAre(DoubleNear(20 * 1e6 * 1e-9, 1e-12), 0, 0, 1953, 2));
  EXPECT_THAT(asked[0].counts, ElementsAre(DoubleNear(10 * 4e6 * 1e-9, 1e-12), 0, 0, 7812, 3));
  EXPECT_THAT(runs.notes, ElementsAre(HasSubstr("prices of sheet")));
  asked[0].program = "ocean";
  EXPECT_FALSE(counts.count(runs, asked));
}

TEST(ModelCounts, WithoutPOneProcessIsMeant) {
  ModelCounts counts(sheet());
  ASSERT_TRUE(counts.add(compiled("wave"), "wave.model.json"));
  regress::Run run = run_of("wave", {{"n", 1000}, {"steps", 20}});
  ASSERT_TRUE(counts.count(run));
  EXPECT_NEAR(run.counts[0], 20 * 1e6 * 1e-9, 1e-9 * run.counts[0]);
  EXPECT_EQ(run.counts[1], 0);
}

TEST(ModelCounts, WhatCannotBeCountedIsRefused) {
  ModelCounts recorded, priced(sheet());
  ASSERT_TRUE(recorded.add(compiled("wave"), "wave.model.json"));
  const auto twice = recorded.add(compiled("wave"), "other.model.json");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().hint, HasSubstr("wave.model.json"));
  const auto elsewhere = recorded.add(compiled("heat", "another processor"), "heat.model.json");
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().what, HasSubstr("another processor"));
  EXPECT_TRUE(priced.add(compiled("wave"), "wave.model.json"));
  // the speed of the recordings does not matter
  EXPECT_TRUE(priced.add(compiled("heat", "another processor"), "heat.model.json"));
  program::Model plain = compiled("plain");
  plain.work.clear();
  const auto uncounted = priced.add(plain, "plain.model.json");
  ASSERT_FALSE(uncounted);
  EXPECT_EQ(uncounted.error().where, "plain.model.json");
  regress::Run unknown = run_of("ocean", {{"n", 10}}),
               half = run_of("wave", {{"n", 10}, {"steps", 1}, {"p", 1.5}}),
               none = run_of("wave", {{"n", 10}, {"steps", 1}, {"p", 0}}),
               missing = run_of("wave", {{"n", 10}});
  EXPECT_THAT(recorded.count(unknown).error().hint, HasSubstr("wave"));
  for (regress::Run* run : {&half, &none, &missing}) EXPECT_FALSE(recorded.count(*run));
}

}  // namespace
}  // namespace parcast::cli
