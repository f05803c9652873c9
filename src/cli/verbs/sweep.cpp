// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "cli/sweep_questions.h"
#include "cli/verbs.h"
#include "report/sweep_text.h"

namespace parcast::cli {
namespace {

/// Every point is checked before the first is predicted.
Result<std::vector<predict::Question>> questions_from(const Invocation& invocation, const program::Model& model) {
  if (!invocation.has("--vary")) return Error{"nothing varies", "", "add --vary p=1,2,4,...,64"};
  PARCAST_ASSIGN(const SweepAsked asked, sweep_asked(invocation, model));
  std::vector<predict::Question> questions;
  for (const auto& point : cross(asked.variations)) {
    PARCAST_ASSIGN(auto question, question_at(asked, point, model));
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::vector<predict::Prediction>> answers(const Invocation& invocation, const predict::Engine& engine, const program::Model& model,
                                                 const machine::Machine& machine, const std::vector<predict::Question>& questions) {
  Progress progress(invocation);
  std::vector<predict::Prediction> out;
  const std::vector<predict::Warning> changed = calibration_warnings(machine);
  const auto show = [&](double of_this_one) {
    progress.show((static_cast<double>(out.size()) + of_this_one) / static_cast<double>(questions.size()), "sweep");
  };
  for (const predict::Question& question : questions) {
    PARCAST_ASSIGN(auto prediction, engine.predict(model, machine, question, show));
    prediction.warnings.insert(prediction.warnings.end(), changed.begin(), changed.end());
    out.push_back(std::move(prediction));
    show(0);
  }
  return out;
}

int run_sweep(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto fits = check_sweep_answer(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto engine = predict::find_engine(invocation.value("--engine").value_or("equation"));
  if (!engine) return say_error(engine.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto questions = questions_from(invocation, *model);
  if (!questions) return say_error(questions.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  const auto priced = with_costs(invocation, *model, *machine);
  if (!priced) return say_error(priced.error()), kFailed;
  const auto predictions = answers(invocation, **engine, *priced, *machine, *questions);
  if (!predictions) return say_error(predictions.error()), kFailed;
  return deliver_sweep(invocation, *predictions, *look);
}

}  // namespace

const Verb& sweep_verb() {
  static const Verb verb = [] {
    Verb v{.name = "sweep",
           .summary = "predictions over ranges of processes and parameters",
           .inputs = "M.model.json",
           .fewest_inputs = 1,
           .most_inputs = 1,
           .flags = question_flags(),
           .examples = {"parcast sweep shallow_water -m here --vary p=1,2,4,...,64 -s N=4096 -s steps=100",
                        "parcast sweep lj -m here --vary p=1..16 --scale 'n=64*p^(1/3)' -o weak.svg",
                        "parcast sweep gauss -m here --vary N=500..8000*2 --vary p=1,4,16 -o table.csv"},
           .run = run_sweep};
    v.flags.insert(v.flags.end(), sweep_question_flags().begin(), sweep_question_flags().end());
    v.flags.insert(v.flags.end(), sweep_answer_flags().begin(), sweep_answer_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
