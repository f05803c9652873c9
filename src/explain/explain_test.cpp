// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "explain/blocks.h"
#include "explain/explanation_file.h"
#include "predict/equation/machine_errors.h"
#include "predict/model_builder.h"

namespace parcast::explain {
namespace {

using namespace predict::by_hand;
using program::NodeId;
using program::Synchronisation;
using recording::Pattern;

machine::Machine paper_machine() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  add_table(m, Pattern::allreduce, "log2", 1e-4, 2e-4, 3e-10, 0);
  return m;
}

// steps x { n^2 / p, allreduce, n / p, halo }
Builder model() {
  Builder b("explained");
  b.add_parameter("n", {100, 1000});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, 50);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 50, 8);
  const NodeId halo = b.message(loop, "MPI_Sendrecv", recording::CallClass::send_receive,
                                program::PeerRelation::offset_ring, {1}, 50, 8 * n);
  b.segment(loop, halo, reduce, 50, proportional(n * n / p(), 1e-8));
  const std::size_t s = b.segment(loop, reduce, halo, 50, proportional(n / p(), 1e-8));
  b.model.segments[s].cost.imbalance = 0.3;
  return b;
}

Explanation explained(const program::Model& m, const machine::Machine& machine, const predict::Question& q) {
  const auto result = explain(m, machine, q);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : Explanation{};
}

// An engine that gives twice the closed form's time, in two regions with ends 3 and 4 times as far apart.
TEST(Explain, AnotherEnginesAnswerKeepsItsRegionsAndScalesTheRest) {
  const Builder b = model();
  const predict::Question question = ask(16, {{"n", 700}});
  const Explanation closed = explained(b.model, paper_machine(), question);
  predict::Prediction answer = closed.prediction;
  answer.engine = "interpret";
  const double total = 2 * closed.prediction.seconds.value;
  answer.seconds.value = total, answer.parts.compute.value = 0.75 * total;
  answer.regions.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    predict::RegionTime& region = answer.regions[i];
    region.path = i == 0 ? "compute before halo" : "halo", region.where = "";
    region.seconds.value = (i == 0 ? 0.75 : 0.25) * total;
    region.seconds.low = 0, region.seconds.high = i == 0 ? 3 : 4;
  }
  Explanation x = closed;
  take_answer(b.model, paper_machine(), answer, x);
  EXPECT_EQ(x.prediction.engine, "interpret");
  ASSERT_EQ(x.contributions.size(), 2u);
  EXPECT_EQ(x.contributions[0].path, "compute before halo");
  EXPECT_DOUBLE_EQ(x.contributions[1].share, 0.25);
  EXPECT_DOUBLE_EQ(x.contributions[1].cumulative, 1);
  EXPECT_DOUBLE_EQ(x.contributions[1].interval_share, 16. / 25);
  EXPECT_FALSE(x.contributions[0].has_formula);  // its lines are unknown
  ASSERT_EQ(x.growth.size(), closed.growth.size());
  EXPECT_DOUBLE_EQ(x.growth[0].seconds, 2 * closed.growth[0].seconds);
  EXPECT_DOUBLE_EQ(x.growth[0].elasticity, closed.growth[0].elasticity);
  ASSERT_TRUE(x.efficiency && closed.efficiency);
  EXPECT_NEAR(x.efficiency->speedup, closed.efficiency->speedup / 2, 1e-12);
  // The same engine's answer changes nothing else.
  Explanation same = closed;
  take_answer(b.model, paper_machine(), closed.prediction, same);
  EXPECT_EQ(same.contributions.size(), closed.contributions.size());
  EXPECT_DOUBLE_EQ(same.growth[0].seconds, closed.growth[0].seconds);
}

