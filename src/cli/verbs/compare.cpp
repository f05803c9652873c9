// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/compare_variants.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/recorded_run.h"
#include "cli/sweep_answer.h"
#include "cli/sweep_questions.h"
#include "cli/verbs.h"
#include "report/comparison_text.h"

namespace parcast::cli {
namespace {

report::ComparedRun compared(const std::string& path, const recording::Recording& recording) {
  return {path, recording.program, recording.processes, recording::longest_wall(recording)};
}

/// Fails on flags that only apply to models: recorded runs have no other times than the recorded ones.
Result<void> check_flags_of_runs(const Invocation& invocation) {
  std::vector<Flag> flags = question_flags();
  for (const auto* more : {&sweep_question_flags(), &sweep_answer_flags()})
    flags.insert(flags.end(), more->begin(), more->end());
  for (const Flag& flag : flags)
    if (invocation.has(flag.name))
      return Error{flag.name + " is of models, and " + invocation.inputs[0] + " is none", "",
                   "parcast compare A.model.json B.model.json -m MACHINE -p P, or leave it out"};
  if (invocation.inputs.size() > 2)
    return Error{
        "two runs are compared at a time, and " + std::to_string(invocation.inputs.size()) + " are given", "",
        "several models may be compared"};
  return {};
}

int run_compare(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (std::any_of(invocation.inputs.begin(), invocation.inputs.end(), names_model))
    return compare_variants(invocation, *look);
  if (const auto fits = check_flags_of_runs(invocation); !fits) return say_error(fits.error()), kUsage;
  Progress progress(invocation);
  const auto predicted = load_recorded_run(invocation.inputs[0], progress);
  if (!predicted) return say_error(predicted.error()), kFailed;
  const auto measured = load_recorded_run(invocation.inputs[1], progress);
  if (!measured) return say_error(measured.error()), kFailed;
  const report::Comparison comparison{compared(invocation.inputs[0], predicted->recording),
                                      compared(invocation.inputs[1], measured->recording),
                                      recording::pair_classes(predicted->recording, measured->recording)};
  print_result(invocation.json() ? report::comparison_to_json(comparison)
                                 : report::comparison_text(comparison, *look, invocation.has("--all")));
  if (comparison.predicted.processes != comparison.measured.processes)
    say_warning(invocation,
                {"the runs have different numbers of processes", "", "counts differ by that alone"});
  for (const auto& [run, name] :
       {std::pair(&*predicted, invocation.inputs[0]), {&*measured, invocation.inputs[1]}})
    for (const std::string& warning : run->warnings) say_warning(invocation, {warning, name, ""});
  return predicted->partial || measured->partial ? kPartial : kAnswered;
}

}  // namespace

const Verb& compare_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "compare",
        .summary =
            "a predicted run against a measured one, call by call; or models of variants: which is the "
            "fastest, and where",
        .inputs = "PREDICTED MEASURED | M.model.json M.model.json...",
        .fewest_inputs = 2,
        .most_inputs = 50,
        .flags = {{"--all", 0, "", "of runs: show all rows"}},
        .examples = {"parcast simulate lmp-1.recording -m cluster --to predicted.otf2 && parcast compare "
                     "predicted.otf2 lmp-2.recording",
                     "parcast compare lmp-1.recording lmp-2.recording --json",
                     "parcast compare block.program cyclic.program -m here -p 16 -s N=1000",
                     "parcast compare block cyclic -m here --vary N=100..10000*2 --vary p=2,4,8 -o plot.svg"},
        .notes = {"Of runs, each is a recording or an archive of OTF2 (its folder, or traces.otf2); "
                  "computing is counted to the region of the call that follows it, in both.",
                  "Models, or programs written by hand, are ranked on one machine; the flags but --all are "
                  "theirs."},
        .run = run_compare};
    for (const auto* more : {&question_flags(), &sweep_question_flags(), &sweep_answer_flags()})
      v.flags.insert(v.flags.end(), more->begin(), more->end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
