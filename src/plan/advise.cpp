// SPDX-License-Identifier: Apache-2.0
#include "plan/advise.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "plan/fitted.h"

namespace parcast::plan {
namespace {

std::vector<double> measured_values(const fit::Kernel& kernel, std::size_t parameter) {
  std::vector<double> values;
  for (const auto& point : kernel.points) values.push_back(point[parameter]);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

Error never_varied(const std::string& name, double only) {
  return {name + " was " + format_exact(only) +
              " in all runs, so nothing is known of its effect and no run at another value can be weighed",
          "", "measure at two other values of " + name + " first, then ask again"};
}

Error moves_together(const std::string& name) {
  return {name +
              " moves together with other parameters in the data, so what a run at other values would "
              "measure is not known",
          "",
          "measure at one point where " + name +
              " changes alone, or leave it out with --parameters where it is a table's"};
}

// Returns the allowed values of each parameter; fails if the data contain no information about one.
Result<std::vector<Allowed>> allowed_by(const Fitted& fitted, const std::vector<std::string>& parameters,
                                        const Request& request) {
  const fit::Arguments& arguments = fitted.model().arguments;
  std::vector<Allowed> out;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const auto& given = request.allowed[j];
    if (const auto& only = arguments.fixed[j]) {
      const bool another = request.asked[j] != *only ||
                           (given && std::ranges::any_of(*given, [&](double x) { return x != *only; }));
      if (another) return never_varied(parameters[j], *only);
    } else if (std::ranges::find(arguments.used, j) == arguments.used.end()) {
      return moves_together(parameters[j]);
    }
    if (!given) {
      out.push_back(derived_values(measured_values(fitted.kernel(), j), request.asked[j]));
      continue;
    }
    out.push_back({*given, false});
    std::ranges::sort(out.back().values);
    out.back().values.erase(std::ranges::unique(out.back().values).begin(), out.back().values.end());
  }
  return out;
}

Proposal proposal(const Fitted& fitted, const Plan& plan, const Request& request, const Run& run) {
  const double left = plan.width > 0 ? run.width / plan.width : 0;
  const auto drawn = [&](double end) { return plan.now.value * std::pow(end / plan.now.value, left); };
  return {run,
          {plan.now.value, drawn(plan.now.low), drawn(plan.now.high)},
          reasons_for(fitted, run.point, request.asked)};
}

std::vector<std::string> notes_of(const fit::Measurements& measurements, const fit::Model& model) {
  std::vector<std::string> notes = measurements.warnings;
  notes.insert(notes.end(), model.arguments.notes.begin(), model.arguments.notes.end());
  notes.insert(notes.end(), model.observations.notes.begin(), model.observations.notes.end());
  return notes;
}

}  // namespace

Result<Advice> advise(const fit::Measurements& measurements, const Request& request) {
  PARCAST_ASSIGN(const Fitted fitted,
                 Fitted::of(measurements, request.kernel, request.statistic, request.repetitions));
  PARCAST_ASSIGN(std::vector<Allowed> allowed, allowed_by(fitted, measurements.parameters, request));
  std::optional<Fitted> timed;
  if (request.timed && *request.timed != request.kernel) {
    PARCAST_ASSIGN(timed, Fitted::of(measurements, *request.timed, request.statistic, request.repetitions));
  }
  const Belief* seconds = !request.timed ? nullptr : timed ? &*timed : &fitted;
  const Cost cost{seconds, request.unit, request.cores, static_cast<double>(fitted.repetitions())};
  PARCAST_ASSIGN(const Plan plan, next_run(fitted, cost,
                                           {request.asked, request.level, allowed, request.budget,
                                            request.least, request.threads, request.progress}));
  const fit::Kernel& kernel = measurements.kernels[request.kernel];
  Advice out{.parameters = measurements.parameters,
             .callpath = kernel.callpath,
             .metric = kernel.metric,
             .unit = kernel.unit};
  out.now = fitted.predict(request.asked, request.level);
  out.level = request.level;
  out.allowed = std::move(allowed);
  out.cores = request.cores ? measurements.parameters[*request.cores] : "";
  out.costs_known = seconds != nullptr;
  out.repetitions = fitted.repetitions();
  out.budget = plan.budget;
  out.budget_given = request.budget.has_value();
  out.least = request.least;
  out.worth = plan.runs.size();
  for (std::size_t i = 0; i < std::min(kProposals, plan.runs.size()); ++i)
    out.proposals.push_back(proposal(fitted, plan, request, plan.runs[i]));
  if (!plan.beyond.empty()) out.dearer = proposal(fitted, plan, request, plan.beyond.front());
  out.considered = plan.considered;
  out.too_dear = plan.too_dear;
  out.best = plan.best;
  out.notes = notes_of(measurements, fitted.model());
  return out;
}

}  // namespace parcast::plan