// Two blocks after the reduction, 3:1 by weight and executions at any n; after the halo nothing was counted.
TEST(Explain, BlocksShareTheComputingAmongThem) {
  Builder b = model();
  const Expression n = parameter("n");
  const NodeId from = b.model.segments[1].from;
  b.model.blocks = {{"a.c", "inner", 1, "a.c:3", {{"double_add", 3}, {"loaded_bytes", 8}}},
                    {"a.c", "outer", 2, "a.c:2", {{"load", 2}}}};
  b.model.work = {
      {from, {{0, 100 * n, program::CountTier::symbolic}, {1, 50 * n, program::CountTier::measured}}}};
  const Explanation x = explained(b.model, paper_machine(), ask(16, {{"n", 700}}));
  double computing = 0, all = 0;
  for (const Contribution& c : x.contributions) computing += c.parts.compute.value + c.parts.memory.value;
  for (const BlockContribution& block : x.blocks) all += block.seconds;
  EXPECT_NEAR(all, computing, 1e-9 * computing);
  ASSERT_EQ(x.blocks.size(), 3u);
  const auto named = [&](const std::string& function) {
    return *std::ranges::find(x.blocks, function, &BlockContribution::function);
  };
  const double counted = 50 * 700.0 / 16 * 1e-8;  // of the segment after the reduction
  EXPECT_NEAR(named("inner").seconds, counted * 300 / 400, 1e-9 * counted);
  EXPECT_NEAR(named("outer").seconds, counted * 100 / 400, 1e-9 * counted);
  EXPECT_EQ(named("inner").executions, 70000);
  EXPECT_EQ(named("outer").tier, program::CountTier::measured);
  EXPECT_EQ(x.blocks[0].block, -1);  // computing that was not counted, the largest here
  EXPECT_FALSE(x.blocks[0].tier);
  EXPECT_NEAR(x.blocks[0].seconds, computing - counted, 1e-9 * computing);
  const auto shares = shares_by_tier(x.blocks);
  EXPECT_EQ(shares.size(), 3u);
  EXPECT_NEAR(shares.at(program::CountTier::symbolic), counted * 300 / 400 / computing, 1e-9);
  EXPECT_NEAR(shares.at(program::CountTier::measured), counted * 100 / 400 / computing, 1e-9);
  EXPECT_NEAR(shares.at(std::nullopt), 1 - counted / computing, 1e-9);
  // A count without a value there: nothing is divided among blocks, and nothing is lost.
  b.model.work[0].blocks[0].count = 1 / (n - 700);
  const Explanation without = explained(b.model, paper_machine(), ask(16, {{"n", 700}}));
  double kept = 0;
  for (const BlockContribution& block : without.blocks) kept += block.block < 0 ? block.seconds : 0;
  EXPECT_NEAR(kept, computing, 1e-9 * computing);
}

TEST(Explain, GrowthIsThatOfTheModel) {
  Builder b("grown");
  b.add_parameter("n", {100, 1000});
  b.model.processes = {1, 2};
  const NodeId reduce = b.collective(0, "MPI_Barrier", Pattern::barrier, Synchronisation::global, 1, 0);
  b.segment(0, program::kNone, reduce, 1, proportional(parameter("n") * parameter("n") / p(), 1e-6));
  const Explanation x = explained(b.model, simple_machine(0, 0, 0), ask(2, {{"n", 700}}));
  ASSERT_EQ(x.growth.size(), 2u);
  EXPECT_EQ(x.growth[0].next, 770);
  EXPECT_NEAR(x.growth[0].elasticity, 2, 1e-6);
  EXPECT_NEAR(x.growth[0].seconds, 770.0 * 770 / 2 * 1e-6, 1e-9);
  EXPECT_EQ(x.growth[1].next, 4);
  EXPECT_NEAR(x.growth[1].elasticity, -1, 1e-6);
}

TEST(Explain, ContributionsSumToTheTotalAndAreRanked) {
  const Explanation x = explained(model().model, paper_machine(), ask(16, {{"n", 700}}));
  double sum = 0;
  double interval = 0;
  for (std::size_t i = 0; i < x.contributions.size(); ++i) {
    sum += x.contributions[i].seconds.value;
    interval += x.contributions[i].interval_share;
    EXPECT_NEAR(x.contributions[i].cumulative, sum / x.prediction.seconds.value, 1e-12);
    if (i > 0) {
      EXPECT_LE(x.contributions[i].share, x.contributions[i - 1].share);
    }
  }
  EXPECT_EQ(x.contributions.size(), 4u);
  EXPECT_NEAR(sum / x.prediction.seconds.value, 1, 1e-9);
  EXPECT_NEAR(x.contributions.back().cumulative, 1, 1e-9);
}

