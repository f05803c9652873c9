// SPDX-License-Identifier: Apache-2.0
#include "predict/equation/answers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/tools.h"
#include "model/formula_text.h"
#include "predict/assumed_link.h"
#include "predict/equation/regions.h"
#include "predict/intervals.h"

namespace parcast::predict {
namespace {

using program::Model;

constexpr std::string_view kEngine = "equation";
constexpr std::size_t kParts = 5;

Estimate& part(Parts& parts, Term::Part which) {
  switch (which) {
    case Term::Part::compute:
      return parts.compute;
    case Term::Part::memory:
      return parts.memory;
    case Term::Part::message_startup:
      return parts.message_startup;
    case Term::Part::transfer:
      return parts.transfer;
    case Term::Part::wait:
      break;
  }
  return parts.wait;
}

Parts split(const Solution& solution, const Uncertainty& uncertainty, std::span<const std::size_t> terms) {
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

std::vector<RegionTime> regions(const Model& model, const Solution& solution,
                                const Uncertainty& uncertainty) {
  std::vector<RegionTime> out;
  for (const Leaf& leaf : leaves(model, solution.terms)) {
    RegionTime region{leaf.node, leaf.path,       leaf.where, uncertainty.estimate(leaf.terms),
                      {},        leaf.executions, leaf.origin};
    region.parts = split(solution, uncertainty, leaf.terms);
    region.seconds.value = sum(region.parts);
    out.push_back(std::move(region));
  }
  std::stable_sort(out.begin(), out.end(), [](const RegionTime& a, const RegionTime& b) {
    return a.seconds.value > b.seconds.value;
  });
  return out;
}

std::map<Origin, double> coverage(const Model& model, const Solution& solution) {
  std::map<Origin, double> out;
  for (const Origin origin : kOrigins) out[origin] = 0;
  double total = 0;
  for (const TermValue& term : solution.terms) {
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

}  // namespace

Answers::Answers(std::shared_ptr<const Plan> plan, const machine::Machine& given, const Question& question)
    : plan_(std::move(plan)),
      given_(given),
      of_question_(*plan_->model, *plan_->machine, question),
      checks_(*plan_->model),
      memory_(*plan_->model),
      deviations_(*plan_->model, question.level),
      without_savings_(machine::without_savings(*plan_->machine)) {
  find_doubts();
}

void Answers::find_doubts() {
  const Model& model = *plan_->model;
  std::map<std::string, std::size_t> numbers;
  for (const Contribution& c : plan_->contributions.all) {
    std::optional<Doubt>& doubt = doubts_.emplace_back();
    if (!c.count || c.count->origin != Origin::ambiguous || c.count->alternatives.empty()) continue;
    const program::Node& node = model.nodes[static_cast<std::size_t>(c.term.node)];
    const std::string what = c.term.segment >= 0 ? "the executions of computing in " +
                                                       (node.label.empty() ? "the program" : node.label)
                                                 : node.label;
    const std::string text = "several formulas hold for " + what + " (" +
                             program::formula_text(c.count->expression) + " and " +
                             std::to_string(c.count->alternatives.size()) + " more); the interval spans them";
    const std::size_t number =
        numbers.try_emplace(c.count->advice.empty() ? text : c.count->advice, numbers.size()).first->second;
    doubt = Doubt{number, {"ambiguous-count", text, c.count->advice}};
  }
}

std::vector<Warning> Answers::warnings(const Question& question, const Solution& solution,
                                       const Uncertainty& uncertainty,
                                       const std::optional<Estimate>& memory) const {
  std::vector<Warning> out = of_question_.at(question, memory);
  if (!without_savings_.empty())
    out.push_back({"core-share", without_savings_, "parcast interpret and simulate count it"});
  add_unique(out, solution.warnings);
  std::set<std::size_t> said;
  for (std::size_t t = 0; t < doubts_.size(); ++t) {
    // Small counts have no visible effect.
    if (!doubts_[t] || solution.terms[t].value + uncertainty.ambiguous_seconds(t) < 1e-3 * solution.seconds)
      continue;
    if (said.insert(doubts_[t]->number).second) out.push_back(doubts_[t]->warning);
  }
  add_notices(*plan_->model, out);
  if (solution.notice)
    add_unique(out, {{solution.notice->code, solution.notice->text, solution.notice->hint}});
  return out;
}

Prediction Answers::answer(const Question& question, const Question& asked, const Solution& solution,
                           Regions kept) const {
  const Model& model = *plan_->model;
  const Uncertainty uncertainty(question, solution, deviations_);
  std::vector<std::size_t> all(solution.terms.size());
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = t;
  const Parts parts = split(solution, uncertainty, all);
  Estimate seconds = uncertainty.estimate();
  seconds.value = sum(parts);
  std::optional<Estimate> memory = memory_.at(given_, asked, deviations_.quantiles());
  Prediction out = answer_of(kEngine, model, given_, asked, seconds, memory);
  out.of_program = uncertainty.of_program();
  out.parts = parts;
  if (kept == Regions::kept) out.regions = regions(model, solution, uncertainty);
  out.coverage = coverage(model, solution);
  out.warnings = warnings(question, solution, uncertainty, memory);
  add_unique(out.warnings, ignored_parts(kEngine, given_, asked));
  checks_.hold(out);
  hold_assumed_link(*plan_->machine, out);
  return out;
}

}  // namespace parcast::predict
