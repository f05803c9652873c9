// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predict/model_builder.h"
#include "recording/sample_rank.h"
#include "regress/costs.h"
#include "regress/machine.h"

namespace parcast::cli {
namespace {

using namespace predict::by_hand;

// steps x { n^2 / p points, allreduce of 8 bytes }: by recursive doubling ceil(log2 p) messages of 8 bytes
// each time.
program::Model bulk(const std::string& name, double seconds_per_point) {
  Builder b(name);
  b.add_parameter("n", {256, 512});
  b.add_parameter("steps", {10, 20});
  b.model.processes = {1, 2, 4};
  b.model.recorded_on = "processor, 8 cores";
  const program::NodeId loop = b.loop(0, parameter("steps"));
  const program::NodeId reduce = b.collective(loop, "MPI_Allreduce", recording::Pattern::allreduce,
                                              program::Synchronisation::global, parameter("steps"), 8);
  b.segment(loop, reduce, reduce, parameter("steps"),
            proportional(parameter("n") * parameter("n") / p(), seconds_per_point));
  return b.model;
}

class StoredCounts : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Store::open((folder_ / "s.db").string());
    ASSERT_TRUE(opened);
    store_ = std::make_unique<store::Store>(std::move(*opened));
  }
  void keep(const program::Model& model) {
    const auto kept = store_->add_model(folder_ / (model.program + ".model.json"), model);
    ASSERT_TRUE(kept) << kept.error().what;
  }
  void measure(const std::string& program, double n, double steps, std::int32_t processes, double seconds,
               const std::string& machine = "cluster") {
    store::Measurement run;
    run.program = program, run.machine = machine, run.seconds = seconds;
    run.point = {{{"n", n}, {"steps", steps}}, processes};
    ASSERT_TRUE(store_->add_measurement(run));
  }

  recording::Scratch folder_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(StoredCounts, AreThoseOfTheModelsChain) {
  keep(bulk("wave", 2e-9));
  measure("wave", 512, 20, 8, 1.25);
  measure("wave", 256, 10, 1, 0.5);
  const auto runs = stored_counts(*store_, {});
  ASSERT_TRUE(runs) << runs.error().what;
  EXPECT_EQ(runs->counts, (std::vector<std::string>{"computing", "messages", "bytes"}));
  ASSERT_EQ(runs->runs.size(), 2u);
  const auto eight = std::ranges::find(runs->runs, 1.25, &regress::Run::seconds),
             one = std::ranges::find(runs->runs, 0.5, &regress::Run::seconds);
  ASSERT_TRUE(eight != runs->runs.end() && one != runs->runs.end());
  EXPECT_NEAR(eight->counts[0], 20 * 512.0 * 512 / 8 * 2e-9, 1e-12);
  EXPECT_NEAR(eight->counts[1], 20 * 3, 1e-9);
  EXPECT_NEAR(eight->counts[2], 20 * 3 * 8, 1e-9);
  EXPECT_NEAR(one->counts[0], 10 * 256.0 * 256 * 2e-9, 1e-12);
  EXPECT_EQ(one->counts[1], 0);
  EXPECT_EQ(one->parameters.at("p"), 1);
}

TEST_F(StoredCounts, GiveTheCostsOfTheMachineThatTheRunsWereOn) {
  keep(bulk("wave", 2e-9)), keep(bulk("heat", 7e-9));
  for (const char* program : {"wave", "heat"})
    for (const double n : {256.0, 512.0, 1024.0})
      for (const double steps : {10.0, 20.0})
        for (const std::int32_t processes : {1, 4, 8}) {
          const double point = std::string(program) == "wave" ? 2e-9 : 7e-9,
                       rounds = std::ceil(std::log2(processes));
          measure(program, n, steps, processes,
                  1.5 * steps * n * n / processes * point + steps * rounds * 3e-5);
        }
  auto runs = stored_counts(*store_, {});
  ASSERT_TRUE(runs) << runs.error().what;
  const auto costs = regress::find_costs(*std::move(runs), {.held_out = false});
  ASSERT_TRUE(costs) << costs.error().what;
  EXPECT_NEAR(costs->costs[0].value, 1.5, 1e-7);
  // Every message has 8 bytes here, so that startup and bytes are one cost.
  EXPECT_NEAR(costs->costs[1].value + 8 * costs->costs[2].value, 3e-5, 1e-11);
  EXPECT_FALSE(costs->costs[1].identified);
}

TEST_F(StoredCounts, RunsOfProgramsWithoutAModelAreLeftOutAndSaid) {
  keep(bulk("wave", 2e-9));
  measure("wave", 512, 20, 8, 1.25), measure("other", 512, 20, 8, 1.5);
  const auto runs = stored_counts(*store_, {});
  ASSERT_TRUE(runs);
  EXPECT_EQ(runs->runs.size(), 1u);
  EXPECT_TRUE(std::ranges::any_of(
      runs->notes, [](const std::string& note) { return note.find("1 run of other is left out") == 0; }));
}

TEST_F(StoredCounts, IsRefusedForTwoMachinesAndWithoutModels) {
  measure("wave", 512, 20, 8, 1.25);
  EXPECT_FALSE(stored_counts(*store_, {}));
  keep(bulk("wave", 2e-9));
  EXPECT_TRUE(stored_counts(*store_, {}));
  measure("wave", 512, 20, 4, 2.25, "other cluster");
  EXPECT_FALSE(stored_counts(*store_, {}));
  store::Query one;
  one.machine = "cluster";
  EXPECT_TRUE(stored_counts(*store_, one));
}

}  // namespace
}  // namespace parcast::cli
