// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/inputs.h"
#include "cli/interchange_answer.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kEnding = ".recording";

/// NAME.recording here, of NAME.otf2 or NAME/traces.otf2, unless -o says otherwise.
std::string target_of(const Invocation& invocation, const std::string& from) {
  if (const auto to = invocation.value("--output")) return to->ends_with(kEnding) ? *to : *to + std::string(kEnding);
  std::error_code problem;
  std::filesystem::path name = std::filesystem::absolute(from, problem).lexically_normal();
  if (name.filename().empty() || std::filesystem::is_regular_file(name, problem)) name = name.parent_path();
  return name.stem().string() + std::string(kEnding);
}

int run_import(const Invocation& invocation) {
  const std::string& from = invocation.inputs[0];
  if (kind_of(from) == "a recording")
    return say_error({from + " is a recording already", "", "parcast import takes an archive of OTF2: its folder, or traces.otf2"}), kFailed;
  const std::string to = target_of(invocation, from);
  Progress progress(invocation);
  const auto done = interchange::import_otf2(from, to, [&](double part, const std::string& what) { progress.show(part, what); });
  if (!done) return say_error(done.error()), kFailed;
  print_result(invocation.json() ? import_to_json(*done, to) : import_text(*done, to));
  for (const std::string& what : done->damage) say_warning(invocation, {what, from, "the rest was taken"});
  for (const std::string& what : done->warnings) say_warning(invocation, {what, from, ""});
  return done->damage.empty() ? kAnswered : kPartial;
}

}  // namespace

const Verb& import_verb() {
  static const Verb verb{.name = "import",
                         .summary = "make a recording of another tool's trace (OTF2: Score-P, TAU, ...)",
                         .inputs = "NAME.otf2 | traces.otf2",
                         .fewest_inputs = 1,
                         .most_inputs = 1,
                         .flags = {{"--output", 'o', "R.recording", "where to write it (default: named after the archive, here)"}},
                         .examples = {"parcast import scorep-20261120_1000_17/traces.otf2 -o lmp-1.recording", "parcast import lmp-1.otf2 --json"},
                         .notes = {"The archive is read in a process of its own: one that crashes the library that reads it ends with a sentence.",
                                   "Exit code 3: parts of the archive are damaged, and the recording holds the rest."},
                         .run = run_import};
  return verb;
}

}  // namespace parcast::cli
