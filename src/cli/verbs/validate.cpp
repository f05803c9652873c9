// SPDX-License-Identifier: Apache-2.0
#include "store/validate.h"

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "report/json.h"
#include "report/validation_text.h"

namespace parcast::cli {
namespace {

int run_validate(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  auto store = store::Store::open(store_url(invocation));
  if (!store) return say_error(store.error()), kFailed;
  store::ValidateOptions options;
  options.published = invocation.has("--published");
  if (const auto machine = invocation.value("--machine")) options.machine = *machine;
  const auto validation = store::validate(*store, invocation.inputs[0], options);
  if (!validation) return say_error(validation.error()), kFailed;
  print_result(invocation.json() ? report::validation_to_json(*validation)
                                 : report::validation_text(*validation, *look));
  return kAnswered;
}

}  // namespace

const Verb& validate_verb() {
  static const Verb verb{
      .name = "validate",
      .summary = "compare predictions stored before with measurements made later",
      .inputs = "RUNS.csv",
      .fewest_inputs = 1,
      .most_inputs = 1,
      .flags = {{"--machine", 'm', "X", "only predictions for this machine"},
                {"--published", 0, "",
                 "the measurements are published data: accept them although they are older"},
                store_flag()},
      .examples = {"parcast validate runs.csv", "parcast validate runs.csv -m here --json",
                   "parcast validate literature.csv --published"},
      .notes = {"RUNS.csv has a header line and a line per run; its columns, in any order:",
                "  p or processes               number of processes",
                "  seconds                      measured time",
                "  measured_at                  2026-11-21T08:35:47Z; may be left out with --published",
                "  a parameter's name, e.g. N   its value",
                "  program, machine             where stored predictions of several would answer",
                "  nodes, ranks_per_node, threads"},
      .run = run_validate};
  return verb;
}

}  // namespace parcast::cli
