// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/files.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/sources.h"
#include "cli/unanswered.h"
#include "cli/verbs.h"
#include "explain/outdone.h"
#include "explain/selection.h"
#include "predict/continued_totals.h"
#include "predict/prediction_file.h"
#include "report/json.h"
#include "report/prediction_text.h"
#include "report/selection_text.h"

namespace parcast::cli {
namespace {

void add_warnings(predict::Prediction& prediction, const std::vector<predict::Warning>& more) {
  prediction.warnings.insert(prediction.warnings.end(), more.begin(), more.end());
}

/// Predicts on several machines and prints them, the fastest first, with each one's probability of being the
/// fastest.
int rank_machines(const Invocation& invocation, const program::Model& model,
                  const predict::Question& question, const predict::Engine& engine,
                  const report::Style& style) {
  std::vector<predict::Prediction> predictions;
  std::vector<machine::Machine> machines;
  int code = kAnswered;
  for (const std::string& name : invocation.values("--machine")) {
    const auto machine = load_machine(name);
    if (!machine) return say_error(machine.error()), kFailed;
    if (std::any_of(predictions.begin(), predictions.end(),
                    [&](const auto& each) { return each.machine == machine->name; }))
      return say_error({machine->name + " is named twice", "", "name each machine once"}), kUsage;
    const auto priced = with_costs(invocation, model, *machine);
    if (!priced) return say_error(priced.error()), kFailed;
    auto prediction = engine.predict(*priced, *machine, question);
    if (!prediction)
      return say_error({"on " + name + ": " + prediction.error().what, prediction.error().where,
                        prediction.error().hint}),
             kFailed;
    if (prediction->hang) return deliver_hang(invocation, *prediction, style);
    add_warnings(*prediction, calibration_warnings(*machine, question.recorded_machine.get()));
    remember(invocation,
             [&](store::Store& store) { return store.add_prediction(*prediction, model, *machine); });
    code = std::max(code, exit_code_of(prediction->warnings));
    predictions.push_back(std::move(*prediction));
    machines.push_back(*machine);
  }
  const explain::Selection selection = explain::select_machine(predictions, explain::outdone(machines));
  print_result(invocation.json() ? report::selection_to_json(predictions, selection)
                                 : report::selection_text(predictions, selection, style));
  return code;
}

int show_counts(const Invocation& invocation, const program::Model& model, const predict::Question& question,
                const report::Style& style) {
  for (const char* flag :
       {"--limit", "--level", "--threads", "--engine", "--costs", "--recorded-on", "--all"})
    if (invocation.has(flag))
      return say_error({std::string(flag) + " concerns times, and --counts gives counts", "",
                        "leave out one of the two"}),
             kUsage;
  for (const std::string& named : invocation.values("--machine"))  // unused, but a wrong name is reported
    if (const auto machine = load_machine(named); !machine) return say_error(machine.error()), kFailed;
  const auto counts = program::predict_counts(model, question.point);
  if (!counts) return say_error(counts.error()), kFailed;
  print_result(invocation.json() ? report::counts_to_json(model, question.point, *counts)
                                 : report::predicted_counts_text(*counts, style));
  return kAnswered;
}

int run_predict(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (const auto fits = check_source(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto question = question_from(invocation, *model);
  if (!question) return say_error(question.error()), kUsage;
  if (invocation.has("--counts")) return show_counts(invocation, *model, *question, *look);
  const auto engine = engine_from(invocation);
  if (!engine) return say_error(engine.error()), kUsage;
  if (invocation.values("--machine").size() > 1 && invocation.has("--all"))
    return say_error({"--all works with a single machine", "", "leave it out, or name one machine"}), kUsage;
  if (invocation.values("--machine").size() > 1)
    return rank_machines(invocation, *model, *question, **engine, *look);
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  const auto priced = with_costs(invocation, *model, *machine);
  if (!priced) return say_error(priced.error()), kFailed;
  Progress progress(invocation);
  auto prediction =
      (*engine)->predict(*priced, *machine, *question, [&](double done) { progress.show(done, "predict"); });
  progress.clear();
  if (!prediction) return say_error(prediction.error()), kFailed;
  if (prediction->hang) return deliver_hang(invocation, *prediction, *look);
  predict::compare_with_totals(*model, *machine, *prediction);
  add_warnings(*prediction, calibration_warnings(*machine, question->recorded_machine.get()));
  remember(invocation,
           [&](store::Store& store) { return store.add_prediction(*prediction, *model, *machine); });
  print_result(invocation.json() ? with_sources(predict::to_json(*prediction),
                                                source_places(invocation, *model, places_of(*prediction)))
                                 : report::prediction_text(*prediction, *look, invocation.has("--all")));
  return exit_code_of(prediction->warnings);
}

}  // namespace

const Verb& predict_verb() {
  static const Verb verb = [] {
    Verb v{.name = "predict",
           .summary =
               "how long a run takes at given parameters, processes and machine, or on which of several it "
               "is fastest",
           .inputs = "M.model.json",
           .fewest_inputs = 1,
           .most_inputs = 1,
           .flags = question_flags(),
           .examples = {"parcast predict shallow_water.model.json -m here -p 16 -s N=4096 -s steps=1000",
                        "parcast predict lj -m here --nodes 4 --ranks-per-node 8 -s steps=2000 --limit 24h",
                        "parcast predict lj -m here -m cluster -m sp-2 -p 32 -s steps=2000",
                        "parcast predict gauss -p 25 -s N=900 --counts --json"},
           .run = run_predict};
    v.flags.push_back(engine_flag());
    v.flags.push_back(
        {"--counts", 0, "", "print predicted calls, messages and bytes per rank instead of seconds"});
    v.flags.push_back({"--all", 0, "", "print all regions"});
    v.flags.push_back(source_flag());
    v.flags.push_back(store_flag());
    v.flags.push_back(no_store_flag());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
