// SPDX-License-Identifier: Apache-2.0
#include "study/answer.h"

#include <algorithm>
#include <cmath>

#include "build_model/whole_model.h"
#include "machine/extrap.h"
#include "machine/tools.h"
#include "predict/model_checks.h"
#include "predict/question.h"

namespace parcast::study {

Result<Modelled> model_of(const std::vector<std::filesystem::path>& recordings,
                          const machine::Machine& machine,
                          const std::function<void(double, std::string_view)>& show) {
  constexpr double kReading = 0.3, kMaking = 0.4;  // fractions of the work, typical of most models
  program::RecordedRuns runs;
  Modelled out;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    show(kReading * static_cast<double>(i) / static_cast<double>(recordings.size()), "read recordings");
    PARCAST_ASSIGN(auto recording, recording::read_recording(recordings[i]));
    recording::resolve_sites(recording);
    out.is_damaged |= !recording.losses.empty();
    runs.add(std::move(recording));
  }
  PARCAST_ASSIGN(out.model, program::whole_model(runs, true, [&](double done, std::string_view what) {
                   show(kReading + kMaking * done, what);
                 }));
  constexpr double kBefore = kReading + kMaking;
  PARCAST_ASSIGN(const auto unchecked, predict::check_model(runs, out.model, &machine, true,
                                                            [&](double done, std::string_view what) {
                                                              show(kBefore + (1 - kBefore) * done, what);
                                                            }));
  for (const predict::Unchecked& each : unchecked)
    out.unchecked.push_back("the model was not compared with " + each.what + ": " + each.why.what);
  return out;
}

Result<machine::Machine> with_parameters(machine::Machine machine, const std::vector<Axis>& set) {
  for (const Axis& each : set) {
    if (machine::extrap_key(each.name) && !machine.extrap)
      return Error{each.name + " is a parameter of ExtraP's model, and " + machine.name +
                       " has no section "
                       "[extrap]",
                   "set", "name a machine with one, such as cm-5 or extrap-table-1"};
    const std::string sign = each.values.starts_with('*') || each.values.starts_with('/') ? "" : "=";
    if (const auto done = machine::set_parameter(machine, each.name + sign + each.values); !done)
      return Error{done.error().what, "set", done.error().hint};
  }
  if (!set.empty()) PARCAST_TRY(machine::check_complete(machine));
  return machine;
}

Result<void> check_engine_parameters(const Description& description, const std::vector<std::string>& names) {
  const bool is_extrap = description.engine == "extrap";
  for (const auto& [flag, axes] :
       {std::pair("--set", &description.set), std::pair("--graph", &description.graph)})
    for (const Axis& axis : *axes) {
      if (axis.name == "p" || std::ranges::find(names, axis.name) != names.end()) continue;
      const bool is_of_extrap = machine::extrap_key(axis.name).has_value();
      if (is_of_extrap && !takes_extrap(description))
        return Error{axis.name + " is of ExtraP's machine, and the engine " + description.engine +
                         " computes by links",
                     flag, "add --engine extrap"};
      if (is_extrap && !is_of_extrap && !axis.name.starts_with("collectives."))
        return Error{axis.name + " has no effect on ExtraP's machine, by which the engine extrap computes",
                     flag, "name one of ExtraP's parameters, or leave out --engine extrap"};
    }
  return {};
}

Result<predict::Question> question_of(const Asking& asking, const Values& point) {
  predict::Question question;
  question.point.processes = asking.processes;
  for (const auto& [name, value] : point) {
    if (name == "p")
      question.point.processes = static_cast<std::int32_t>(std::min(value, 1e9));
    else
      question.point.parameters[name] = value;
  }
  for (const program::Parameter& parameter : asking.model->parameters) {
    if (question.point.parameters.contains(parameter.name)) continue;
    if (parameter.values.size() != 1)
      return Error{"the program itself gave the parameter " + parameter.name +
                       ", which differs between the runs and is no placeholder",
                   "",
                   "make it one, {" + parameter.name +
                       "}, or predict with parcast predict APP.model.json -s " + parameter.name + "=..."};
    question.point.parameters[parameter.name] = parameter.values.front();
  }
  question.level = asking.level;
  question.recorded_machine = asking.recorded_on;
  PARCAST_TRY(predict::check(*asking.model, question));
  return question;
}

Result<predict::Prediction> predict_at(const Asking& asking, const Values& point) {
  if (asking.replay) return asking.replay(*asking.machine, point);
  PARCAST_ASSIGN(const predict::Question question, question_of(asking, point));
  return asking.engine->predict(*asking.model, *asking.machine, question);
}

double precision_of(const predict::Estimate& estimate) {
  return estimate.value > 0 ? 100 * (estimate.high - estimate.low) / 2 / estimate.value : 0;
}

}  // namespace parcast::study
