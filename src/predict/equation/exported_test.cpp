// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/exported.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/cost.h"
#include "predict/equation/machine_errors.h"
#include "predict/model_builder.h"

namespace parcast::predict {
namespace {

using namespace by_hand;
using program::NodeId;
using program::Synchronisation;
using recording::Pattern;

machine::Machine paper_machine() {
  machine::Machine m = simple_machine(2e-6, 3e-7, 1e-9);
  m.links["network"].latency.standard_error = 1e-7;
  add_table(m, Pattern::allreduce, "log2", 1e-4, 2e-4, 3e-10, 0);
  m.patterns.back().pieces[0].relative_error = 0.1;
  return m;
}

// 50 x { n^2 / p, allreduce, halo }
Builder model() {
  Builder b("exported");
  b.add_parameter("n", {100, 1000});
  b.model.processes = {1, 2, 4};
  const Expression n = parameter("n");
  const NodeId loop = b.loop(0, 50);
  const NodeId reduce =
      b.collective(loop, "MPI_Allreduce", Pattern::allreduce, Synchronisation::global, 50, 8);
  const NodeId halo = b.message(loop, "MPI_Sendrecv", recording::CallClass::send_receive,
                                program::PeerRelation::offset_ring, {1}, 50, 8 * n);
  b.segment(loop, halo, reduce, 50, proportional(n * n / p(), 1e-8));
  return b;
}

ExportedEquation exported(const program::Model& m, const machine::Machine& machine, const Question& question,
                          const std::vector<std::int32_t>& processes) {
  const auto result = export_equation(m, machine, question, processes, {{"n", 100}}, {{"n", 4000}});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.error()));
  return result.ok() ? result.value() : ExportedEquation{};
}

const ExportedLayer& layer_of(const ExportedEquation& equation, std::int32_t p) {
  return *std::ranges::find(equation.layers, p, &ExportedLayer::processes);
}

// No count depends on the rank here, so rank 0 represents all.
double sum_of_terms(const ExportedEquation& equation, const machine::Machine& machine,
                    const program::Model& m, const Question& at, const symbolic::Binding& factors = {}) {
  symbolic::Binding binding = program::bind(m, at.point, 0).value();
  for (const auto& [name, value] : machine::cost_binding(machine)) binding[name] = value;
  binding.insert(factors.begin(), factors.end());
  double sum = 0;
  for (const ExportedTerm& term : equation.cases[layer_of(equation, at.point.processes).which].terms)
    sum += symbolic::evaluate(term.seconds, binding).value();
  return sum;
}

TEST(ExportedEquation, TermsSumToTheEngineAtOtherPointsToo) {
  const Builder b = model();
  const ExportedEquation equation =
      exported(b.model, paper_machine(), ask(4, {{"n", 500}}), {1, 2, 4, 8, 64});
  ASSERT_EQ(equation.layers.size(), 5u);
  for (const std::int32_t p : {1, 2, 8, 64})
    for (const double n : {100.0, 777.0, 4000.0}) {
      const Question at = ask(p, {{"n", n}});
      const double expected = equation_engine().predict(b.model, paper_machine(), at).value().seconds.value;
      EXPECT_NEAR(sum_of_terms(equation, paper_machine(), b.model, at), expected, 1e-12 * expected)
          << p << " " << n;
    }
}

/// The forward check found that the program's computing is better forecast in total, as 50 x n^2 / p x 8 ns.
program::Model model_with_forecast() {
  program::Model out = model().model;
  const Expression n = parameter("n");
  program::Forecast forecast;
  forecast.node = 0;
  forecast.arguments = {n * n / p()};
  forecast.growth = *proportional(n * n / p(), 50 * 0.8e-8).growth;
  forecast.error = 0.01, forecast.error_of_parts = 0.3;
  out.forecasts = {forecast};
  return out;
}

TEST(ExportedEquation, TermsWithTheFactorsOfAPointSumToTheEngineThere) {
  const program::Model m = model_with_forecast();
  const ExportedEquation equation = exported(m, paper_machine(), ask(4, {{"n", 500}}), {4, 8});
  ASSERT_EQ(equation.groups.size(), 1u);
  EXPECT_EQ(equation.groups[0].parts, std::vector<std::size_t>{0});
  for (const double n : {500.0, 2000.0}) {
    const Question at = ask(8, {{"n", n}});
    const program::Model reconciled = model_at(m, at.point);
    const double factor = reconciled.segments[0].cost.growth->hypotheses[0].terms[0].coefficient / 1e-8;
    EXPECT_LT(factor, 0.99);
    const double expected = equation_engine().predict(m, paper_machine(), at).value().seconds.value;
    EXPECT_NEAR(sum_of_terms(equation, paper_machine(), m, at, {{"factor 0", factor}}), expected,
                1e-12 * expected)
        << n;
  }
}

