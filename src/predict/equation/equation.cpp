// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/equation.h"

#include <cmath>

#include "predict/equation/answers.h"
#include "predict/equation/solve.h"
#include "predict/equation/uncertainty.h"
#include "predict/flat_system.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "predict/system_collectives.h"

namespace parcast::predict {
namespace {

using program::Model;

class EquationEngine final : public Engine {
 public:
  std::string_view name() const override { return "equation"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& given, const Question& asked,
                             const Progress&) const override {
    const Model model = model_at(as_built, asked.point);
    FlatSystem flat = flattened(given, asked);
    price_collectives(model, given, asked, flat.machine);
    const auto& [machine, question, node_of] = flat;
    PARCAST_TRY(check(model, question));
    PARCAST_TRY(check_not_empty(model));
    PARCAST_ASSIGN(const std::shared_ptr<const Plan> plan, make_plan(model, machine, question));
    const Question* const one = &question;
    const std::vector<Result<Solution>> solved = solve(plan, std::span(&one, 1));
    if (!solved.front()) return solved.front().error();
    return Answers(plan, given, question).answer(question, asked, *solved.front(), Answers::Regions::kept);
  }
};

}  // namespace

const Engine& equation_engine() {
  static const EquationEngine engine;
  return engine;
}

Result<MachineErrors> machine_errors(const Model& as_built, const machine::Machine& machine,
                                     const Question& question) {
  const Model model = model_at(as_built, question.point);
  PARCAST_ASSIGN(const SolvedFormulas solution, solve(model, machine, question));
  return Uncertainty(question, solution).machine_errors();
}

bool is_as_recorded(const program::Node& node) {
  return node.call_class == recording::CallClass::communicator ||
         node.call_class == recording::CallClass::input_output;
}

Result<double> undisturbed_seconds(const Model& resolved, const machine::Machine& machine,
                                   const Question& question) {
  Model model = resolved;
  for (program::Segment& segment : model.segments)
    segment.cost.imbalance = segment.cost.slow_phase_noise = 0, segment.cost.iteration_noise = {};
  for (program::Node& node : model.nodes)
    if (is_as_recorded(node)) node.measured_seconds = 0;
  FlatSystem roomy = flattened(machine, question);
  price_collectives(resolved, machine, question, roomy.machine);
  roomy.machine.working_sets.clear();
  PARCAST_ASSIGN(const Solution solution, solve_values(model, roomy.machine, roomy.question));
  return solution.seconds;
}

Result<Equation> build_equation(const Model& model, const machine::Machine& machine,
                                const Question& question) {
  PARCAST_ASSIGN(const SolvedFormulas solution, solve(model, machine, question));
  const Uncertainty uncertainty(question, solution);
  Equation out;
  for (std::size_t t = 0; t < solution.terms.size(); ++t) {
    const Estimate estimate = uncertainty.estimate(std::span(&t, 1));
    out.terms.push_back({solution.terms[t], solution.formulas[t], estimate.low, estimate.high});
  }
  out.seconds = symbolic::sum_of(solution.formulas);
  out.warnings = Answers(solution.plan, machine, question)
                     .warnings(question, solution, uncertainty, memory_per_node(model, machine, question));
  out.binding = solution.bindings.front();
  return out;
}

namespace {

// Exact where possible: in doubles 98 * (1/49) is less than 2, and its floor is 1.
symbolic::Expression number_of(double value) {
  if (value == std::floor(value) && std::fabs(value) < 0x1p53)
    return symbolic::Expression(static_cast<std::int64_t>(value));
  return symbolic::real(value);
}

}  // namespace

Result<std::vector<Sensitivity>> sensitivities(const Model& model, const machine::Machine& machine,
                                               const Question& question) {
  PARCAST_ASSIGN(const SolvedFormulas solution, solve(model, machine, question));
  const symbolic::Binding& binding = solution.bindings.front();
  std::map<std::string, Sensitivity> found;
  for (const symbolic::Expression& formula : solution.formulas) {
    // Inserts the question's values of all symbols except machine costs. A term that is zero at this point,
    // such as waiting on one process, stays zero for all machine costs. Its derivative may be 0 / 0.
    symbolic::Substitution asked;
    for (const symbolic::Expression& symbol : free_symbols(formula))
      if (symbol.kind() == symbolic::SymbolKind::machine_cost)
        found[symbol.name()];
      else if (const auto value = binding.find(symbol.name()); value != binding.end())
        asked.emplace(symbol.name(), number_of(value->second));
    const symbolic::Expression seconds = substitute(formula, asked);
    for (const symbolic::Expression& symbol : free_symbols(seconds)) {
      PARCAST_ASSIGN(const double slope, symbolic::evaluate(differentiate(seconds, symbol), binding));
      found[symbol.name()].derivative += slope;
    }
  }
  std::vector<Sensitivity> out;
  for (auto& [name, s] : found) {
    s.parameter = name;
    s.value = binding.at(name);
    s.elasticity = solution.seconds > 0 ? s.derivative * s.value / solution.seconds : 0;
    out.push_back(s);
  }
  return out;
}

}  // namespace parcast::predict
