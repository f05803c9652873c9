// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/equation.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/tools.h"
#include "predict/assumed_link.h"
#include "predict/check_evidence.h"
#include "predict/equation/regions.h"
#include "predict/flat_system.h"
#include "predict/reconcile.h"
#include "predict/system_collectives.h"
#include "predict/equation/solve.h"
#include "predict/equation/uncertainty.h"
#include "predict/intervals.h"
#include "predict/question.h"
#include "model/formula_text.h"

namespace parcast::predict {
namespace {

using program::Model;

constexpr std::size_t kParts = 5;

Estimate& part(Parts& parts, Term::Part which) {
  switch (which) {
    case Term::Part::compute: return parts.compute;
    case Term::Part::memory: return parts.memory;
    case Term::Part::message_startup: return parts.message_startup;
    case Term::Part::transfer: return parts.transfer;
    case Term::Part::wait: break;
  }
  return parts.wait;
}

Parts split(const Solution& solution, const Uncertainty& uncertainty, const std::vector<std::size_t>& terms) {
  Parts out;
  for (std::size_t p = 0; p < kParts; ++p) {
    std::vector<std::size_t> of_part;
    for (const std::size_t t : terms)
      if (solution.terms[t].part == static_cast<Term::Part>(p)) of_part.push_back(t);
    part(out, static_cast<Term::Part>(p)) = uncertainty.estimate(of_part);
  }
  return out;
}

double sum(const Parts& p) {
  return p.compute.value + p.memory.value + p.message_startup.value + p.transfer.value + p.wait.value;
}

std::vector<RegionTime> regions(const Model& model, const Solution& solution, const Uncertainty& uncertainty) {
  std::vector<RegionTime> out;
  for (const Leaf& leaf : leaves(model, solution)) {
    RegionTime region{leaf.node, leaf.path, leaf.where, uncertainty.estimate(leaf.terms), {}, leaf.executions, leaf.origin};
    region.parts = split(solution, uncertainty, leaf.terms);
    region.seconds.value = sum(region.parts);
    out.push_back(std::move(region));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RegionTime& a, const RegionTime& b) { return a.seconds.value > b.seconds.value; });
  return out;
}

std::map<Origin, double> coverage(const Model& model, const Solution& solution) {
  std::map<Origin, double> out;
  for (const Origin origin : kOrigins) out[origin] = 0;
  double total = 0;
  for (const Term& term : solution.terms) {
    const Origin origin = term.cost_origin == Origin::unknown ? Origin::unknown : term.origin;
    out[origin] += std::max(0.0, term.value);
    total += std::max(0.0, term.value);
  }
  const auto recorded = model.share_by_origin.find("unknown");
  const double unknown = recorded == model.share_by_origin.end() ? 0 : std::clamp(recorded->second, 0.0, 1.0);
  if (!(total > 0)) {
    out[Origin::unknown] = 1;
    return out;
  }
  for (auto& [origin, share] : out) share *= (1 - unknown) / total;
  out[Origin::unknown] += unknown;
  return out;
}

void warn_of_counts(const Model& model, const Solution& solution, const Uncertainty& uncertainty, std::vector<Warning>& out) {
  std::set<std::string> said;
  const auto look = [&](const program::Count& count, const std::string& what) {
    if (count.origin != Origin::ambiguous || count.alternatives.empty()) return;
    const std::string text = "several formulas hold for " + what + " (" + program::formula_text(count.expression) + " and " +
                             std::to_string(count.alternatives.size()) + " more); the interval spans them";
    if (said.insert(count.advice.empty() ? text : count.advice).second) out.push_back({"ambiguous-count", text, count.advice});
  };
  for (std::size_t t = 0; t < solution.contributions.all.size(); ++t) {
    const Term& term = solution.terms[t];
    const program::Count* count = solution.contributions.all[t].count;
    // Small counts have no visible effect.
    if (!count || term.value + uncertainty.ambiguous_seconds(t) < 1e-3 * solution.seconds) continue;
    const program::Node& node = model.nodes[static_cast<std::size_t>(term.node)];
    look(*count, term.segment >= 0 ? "the executions of computing in " + (node.label.empty() ? "the program" : node.label) : node.label);
  }
}

std::vector<Warning> all_warnings(const Model& model, const machine::Machine& machine, const Question& question, const Solution& solution,
                                  const Uncertainty& uncertainty) {
  std::vector<Warning> out = question_warnings(model, machine, question);
  if (const std::string sentence = machine::without_savings(machine); !sentence.empty()) out.push_back({"core-share", sentence, "parcast interpret and simulate count it"});
  add_unique(out, solution.warnings);
  warn_of_counts(model, solution, uncertainty, out);
  add_notices(model, out);
  return out;
}

class EquationEngine final : public Engine {
 public:
  std::string_view name() const override { return "equation"; }

