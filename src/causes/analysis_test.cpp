// SPDX-License-Identifier: Apache-2.0
#include "causes/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "causes/graph.h"
#include "statistics/random.h"

namespace parcast::causes {
namespace {

/// Cannon's multiplication as in EPPA's experiments: n^3 operations of 0.25 ns; 2 n^2 max(r, c) / p numbers
/// sent per process at 80 ns each; waiting in proportion; pages beyond a memory of `memory` numbers at 0.27
/// ms each.
struct Experiment {
  double memory = 1e12;
  double imbalance = 0;  // relative excess of the last process's computing
  std::vector<std::int32_t> processes{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> sizes{500, 1000, 2000, 3000, 4000, 5000, 6000, 7000};
  double noise = 0.005;
  bool tells_grid = false;  // adds the rows and columns of processes as parameters
};

int longer_side(std::int32_t p) {
  int side = p;
  for (int r = 1; r * r <= p; ++r)
    if (p % r == 0) side = p / r;
  return side;
}

Runs cannon(const Experiment& setup, std::uint64_t seed = 1) {
  statistics::Random random(seed);
  const auto noisy = [&](double value) { return value * (1 + setup.noise * random.normal()); };
  Runs runs{{{"operations", Role::work},
             {"quantums", Role::work},
             {"swapped", Role::event},
             {"context_switches", Role::event}},
            {},
            {}};
  for (const double n : setup.sizes)
    for (const std::int32_t p : setup.processes) {
      causes::Run run{{{"n", n}}, p, {}, {}};
      if (setup.tells_grid)
        run.parameters.insert({{"columns", longer_side(p)}, {"rows", p / longer_side(p)}});
      const double quantums = 2 * n * n / p * (longer_side(p) - 1);
      const double pages = std::max(0.0, 3 * n * n / p - setup.memory) * 8 / 4096;
      for (std::int32_t i = 0; i < p; ++i) {
        const double operations = n * n * n / p * (p > 1 && i == p - 1 ? 1 + setup.imbalance : 1);
        const double computing = noisy(0.25e-9 * operations + 0.27e-3 * pages);
        run.phases.push_back(
            {i,
             Kind::computation,
             "",
             computing,
             {operations, kNotMeasured, pages, 100 * computing * (1 + 0.1 * random.normal())}});
        if (p == 1) continue;
        run.phases.push_back({i,
                              Kind::communication,
                              "",
                              noisy(80e-9 * quantums),
                              {kNotMeasured, quantums, kNotMeasured, kNotMeasured}});
        run.phases.push_back(
            {i, Kind::idle, "", 20e-9 * quantums, {kNotMeasured, kNotMeasured, kNotMeasured, kNotMeasured}});
      }
      runs.runs.push_back(std::move(run));
    }
  return runs;
}

Analysis analysed(const Runs& runs) {
  auto result = analyse(runs);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? std::move(*result) : Analysis{};
}

std::size_t index_of(const Runs& runs, double n, std::int32_t p) {
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    if (runs.runs[i].parameters.at("n") == n && runs.runs[i].processes == p) return i;
  ADD_FAILURE();
  return 0;
}

TEST(Analysis, FirstOrderCostsAreTheInjectedOnes) {
  const Analysis x = analysed(cannon({}));
  ASSERT_EQ(x.relations.size(), 2u);
  EXPECT_EQ(x.relations[0].work, "operations");
  EXPECT_NEAR(x.relations[0].refinement->refined.delta / 0.25e-9, 1, 0.005);
  EXPECT_FALSE(x.relations[0].refinement->broken());
  EXPECT_EQ(x.relations[1].work, "quantums");
  EXPECT_NEAR(x.relations[1].refinement->refined.delta / 80e-9, 1, 0.005);
  EXPECT_EQ(x.relations[1].samples.size(), 64u);  // nothing is sent on one process
}

TEST(Analysis, TermsSumToThePhase) {
  Experiment setup;
  setup.memory = 15e6;
  const Runs runs = cannon(setup);
  const Analysis x = analysed(runs);
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    for (const PhaseRelation& relation : x.relations) {
      double sum = 0, seconds = 0;
      for (const Term& term : terms_of(relation, i, runs.runs[i].processes)) sum += term.seconds;
      for (const double s : seconds_by_process(runs.runs[i], relation.phase.kind)) seconds += s;
      EXPECT_NEAR(sum, seconds, 1e-12 * std::max(1.0, seconds));
    }
}

TEST(Analysis, SwappingGivesASpeedupAboveTheIdealOneAndIsItsCause) {
  Experiment setup;
  setup.memory = 3 * 3800.0 * 3800;
  setup.processes = {1, 4};
  for (double n = 3500; n < 7500; n += 250) setup.sizes.push_back(n);
  const Runs runs = cannon(setup);
  const Analysis x = analysed(runs);
  const Refinement& computing = *x.relations[0].refinement;
  ASSERT_EQ(computing.causes.size(), 1u);
  EXPECT_EQ(computing.tried[computing.causes[0].variable].name, "swapped");
  EXPECT_NEAR(computing.causes[0].delta / 0.27e-3, 1, 0.1);
  const RunFindings& large = x.runs[index_of(runs, 7000, 4)];
  ASSERT_TRUE(large.superlinear);
  EXPECT_GT(large.overheads->speedup, 4);
  EXPECT_TRUE(large.superlinear->explained);
  EXPECT_EQ(large.superlinear->changes[0].cause, "swapped");
  const double pages = (3 * 7000.0 * 7000 - setup.memory) * 8 / 4096;
  EXPECT_NEAR(large.superlinear->changes[0].sequential / (0.27e-3 * pages), 1, 0.1);
  EXPECT_EQ(large.superlinear->changes[0].parallel, 0);
  EXPECT_FALSE(x.runs[index_of(runs, 3000, 4)].superlinear);
}

TEST(Analysis, ASpeedupAboveTheIdealOneHasItsCauseWhereProgramsTellTheirGrid) {
  Experiment setup;
  setup.memory = 3 * 3800.0 * 3800;
  setup.processes = {1, 4};
  setup.tells_grid = true;
  for (double n = 3500; n < 7500; n += 250) setup.sizes.push_back(n);
  const Runs runs = cannon(setup);
  const Analysis x = analysed(runs);
  const RunFindings& large = x.runs[index_of(runs, 7000, 4)];
  ASSERT_TRUE(large.superlinear);
  EXPECT_TRUE(large.superlinear->explained);
  EXPECT_EQ(large.superlinear->changes[0].cause, "swapped");
  const double pages = (3 * 7000.0 * 7000 - setup.memory) * 8 / 4096;
  EXPECT_NEAR(large.superlinear->changes[0].sequential / (0.27e-3 * pages), 1, 0.1);
  ASSERT_TRUE(large.efficiencies && large.efficiencies->computation_scalability);
}

/// 2 s per operation. A process with more than 6 operations misses the cache at 3 s each; one with more than
/// 14 swaps at 5 s each. The amounts differ from size to size. On four processes neither happens.
Runs missing_and_swapping() {
  statistics::Random random(1);
  Runs runs{{{"operations", Role::work}, {"misses", Role::event}, {"swapped", Role::event}}, {}, {}};
  for (int n = 1; n <= 24; ++n)
    for (const std::int32_t p : {1, 4}) {
      causes::Run run{{{"n", n}}, p, {}, {}};
      const double operations = double(n) / p,
                   misses = std::max(0.0, operations - 6) * (0.8 + 0.4 * random.uniform()),
                   swapped = std::max(0.0, operations - 14) * (0.8 + 0.4 * random.uniform());
      const double seconds = (2 * operations + 3 * misses + 5 * swapped) * (1 + 0.005 * random.normal());
      for (std::int32_t i = 0; i < p; ++i)
        run.phases.push_back({i, Kind::computation, "", seconds, {operations, misses, swapped}});
      runs.runs.push_back(std::move(run));
    }
  return runs;
}

TEST(Analysis, TwoCausesHaveTermsEdgesAndTheGainOfASpeedupAboveTheIdealOne) {
  const Runs runs = missing_and_swapping();
  const Analysis x = analysed(runs);
  ASSERT_TRUE(x.relations[0].refinement);
  EXPECT_EQ(x.relations[0].refinement->causes.size(), 2u);
  const std::size_t alone = index_of(runs, 24, 1), four = index_of(runs, 24, 4);
  const auto& values = runs.runs[alone].phases[0].values;
  const auto terms = terms_of(x.relations[0], alone, 1);
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms[1].cause, "misses");
  EXPECT_NEAR(terms[1].seconds / (3 * values[1]), 1, 0.02);
  EXPECT_EQ(terms[2].cause, "swapped");
  EXPECT_NEAR(terms[2].seconds / (5 * values[2]), 1, 0.02);
  double sum = 0;
  for (const Term& term : terms) sum += term.seconds;
  EXPECT_NEAR(sum, runs.runs[alone].phases[0].seconds, 1e-9);
  ASSERT_TRUE(x.runs[four].superlinear);
  EXPECT_TRUE(x.runs[four].superlinear->explained);
  EXPECT_EQ(x.runs[four].superlinear->telling, 2u);
  std::vector<std::string> events;
  for (const Node& node : graph_of(runs, x).nodes)
    if (node.layer == Layer::event) events.push_back(node.name);
  EXPECT_THAT(events, testing::ElementsAre("misses of computation", "swapped of computation"));
}

TEST(Analysis, TimesInAnotherUnitAreAskedAbout) {
  Runs runs{{{"operations", Role::work}}, {}, {}};
  for (int n = 1; n <= 10; ++n)
    runs.runs.push_back(
        {{{"n", n}}, 1, {{0, Kind::computation, "", n * (n % 4 == 0 ? 1050.0 : 1), {double(n)}}}, {}});
  EXPECT_THAT(
      analysed(runs).notes,
      testing::ElementsAre("time of computation: in 2 of 10 runs operations cost about 1000 times as much as "
                           "in the others; are their seconds or operations given in another unit?"));
  for (auto& run : runs.runs)
    run.phases[0].seconds = run.phases[0].values[0] * (run.phases[0].values[0] > 5 ? 40 : 1);
  EXPECT_TRUE(analysed(runs).notes.empty());  // a large effect is no reason for a note
}

TEST(Analysis, WorkThatIsZeroEverywhereIsSaid) {
  Runs runs{{{"operations", Role::work}}, {}, {}};
  for (const double n : {1.0, 2.0, 3.0})
    runs.runs.push_back({{{"n", n}}, 1, {{0, Kind::computation, "", n, {0}}}, {}});
  EXPECT_EQ(analysed(runs).relations[0].without, "the reported work is 0 in every run");
}

TEST(Analysis, OneRunIsTooFewForARelation) {
  Runs runs{{{"operations", Role::work}}, {{{{"n", 1}}, 1, {{0, Kind::computation, "", 2, {3}}}, {}}}, {}};
  EXPECT_EQ(analysed(runs).relations[0].without, "fewer than 3 runs are too few for a cost per unit of work");
}

TEST(Analysis, WithoutSwappingTheGraphHasNoLowLevelVariable) {
  const Runs runs = cannon({});
  const Graph graph = graph_of(runs, analysed(runs));
  for (const Node& node : graph.nodes) EXPECT_NE(node.layer, Layer::event) << node.name;
  Experiment setup;
  setup.memory = 15e6;
  setup.processes = {1, 4};
  for (double n = 2500; n < 7500; n += 250) setup.sizes.push_back(n);
  const Runs swapping = cannon(setup);
  const Graph refined = graph_of(swapping, analysed(swapping));
  std::vector<std::string> events;
  for (const Node& node : refined.nodes)
    if (node.layer == Layer::event) events.push_back(node.name);
  EXPECT_EQ(events, (std::vector<std::string>{"swapped of computation"}));  // only this edge
  const auto edges_to = [](const Graph& g, const std::string& name) {
    std::vector<std::string> from;
    for (const Edge& edge : g.edges)
      if (g.nodes[edge.to].name == name) from.push_back(g.nodes[edge.from].name);
    return from;
  };
  EXPECT_THAT(edges_to(refined, "time of computation"),
              testing::ElementsAre("operations of computation", "swapped of computation"));
  EXPECT_THAT(edges_to(graph, "time of computation"), testing::ElementsAre("operations of computation"));
  EXPECT_THAT(edges_to(graph, "operations of computation"), testing::ElementsAre("n", "p"));
  EXPECT_THAT(edges_to(graph, "efficiency"),
              testing::ElementsAre("overhead of computation", "overhead of communication", "overhead of idle",
                                   "overhead of idle end"));
  EXPECT_THAT(edges_to(graph, "speedup"), testing::ElementsAre("efficiency", "p"));
  for (std::size_t i = 1; i < graph.nodes.size(); ++i)
    EXPECT_LE(graph.nodes[i - 1].layer, graph.nodes[i].layer);
  for (const Edge& edge : graph.edges)
    EXPECT_TRUE(edge.from < edge.to || graph.nodes[edge.from].layer == graph.nodes[edge.to].layer);
}

TEST(Analysis, IdleTimeIsDelayWhereTheLoadIsEvenAndImbalanceWhereItIsNot) {
  Experiment even;
  even.noise = 0;
  const Runs balanced = cannon(even);
  const std::size_t at = index_of(balanced, 2000, 4);
  const Analysis x = analysed(balanced);
  const double delay = 20e-9 * 2 * 2000.0 * 2000 / 4;  // by hand, per process: r = c = 2, one step
  EXPECT_NEAR(x.runs[at].idle.delay, 4 * delay, 1e-12);
  EXPECT_NEAR(x.runs[at].idle.imbalance, 0, 1e-12);
  ASSERT_TRUE(x.delay && x.delay->refinement);
  EXPECT_EQ(x.delay->work, "quantums");
  EXPECT_NEAR(x.delay->refinement->refined.delta / 20e-9, 1, 1e-9);
  even.imbalance = 0.2;
  const Runs uneven = cannon(even);
  const Analysis y = analysed(uneven);
  // three processes wait this long for the fourth
  const double excess = 0.2 * 0.25e-9 * 2000.0 * 2000 * 2000 / 4;
  EXPECT_NEAR(y.runs[at].idle.imbalance, 3 * (excess), 1e-9);
  EXPECT_NEAR(y.runs[at].idle.delay, 4 * delay, 1e-9);
}

// n^2 max(r, c): with p = 17 the side is 17, after 4 x 4. No smooth growth of the time with p predicts that.
TEST(Analysis, AnIntermediateVariablePredictsBetterThanTheTimeDirectly) {
  Experiment experiment;
  experiment.processes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17};
  experiment.sizes = {1000, 2000, 3000};
  const Runs runs = cannon(experiment);
  bool communicating = false;
  for (const HeldOut& one : held_out(runs, analysed(runs))) {
    if (one.phase.kind != Kind::communication || one.over != "p") continue;
    communicating = true;
    EXPECT_EQ(one.runs, 3u);
    EXPECT_LT(one.work_known, 0.01);
    EXPECT_GT(one.direct, 0.2);
    EXPECT_LT(one.work_known, one.direct);
  }
  EXPECT_TRUE(communicating);
}

TEST(Analysis, PhasesWithoutWorkSaySo) {
  Runs runs{{{"page_faults", Role::event}}, {}, {}};
  for (const double n : {1.0, 2.0, 3.0})
    runs.runs.push_back({{{"n", n}}, 1, {{0, Kind::computation, "", n, {0}}}, {}});
  const Analysis x = analysed(runs);
  EXPECT_EQ(x.relations[0].without, "no work was measured in all runs to compare the time with");
  EXPECT_FALSE(x.relations[0].refinement);
}

}  // namespace
}  // namespace parcast::causes
