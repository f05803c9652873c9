// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/inputs.h"
#include "cli/interchange_answer.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/problems.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kEnding = ".otf2";

/// The format that --format or the target's name tells: there is one so far.
Result<void> check_format(const Invocation& invocation, const std::string& to) {
  const auto given = invocation.value("--format");
  if (given && *given != "otf2") return Error{"--format " + *given + " is not known", "", "known: otf2"};
  if (given || std::string_view(to).ends_with(kEnding)) return {};
  return Error{"the name " + to + " does not tell the format", "", "let it end in .otf2, or add --format otf2"};
}

Result<std::string> recording_named(const std::string& name) {
  if (kind_of(name) == "a recording") return name;
  if (kind_of(name + ".recording") == "a recording") return name + ".recording";
  if (const std::string kind = kind_of(name); !kind.empty()) return Error{name + " is " + kind + ", not a recording", "", "parcast record makes NAME.recording"};
  return nothing_there("there is no recording " + name, name, {".recording"}, "parcast record -o NAME.recording -- LAUNCH LINE");
}

/// NAME.otf2 beside the reader, unless --to says otherwise.
std::string target_of(const Invocation& invocation, const std::string& from) {
  if (const auto to = invocation.value("--to")) return *to;
  std::filesystem::path name = std::filesystem::path(from).lexically_normal();
  if (name.filename().empty()) name = name.parent_path();
  return name.stem().string() + std::string(kEnding);
}

int run_export(const Invocation& invocation) {
  const auto from = recording_named(invocation.inputs[0]);
  if (!from) return say_error(from.error()), kFailed;
  const std::string to = target_of(invocation, *from);
  if (const auto known = check_format(invocation, to); !known) return say_error(known.error()), kUsage;
  auto recording = recording::read_recording(*from);
  if (!recording) return say_error(recording.error()), kFailed;
  recording::resolve_sites(*recording);
  Progress progress(invocation);
  const auto done = interchange::export_otf2(*recording, *from, to, [&](double part, const std::string& what) { progress.show(part, what); });
  if (!done) return say_error(done.error()), kFailed;
  print_result(invocation.json() ? export_to_json(*done, to) : export_text(*done, to));
  for (const auto& problem : report::problems_of(*recording)) say_warning(invocation, {problem.text, *from, "the rest is in the archive"});
  for (const std::string& warning : done->warnings) say_warning(invocation, {warning, to, ""});
  return recording->losses.empty() ? kAnswered : kPartial;
}

}  // namespace

const Verb& export_verb() {
  static const Verb verb{.name = "export",
                         .summary = "write a recording in the format of other tools (OTF2)",
                         .inputs = "R.recording",
                         .fewest_inputs = 1,
                         .most_inputs = 1,
                         .flags = {{"--to", 0, "NAME.otf2", "folder to write, which must not exist (default: the recording's name, here)"},
                                   {"--format", 0, "FORMAT", "otf2 (default: by the name)"}},
                         .examples = {"parcast export lmp-1.recording --to lmp-1.otf2", "parcast export lmp-1.recording --format otf2 --to /tmp/trace",
                                      "parcast export lmp-1.recording --json"},
                         .notes = {"Vampir, Scalasca, otf2-print and others read NAME.otf2/traces.otf2; docs/formats/otf2.md says what becomes of what."},
                         .run = run_export};
  return verb;
}

}  // namespace parcast::cli