TEST(Explain, SensitivitiesAreRankedAndUnidentifiedOnesMarked) {
  machine::Machine m = paper_machine();
  m.patterns[0].pieces[0].startup_growth.standard_error = 1.5e-4;  // |t| = 1.33
  const Explanation x = explained(model().model, m, ask(16, {{"n", 200}}));
  ASSERT_FALSE(x.sensitivities.empty());
  EXPECT_EQ(x.sensitivities[0].sensitivity.parameter, "patterns.allreduce.0.startup_growth");
  EXPECT_NEAR(x.sensitivities[0].sensitivity.derivative, 50 * 4, 1e-9);
  EXPECT_FALSE(x.sensitivities[0].identified);
  EXPECT_NEAR(x.sensitivities[0].half_width, 1.6448536 * 200 * 1.5e-4, 1e-6);
  for (const ParameterWeight& w : x.sensitivities)
    EXPECT_EQ(w.identified, w.sensitivity.parameter != "patterns.allreduce.0.startup_growth");
  EXPECT_THAT(x.no_leverage, testing::Contains("links.network.gap"));
  EXPECT_THAT(x.no_leverage, testing::Not(testing::Contains("links.network.latency")));
}

// One parameter and one table have errors: 50 reductions of log2 16 each, and the time of all reductions
// times 1.4826 x the misfit.
TEST(Explain, MachineErrorsOfATimeAreItsSlopesAndItsTablesShare) {
  machine::Machine m = paper_machine();
  m.patterns[0].pieces[0].startup_growth.standard_error = 1.5e-4;
  m.patterns[0].pieces[0].relative_error = 0.1;
  const predict::Question q = ask(16, {{"n", 700}});
  const Builder b = model();
  const auto errors = predict::machine_errors(b.model, m, q);
  ASSERT_TRUE(errors);
  const double seconds = explained(b.model, m, q).prediction.seconds.value;
  ASSERT_EQ(errors->slopes.size(), 1u);
  EXPECT_NEAR(errors->slopes.at("patterns.allreduce.0.startup_growth"), 50 * 4 / seconds, 1e-9);
  const double reductions = 50 * (1e-4 + 4 * 2e-4 + 8 * 3e-10);
  EXPECT_NEAR(errors->tables.at("allreduce"), 1.4826 * 0.1 * reductions / seconds, 1e-4);
  EXPECT_EQ(errors->processor, 0);
}

TEST(Explain, OverheadsSumToTheInverseOfEfficiency) {
  const Explanation x = explained(model().model, paper_machine(), ask(16, {{"n", 700}}));
  ASSERT_TRUE(x.efficiency);
  const Efficiency& e = *x.efficiency;
  EXPECT_NEAR(
      (e.compute_overhead + e.memory_overhead + e.startup_overhead + e.transfer_overhead + e.wait_overhead) *
          e.efficiency,
      1, 1e-12);
  EXPECT_NEAR(e.speedup, 16 * e.efficiency, 1e-12);
  const double computing = x.prediction.parts.compute.value / x.prediction.seconds.value;
  EXPECT_NEAR(e.load_balance * e.communication_efficiency, computing, 1e-12);
}

TEST(Explain, CrossoversAreWhereTheClosedFormHasThem) {
  // a / p + b log2 p: fastest at p = a ln 2 / b.
  Builder b("amdahl");
  b.model.processes = {1, 2, 4};
  const NodeId loop = b.loop(0, 1);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 1, 0);
  b.segment(loop, reduce, reduce, 1, proportional(1 / p(), 1.0));
  machine::Machine m = simple_machine(0, 0, 0);
  add_table(m, Pattern::allreduce, "log2", 0, std::log(2) / 100, 0, 0);
  const Explanation x = explained(b.model, m, ask(4));
  const auto at = [&](const std::string& code) {
    for (const Crossover& c : x.crossovers)
      if (c.code == code) return c.processes;
    return 0;
  };
  EXPECT_EQ(at("fastest"), 128);  // the power of two nearest to 100: t(64) = 0.0572, t(128) = 0.0563
  EXPECT_EQ(at("communication-exceeds-computing"),
            32);  // log2(p) ln2 / 100 > 1 / p: 0.0277 < 0.0625 at 16, 0.0347 > 0.03125 at 32
  EXPECT_EQ(at("efficiency-below-half"), 32);  // the same point here: T1 = 1
  m.nodes = 16, m.cores_per_node = 4;
  for (const Crossover& c : explained(b.model, m, ask(4)).crossovers)
    EXPECT_EQ(c.text.ends_with("; " + m.name + " has 64 cores"), c.code == "fastest") << c.text;
}

