// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "program/model_file.h"
#include "recording/recording.h"
#include "report/json.h"
#include "report/model_text.h"
#include "report/recording_text.h"

namespace parcast::cli {
namespace {

int show_recording(const Invocation& invocation, const std::string& path, const report::Style& style) {
  auto recording = recording::read_recording(path);
  if (!recording) return say_error(recording.error()), kFailed;
  if (invocation.has("--events")) {
    recording::resolve_sites(*recording);
    print_result(report::events_text(*recording));
  } else if (invocation.json()) {
    print_result(report::counts_to_json(*recording));
  } else if (invocation.has("--counts")) {
    print_result(report::counts_text(*recording, style));
  } else {
    print_result(report::recording_text(*recording, style));
  }
  for (const auto& loss : recording->losses) say_warning(invocation, {loss.what, path, ""});
  return recording->losses.empty() ? kAnswered : kPartial;
}

int run_show(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const std::string& path = invocation.inputs[0];
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) return show_recording(invocation, path, *look);
  const auto model = load_model(path);
  if (!model) return say_error(model.error()), kFailed;
  print_result(invocation.json() ? program::to_json(*model) + "\n" : report::model_text(*model, *look, true));
  return kAnswered;
}

}  // namespace

const Verb& show_verb() {
  static const Verb verb{.name = "show",
                         .summary = "what is in a recording or a model; checks it",
                         .inputs = "R.recording | M.model.json",
                         .fewest_inputs = 1,
                         .most_inputs = 1,
                         .flags = {{"--counts", 0, "", "calls, messages, bytes and times per rank"},
                                   {"--events", 0, "", "every event, a line each"}},
                         .examples = {"parcast show lmp-1.recording", "parcast show lmp-1.recording --counts --json",
                                      "parcast show lmp.model.json"},
                         .run = run_show};
  return verb;
}

}  // namespace parcast::cli