  Result<Prediction> predict(const Model& as_built, const machine::Machine& given, const Question& asked, const Progress&) const override {
    const Model model = model_at(as_built, asked.point);
    FlatSystem flat = flattened(given, asked);
    price_collectives(model, given, asked, flat.machine);
    const auto& [machine, question, node_of] = flat;
    PARCAST_ASSIGN(const Solution solution, solve(model, machine, question));
    const Uncertainty uncertainty(model, machine, question, solution);
    std::vector<std::size_t> all(solution.terms.size());
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
    const Parts parts = split(solution, uncertainty, all);
    Estimate seconds = uncertainty.estimate();
    seconds.value = sum(parts);
    Prediction out = answer_of(name(), model, machine, question, seconds);
    out.of_program = uncertainty.of_program();
    out.parts = parts;
    out.regions = regions(model, solution, uncertainty);
    out.coverage = coverage(model, solution);
    out.warnings = all_warnings(model, machine, question, solution, uncertainty);
    add_unique(out.warnings, ignored_parts(name(), given, asked));
    hold_checks(model, out);
    hold_assumed_link(machine, out);
    return out;
  }
};

}  // namespace

const Engine& equation_engine() {
  static const EquationEngine engine;
  return engine;
}

Result<MachineErrors> machine_errors(const Model& as_built, const machine::Machine& machine, const Question& question) {
  const Model model = model_at(as_built, question.point);
  PARCAST_ASSIGN(const Solution solution, solve(model, machine, question));
  return Uncertainty(model, machine, question, solution).machine_errors();
}

Result<double> undisturbed_seconds(const Model& settled, const machine::Machine& machine, const Question& question) {
  Model model = settled;
  for (program::Segment& segment : model.segments) segment.cost.imbalance = segment.cost.iteration_noise = segment.cost.spell_noise = 0;
  FlatSystem roomy = flattened(machine, question);
  price_collectives(settled, machine, question, roomy.machine);
  roomy.machine.working_sets.clear();
  PARCAST_ASSIGN(const Solution solution, solve(model, roomy.machine, roomy.question));
  return solution.seconds;
}

Result<Equation> build_equation(const Model& model, const machine::Machine& machine, const Question& question) {
  PARCAST_ASSIGN(Solution solution, solve(model, machine, question));
  const Uncertainty uncertainty(model, machine, question, solution);
  Equation out;
  std::vector<symbolic::Expression> seconds;
  for (std::size_t t = 0; t < solution.terms.size(); ++t) {
    const Estimate estimate = uncertainty.estimate({t});
    solution.terms[t].low = estimate.low;
    solution.terms[t].high = estimate.high;
    seconds.push_back(solution.terms[t].seconds);
  }
  out.seconds = symbolic::sum_of(seconds);
  out.warnings = all_warnings(model, machine, question, solution, uncertainty);
  out.binding = solution.bindings.front();
  out.terms = std::move(solution.terms);
  return out;
}

namespace {

// Exact where possible: in doubles 98 * (1/49) is less than 2, and its floor is 1.
symbolic::Expression number_of(double value) {
  if (value == std::floor(value) && std::fabs(value) < 0x1p53) return symbolic::Expression(static_cast<std::int64_t>(value));
  return symbolic::real(value);
}

}  // namespace

Result<std::vector<Sensitivity>> sensitivities(const Model& model, const machine::Machine& machine, const Question& question) {
  PARCAST_ASSIGN(const Solution solution, solve(model, machine, question));
  const symbolic::Binding& binding = solution.bindings.front();
  std::map<std::string, Sensitivity> found;
  for (const Term& term : solution.terms) {
    // Inserts the question's values of all symbols except machine costs. A term that is zero at this point,
    // such as waiting on one process, stays zero for all machine costs. Its derivative may be 0 / 0.
    symbolic::Substitution asked;
    for (const symbolic::Expression& symbol : free_symbols(term.seconds))
      if (symbol.kind() == symbolic::SymbolKind::machine_cost) found[symbol.name()];
      else if (const auto value = binding.find(symbol.name()); value != binding.end()) asked.emplace(symbol.name(), number_of(value->second));
    const symbolic::Expression seconds = substitute(term.seconds, asked);
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