TEST(Explain, CacheStepsAreWhereTheDataOfAProcessFillACache) {
  Builder b = model();
  b.model.footprint = 8 * parameter("n") * parameter("n") / p();
  machine::Machine m = paper_machine();
  m.memory = {
      {"L1", {32768}, {}, {}, {}, 0}, {"L2", {1048576}, {}, {}, {}, 0}, {"memory", {1e12}, {}, {}, {}, 0}};
  const Explanation x = explained(b.model, m, ask(4, {{"n", 1000}}));
  EXPECT_EQ(x.footprint, 8e6 / 4);
  const auto last = [&](const std::string& level, const std::string& parameter) {
    for (const CacheStep& step : x.cache_steps)
      if (step.level == level && step.parameter == parameter) return step.last;
    return 0.0;
  };
  EXPECT_EQ(last("L1", "n"), 128);  // 8 n^2 / 4 <= 32768
  EXPECT_EQ(last("L2", "n"), 724);  // n <= sqrt(524288) = 724.08
  EXPECT_EQ(last("L1", "p"), 245);  // 8e6 / p <= 32768: p >= 244.1
  EXPECT_EQ(last("L2", "p"), 8);    // p >= 7.63
  EXPECT_EQ(x.cache_steps.size(), 4u);
  EXPECT_EQ(explained(model().model, m, ask(4, {{"n", 1000}})).footprint, 0);
}

TEST(Explain, AdviceNamesTheAmbiguousCountFirstAndThenTheWidestContributor) {
  Builder b = model();
  b.model.segments[0].executions.origin = Origin::ambiguous;
  b.model.segments[0].executions.alternatives = {Expression(60)};
  b.model.segments[0].executions.advice = "record n = 2000";
  statistics::GrowthModel uncertain = b.model.segments[1].cost.growth;
  auto& h = uncertain.hypotheses[0];
  h.factor = statistics::Matrix(1, 1);
  h.factor(0, 0) = 1e-8;
  h.relative_noise = 0.5;
  b.model.segments[1].cost.growth = uncertain;
  const Explanation x = explained(b.model, paper_machine(), ask(16, {{"n", 4000}}));
  ASSERT_FALSE(x.advice.empty());
  EXPECT_EQ(x.advice[0].code, "ambiguous-count");
  EXPECT_THAT(x.advice[0].text, testing::HasSubstr("record n = 2000; "));
  EXPECT_THAT(x.advice[0].text, testing::HasSubstr(" % of the uncertainty"));
  Builder c = model();
  statistics::GrowthModel wide = c.model.segments[0].cost.growth;
  auto& g = wide.hypotheses[0];
  g.factor = statistics::Matrix(1, 1);
  g.factor(0, 0) = 1e-8;
  g.relative_noise = 0.2;
  c.model.segments[0].cost.growth = wide;
  const Explanation y = explained(c.model, paper_machine(), ask(16, {{"n", 4000}}));
  ASSERT_FALSE(y.advice.empty());
  EXPECT_EQ(y.advice[0].code, "record-larger");
  EXPECT_THAT(y.advice[0].text, testing::HasSubstr("n = 2000, p = 8"));
  const Explanation near = explained(c.model, paper_machine(), ask(5, {{"n", 1000}}));
  ASSERT_FALSE(near.advice.empty());
  EXPECT_THAT(near.advice[0].text, testing::HasSubstr("record a run at p = 5")) << "4 was recorded";
  for (const double none : {1e-9, 0.0}) {
    const Explanation z = explained(c.model, paper_machine(), ask(16, {{"n", none}}));
    for (const Advice& each : z.advice)
      EXPECT_THAT(each.text, testing::Not(testing::HasSubstr("nan"))) << none;
  }
}

TEST(Explain, WritesJson) {
  const auto j =
      nlohmann::json::parse(to_json(explained(model().model, paper_machine(), ask(16, {{"n", 700}}))));
  EXPECT_EQ(j.at("schema"), "parcast.explanation/1");
  EXPECT_EQ(j.at("prediction").at("schema"), "parcast.prediction/1");
  EXPECT_EQ(j.at("contributions").size(), 4u);
  EXPECT_TRUE(j.at("efficiency").at("overheads").contains("wait"));
}

}  // namespace
}  // namespace parcast::explain
