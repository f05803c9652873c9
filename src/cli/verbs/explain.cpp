// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include "base/text.h"
#include "cli/data.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sources.h"
#include "cli/unanswered.h"
#include "cli/verbs.h"
#include "cli/why.h"
#include "explain/explanation_file.h"
#include "predict/auto_engine.h"
#include "report/equation_text.h"
#include "report/explanation_text.h"

namespace parcast::cli {
namespace {

/// Returns an error on flags that belong to --why, and on more than one input.
std::optional<Error> misplaced(const Invocation& invocation) {
  for (const char* flag : {"--candidate", "--view", "--output"})
    if (invocation.has(flag))
      return Error{std::string(flag) + " belongs to --why", "", "parcast explain --why RUNS.csv"};
  if (invocation.inputs.size() > 1)
    return Error{"one model is explained at a time", "", "measured runs are explained with --why"};
  return std::nullopt;
}

std::vector<std::string> places_in(const explain::Explanation& explanation) {
  std::vector<std::string> out = places_of(explanation.prediction);
  for (const explain::Contribution& each : explanation.contributions) out.push_back(each.where);
  for (const explain::BlockContribution& each : explanation.blocks) out.push_back(each.where);
  return out;
}

int run_explain(const Invocation& invocation) {
  if (invocation.has("--why") && invocation.has("--data"))
    return say_error({"--why and --data exclude each other", "", "leave out one of them"}), kUsage;
  if (invocation.has("--why")) return run_why(invocation);
  if (invocation.has("--data")) return run_data(invocation);
  if (const auto error = misplaced(invocation)) return say_error(*error), kUsage;
  if (const auto fits = check_source(invocation); !fits) return say_error(fits.error()), kUsage;
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto language = language_from(invocation);
  if (!language) return say_error(language.error()), kUsage;
  if (invocation.has("--all") && *language)
    return say_error(
               {"--all and --as exclude each other: an equation has all terms", "", "leave out one of them"}),
           kUsage;
  if (invocation.has("--region") && !*language)
    return say_error({"--region belongs to --as", "", "parcast explain M --as maple --region PATH"}), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto question = question_from(invocation, *model);
  if (!question) return say_error(question.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  const auto priced = with_costs(invocation, *model, *machine);
  if (!priced) return say_error(priced.error()), kFailed;
  const auto answer = predict::auto_engine().predict(*priced, *machine, *question);
  if (!answer) return say_error(answer.error()), kFailed;
  if (answer->hang) return deliver_hang(invocation, *answer, *look);
  auto explanation = explain::explain(*priced, *machine, *question);
  if (!explanation) return say_error(explanation.error()), kFailed;
  if (!*language)
    explain::take_answer(*priced, *machine, *answer, *explanation);
  else if (answer->engine != explanation->prediction.engine)
    explanation->prediction.warnings.push_back(
        {"closed-form-misses-waits",
         "the closed form that is written here gives " +
             format_seconds(explanation->prediction.seconds.value) +
             ", and the answer, the run followed rank by rank, is " + format_seconds(answer->seconds.value),
         "parcast interpret with the same model, -p and -s shows where they wait"});
  for (predict::Warning& warning : calibration_warnings(*machine, question->recorded_machine.get()))
    explanation->prediction.warnings.push_back(std::move(warning));
  if (*language) {
    const auto equation =
        report::equation_in(*explanation, **language, invocation.value("--region").value_or(""));
    if (!equation) return say_error(equation.error()), kUsage;
    print_result(*equation);
    return exit_code_of(explanation->prediction.warnings);
  }
  print_result(invocation.json() ? with_sources(explain::to_json(*explanation),
                                                source_places(invocation, *model, places_in(*explanation)))
                                 : report::explanation_text(*explanation, *look, invocation.has("--all")));
  return exit_code_of(explanation->prediction.warnings);
}

}  // namespace

const Verb& explain_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "explain",
        .summary = "what a predicted time is made of and sensitive to, or why a measured run takes its time",
        .inputs = "M.model.json | --why RUNS.csv | --data R.recording...",
        .fewest_inputs = 1,
        .most_inputs = 4096,
        .flags = question_flags(),
        .examples = {"parcast explain shallow_water -m here -p 16 -s N=4096 -s steps=100",
                     "parcast explain gauss -m cluster -p 64 -s N=8000 --json",
                     "parcast explain lj -m here -p 8 -s steps=500 --all",
                     "parcast explain gauss -m cluster -p 64 -s N=8000 --as maple > gauss.mpl",
                     "parcast explain --data gauss-1.recording -p 64 -s N=8000",
                     "parcast explain --why runs.csv -p 4 -s n=7000",
                     "parcast explain --why app-*.recording --view time -o time.svg"},
        .notes = {"With --why: a table of runs has a row per process and phase, with columns p, process, "
                  "kind (computation, communication",
                  "or idle) and seconds; optional ones are phase, run and ideal_seconds, and what was "
                  "counted: operations, quantums,",
                  "bytes, messages, and possible causes page_faults, major_faults, swapped, cache_misses, "
                  "context_switches, waiting,",
                  "message_delay, frequency. Other columns are parameters. docs/models/causes.md."},
        .run = run_explain};
    v.flags.push_back(
        {"--as", 0, "LANGUAGE", "the equation itself, as text, latex, maple, c++ or javascript"});
    v.flags.push_back(
        {"--region", 0, "PATH", "with --as: of this part of the program only, e.g. loop/update"});
    v.flags.push_back({"--all", 0, "", "print all contributions and sensitivities; with --data all arrays"});
    v.flags.push_back({"--data", 0, "",
                       "the inputs are recordings of a program compiled by parcast cc, cxx or fc: list its "
                       "arrays, with bytes per process as formulas"});
    v.flags.push_back(source_flag());
    v.flags.insert(v.flags.end(), why_flags().begin(), why_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
