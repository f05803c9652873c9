// SPDX-License-Identifier: Apache-2.0
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "explain/explain.h"
#include "explain/explanation_file.h"
#include "report/explanation_text.h"

namespace parcast::cli {
namespace {

int run_explain(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const auto model = load_model(invocation.inputs[0]);
  if (!model) return say_error(model.error()), kFailed;
  const auto question = question_from(invocation, *model);
  if (!question) return say_error(question.error()), kUsage;
  const auto named = machine_named(invocation);
  if (!named) return say_error(named.error()), kUsage;
  const auto machine = load_machine(*named);
  if (!machine) return say_error(machine.error()), kFailed;
  const auto explanation = explain::explain(*model, *machine, *question);
  if (!explanation) return say_error(explanation.error()), kFailed;
  print_result(invocation.json() ? explain::to_json(*explanation) + "\n" : report::explanation_text(*explanation, *look, invocation.has("--all")));
  return kAnswered;
}

}  // namespace

const Verb& explain_verb() {
  static const Verb verb = [] {
    Verb v{.name = "explain",
           .summary = "what a predicted time is made of, and what it is sensitive to",
           .inputs = "M.model.json",
           .fewest_inputs = 1,
           .most_inputs = 1,
           .flags = question_flags(),
           .examples = {"parcast explain shallow_water -m here -p 16 -s N=4096 -s steps=100",
                        "parcast explain gauss -m cluster -p 64 -s N=8000 --json", "parcast explain lj -m here -p 8 -s steps=500 --all"},
           .run = run_explain};
    v.flags.push_back({"--all", 0, "", "print all contributions and sensitivities"});
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
