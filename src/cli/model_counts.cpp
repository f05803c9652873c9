// SPDX-License-Identifier: Apache-2.0
#include "cli/model_counts.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "predict/equation/equation.h"
#include "predict/pure_costs.h"
#include "regress/machine.h"

namespace parcast::cli {
namespace {

// Costs used where the algorithm of a collective is chosen by its cost.
constexpr double kStartup = 1e-5, kPerByte = 1e-9;

machine::Machine priced_by_messages() {
  machine::Machine machine = machine::ideal_machine();
  machine.name = "startups and bytes";
  machine.links.erase("node");
  machine.links["network"].latency.value = kStartup;
  machine.links["network"].gap_per_byte.value = kPerByte;
  return machine;
}

}  // namespace

ModelCounts::ModelCounts(std::shared_ptr<const machine::Machine> prices)
    : prices_(std::move(prices)), messages_(priced_by_messages()) {}

const std::vector<std::string>& ModelCounts::names() {
  static const std::vector<std::string> names{regress::kComputing, regress::kMessages, regress::kBytes};
  return names;
}

Result<void> ModelCounts::add(const program::Model& model, const std::string& place) {
  if (const auto other = models_.find(model.program); other != models_.end())
    return Error{"two models of " + model.program + " are named", place,
                 "leave out one of them, or " + other->second.place};
  if (prices_) {
    auto priced = predict::with_pure_costs(model, *prices_, predict::Overlap::full);
    if (!priced)
      return Error{priced.error().what, place,
                   "compile " + model.program +
                       " with parcast cc, cxx or fc and record it, and take a machine that parcast calibrate "
                       "measured"};
    models_.emplace(model.program, Known{*std::move(priced), place});
    return {};
  }
  if (!recorded_on_.empty() && model.recorded_on != recorded_on_)
    return Error{"models are of recordings on " + recorded_on_ + " and on " + model.recorded_on +
                     ", so their computing has no common unit",
                 place + " of " + model.program, "choose programs that were recorded on one machine"};
  recorded_on_ = model.recorded_on;
  models_.emplace(model.program, Known{model, place});
  return {};
}

Result<std::vector<double>> ModelCounts::counts_of(const std::string& program,
                                                   const std::map<std::string, double>& parameters,
                                                   std::int32_t processes, std::int32_t ranks_per_node,
                                                   const std::string& place) const {
  const auto& [model, of] = models_.at(program);
  predict::Question question;
  question.point.processes = processes;
  question.point.parameters = parameters;
  std::erase_if(question.point.parameters, [&model = model](const auto& each) {
    return std::ranges::none_of(model.parameters,
                                [&](const program::Parameter& p) { return p.name == each.first; });
  });
  if (ranks_per_node > 0) question.ranks_per_node = ranks_per_node;
  const auto total = predict::equation_engine().predict(model, messages_, question);
  if (!total) return Error{total.error().what, place + ", " + of, total.error().hint};
  const auto derivatives = predict::sensitivities(model, messages_, question);
  if (!derivatives) return Error{derivatives.error().what, place + ", " + of, derivatives.error().hint};
  double messages = 0, bytes = 0;
  for (const predict::Sensitivity& each : *derivatives) {
    if (each.parameter == "links.network.latency") messages = each.derivative;
    if (each.parameter == "links.network.gap_per_byte") bytes = each.derivative;
  }
  return std::vector<double>{std::max(total->seconds.value - messages * kStartup - bytes * kPerByte, 0.0),
                             messages, bytes};
}

Result<void> ModelCounts::count(regress::Run& run) const {
  if (!has(run.program)) {
    std::vector<std::string> names;
    for (const auto& [name, known] : models_) names.push_back(name);
    return Error{"there is no model of " + run.program, run.place,
                 "models are given of " + join(names, ", ")};
  }
  const auto whole = [&](const char* name, double otherwise) -> Result<std::int32_t> {
    const auto found = run.parameters.find(name);
    const double value = found == run.parameters.end() ? otherwise : found->second;
    if (!(value >= otherwise && value <= 1e9) || value != std::floor(value))
      return Error{std::string(name) + " is " + format_exact(value) + ", but it is a whole number", run.place,
                   ""};
    return static_cast<std::int32_t>(value);
  };
  PARCAST_ASSIGN(const std::int32_t processes, whole("p", 1));
  PARCAST_ASSIGN(const std::int32_t on_a_node, whole("ranks_per_node", 0));
  PARCAST_ASSIGN(run.counts, counts_of(run.program, run.parameters, processes, on_a_node, run.place));
  return {};
}

Result<void> ModelCounts::count(regress::Runs& runs, std::vector<regress::Run>& asked) const {
  for (std::vector<regress::Run>* each : {&runs.runs, &asked})
    for (regress::Run& run : *each) {
      const std::vector<double> more = run.counts;
      PARCAST_TRY(count(run));
      run.counts.insert(run.counts.end(), more.begin(), more.end());
    }
  runs.counts.insert(runs.counts.begin(), names().begin(), names().end());
  runs.notes.push_back(note());
  return {};
}

std::string ModelCounts::note() const {
  const std::string counts =
      "counts are those on the longest chain of each program's equation, by its model; computing is in "
      "seconds ";
  if (prices_)
    return counts + "that its operations take by the prices of " + prices_->name +
           ", with all of them under way";
  return counts + "of the machine of the recordings (" + recorded_on_ + ")";
}

}  // namespace parcast::cli