TEST(ExportedEquation, AForecastWithoutEvidenceCorrectsNothing) {
  program::Model m = model_with_forecast();
  m.forecasts[0].error = 0.29;
  const ExportedEquation equation = exported(m, paper_machine(), ask(4, {{"n", 500}}), {4});
  EXPECT_TRUE(equation.groups.empty());
  for (const ExportedTerm& term : equation.cases[0].terms)
    for (const Expression& symbol : free_symbols(term.seconds)) EXPECT_NE(symbol, factor_symbol(0));
}

TEST(ExportedEquation, HasASlopeForEachCostWithAnError) {
  const Builder b = model();
  const Question question = ask(4, {{"n", 500}});
  const ExportedEquation equation = exported(b.model, paper_machine(), question, {4});
  symbolic::Binding binding = program::bind(b.model, question.point, 0).value();
  for (const auto& [name, value] : machine::cost_binding(paper_machine())) binding[name] = value;
  double slope = 0, seconds = sum_of_terms(equation, paper_machine(), b.model, question);
  for (const ExportedTerm& term : equation.cases[0].terms)
    for (const auto& [name, each] : term.slopes) {
      EXPECT_EQ(name, "links.network.latency");
      slope += symbolic::evaluate(each, binding).value();
    }
  const MachineErrors errors = machine_errors(b.model, paper_machine(), question).value();
  EXPECT_GT(slope, 0);
  EXPECT_NEAR(slope / seconds, errors.slopes.at("links.network.latency"), 1e-12 * slope / seconds);
  EXPECT_NEAR((equation.covariance.at({"links.network.latency", "links.network.latency"})), 1e-14, 1e-26);
}

TEST(ExportedEquation, NamesTheErrorOfTheTableThatPricesATerm) {
  const Builder b = model();
  const ExportedEquation equation = exported(b.model, paper_machine(), ask(4, {{"n", 500}}), {4});
  int priced = 0;
  for (const ExportedTerm& term : equation.cases[0].terms)
    if (!term.table.empty()) {
      ++priced;
      EXPECT_NEAR(term.table_error, 0.1 * 1.4826, 1e-5);
    }
  EXPECT_GT(priced, 0);
}

TEST(ExportedEquation, NamesTheConditionsThatDecideBetweenFormulas) {
  Builder b = model();
  b.model.sources = {{"", {{"n", 100}}, 1}, {"", {{"n", 100}}, 2}, {"", {{"n", 1000}}, 2}};
  program::Count& count = b.model.segments[0].executions;
  count.origin = Origin::ambiguous, count.open = {"p"}, count.settling = {{2}};
  count.alternatives = {Expression(50) + p() - Expression(2)};
  const ExportedEquation equation = exported(b.model, paper_machine(), ask(4, {{"n", 500}}), {2, 4});
  ASSERT_EQ(equation.settlings.size(), 1u);
  EXPECT_EQ(equation.settlings[0].values, std::vector<double>{2});
  EXPECT_TRUE(equation.settlings[0].lattice.contains({{{"n", 100}}, 2}));
  EXPECT_FALSE(equation.settlings[0].lattice.contains({{{"n", 101}}, 2}));
}

TEST(ExportedEquation, ACountBelowZeroIsBounded) {
  Builder b = model();
  b.model.segments[0].executions.expression = parameter("n") - Expression(200);
  const ExportedEquation equation = exported(b.model, paper_machine(), ask(4, {{"n", 500}}), {4});
  const Question at = ask(4, {{"n", 100}});
  const double expected = equation_engine().predict(b.model, paper_machine(), at).value().seconds.value;
  EXPECT_NEAR(sum_of_terms(equation, paper_machine(), b.model, at), expected, 1e-12 * expected);
}

TEST(ExportedEquation, LeavesOutProcessCountsWithoutAnAnswer) {
  const Builder b = model();
  const ExportedEquation equation = exported(b.model, paper_machine(), ask(4, {{"n", 500}}), {0, 4});
  ASSERT_EQ(equation.layers.size(), 1u);
  EXPECT_EQ(equation.layers[0].processes, 4);
}

}  // namespace
}  // namespace parcast::predict
