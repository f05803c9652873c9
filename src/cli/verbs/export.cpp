// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/text.h"
#include "cli/default_name.h"
#include "cli/inputs.h"
#include "cli/interchange_answer.h"
#include "cli/measurement_files.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "interchange/goal.h"
#include "interchange/time_independent.h"
#include "predict/simulate/as_messages.h"
#include "report/problems.h"
#include "report/trace_text.h"
#include "report/words.h"
#include "trace/trace_file.h"

namespace parcast::cli {
namespace {

constexpr std::string_view kArchiveEnding = ".otf2";

using interchange::MeasurementForm;

struct Format {
  std::string_view name, ending;
  std::optional<MeasurementForm> table = {};  // for measured values
};
constexpr std::array kFormats{Format{"otf2", ".otf2"},
                              Format{"goal", ".goal"},
                              Format{"goal-binary", ".bgoal"},
                              Format{"ti", ".ti"},
                              Format{"trace", ".trace"},
                              Format{"csv", ".csv", MeasurementForm::csv},
                              Format{"extrap-text", ".txt", MeasurementForm::extrap_text},
                              Format{"extrap-json", ".json", MeasurementForm::extrap_json},
                              Format{"extrap-jsonl", ".jsonl", MeasurementForm::extrap_json_lines}};

const Format& format_called(std::string_view name) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const Format& each) { return each.name == name; });
}

/// Returns the format that --format or the ending of the target's name selects. Without both: OTF2 for
/// recordings, NAME.trace for models.
Result<std::string> format_of(const Invocation& invocation) {
  const auto given = invocation.value("--format"), to = invocation.value("--to");
  for (const Format& format : kFormats)
    if (given ? *given == format.name : to && std::string_view(*to).ends_with(format.ending))
      return std::string(format.name);
  if (given)
    return Error{
        "--format " + *given + " is not known", "",
        "known: otf2, goal, goal-binary, ti (SimGrid), trace; csv, extrap-text, extrap-json, extrap-jsonl"};
  if (!to) return std::string(trace_form_of(invocation.inputs[0]) == TraceForm::model ? "trace" : "otf2");
  return Error{
      "the name " + *to + " has no ending of a known format", "",
      "let it end in .otf2, .goal, .bgoal, .ti, .trace, .csv, .json, .jsonl or .txt, or add --format otf2"};
}

Result<std::string> recording_named(const std::string& name) {
  if (kind_of(name) == "a recording") return name;
  if (kind_of(name + ".recording") == "a recording") return name + ".recording";
  if (const std::string kind = kind_of(name); !kind.empty())
    return Error{name + " is " + kind + ", not a recording", "", "parcast record makes NAME.recording"};
  return nothing_there("there is no recording " + name, name, {".recording"},
                       "parcast record -o NAME.recording -- LAUNCH LINE");
}

/// Returns NAME with the format's ending in this folder, unless --to names the target.
std::string target_of(const Invocation& invocation, const std::string& from,
                      std::string_view ending = kArchiveEnding) {
  if (const auto to = invocation.value("--to")) return *to;
  std::filesystem::path name = std::filesystem::path(from).lexically_normal();
  if (name.filename().empty()) name = name.parent_path();
  const std::string stem = name.stem().string();
  return default_name(stem.ends_with(".model") ? stem.substr(0, stem.size() - 6) : stem, ending);
}

/// Returns e.g. "collectives are written as the messages of their algorithms: 3 broadcasts (binomial), ...".
std::string replaced_text(const std::map<recording::Pattern, std::uint64_t>& replaced) {
  std::vector<std::string> parts;
  for (const auto& [pattern, times] : replaced)
    parts.push_back(std::string(machine::pattern_name(pattern)) + " (" +
                    machine::algorithms_text(machine::usual_algorithms(pattern)) + ", " +
                    report::counted(static_cast<std::int64_t>(times), "call") + ")");
  return "collectives are written as the messages of their algorithms: " + join(parts, ", ");
}

Result<TraceExported> write_trace(const trace::Trace& trace, const std::string& format, const std::string& to,
                                  double flops, Progress& progress) {
  const auto show = [&](double part, const std::string& what) { progress.show(part, what); };
  if (format == "trace") {
    PARCAST_TRY(trace::write_trace(trace, to));
    const report::TraceSums sums = report::sums_of(trace);
    return TraceExported{
        format, trace.ranks, sums.sends + sums.receives + sums.waits + sums.collectives + sums.computes, {}};
  }
  if (format == "ti") {
    PARCAST_ASSIGN(const auto done, interchange::write_time_independent(trace, to, flops, show));
    return TraceExported{format, done.ranks, done.actions, done.warnings};
  }
  PARCAST_ASSIGN(const auto messages, simulate::collectives_as_messages(trace, simulate::Platform{}));
  PARCAST_ASSIGN(auto done, interchange::write_goal(messages.trace, to, format == "goal-binary", show));
  if (!messages.replaced.empty()) done.warnings.push_back(replaced_text(messages.replaced));
  return TraceExported{format, done.ranks, done.operations, done.warnings};
}

/// Exports any input that holds a trace as GOAL, SimGrid's traces or NAME.trace.
int export_trace(const Invocation& invocation, const std::string& format) {
  const auto flops = parse_double(invocation.value("--flops").value_or("1e9"));
  if (!flops || !(*flops > 0))
    return say_error({"--flops " + *invocation.value("--flops") + " is not a rate", "",
                      "operations a second, e.g. 1e9"}),
           kUsage;
  const std::string& from = invocation.inputs[0];
  const std::string to = target_of(invocation, from, format_called(format).ending);
  std::error_code problem;
  if (std::filesystem::exists(to, problem))
    return say_error({to + " exists already", "", "name another with --to, or move it away"}), kFailed;
  Progress progress(invocation);
  auto asked = run_asked(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  asked->rehearsed = trace::Rehearsed::all;  // a replay of the file cannot consult the recording
  const auto loaded = load_or_generate_trace(from, *asked, *flops, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  const auto done = write_trace(loaded->trace, format, to, *flops, progress);
  if (!done) return say_error(done.error()), kFailed;
  print_result(invocation.json() ? trace_export_to_json(*done, to) : trace_export_text(*done, to));
  for (const auto* sentences : {&loaded->warnings, &loaded->trace.assumptions, &done->warnings})
    for (const std::string& sentence : *sentences) say_warning(invocation, {sentence, from, ""});
  return loaded->partial ? kPartial : kAnswered;
}

int run_export(const Invocation& invocation) {
  const auto format = format_of(invocation);
  if (!format) return say_error(format.error()), kUsage;
  const Format& wanted = format_called(*format);
  if (wanted.table)
    return convert_measurements(invocation, "export",
                                target_of(invocation, invocation.inputs[0], wanted.ending), *wanted.table,
                                wanted.name);
  if (invocation.inputs.size() > 1)
    return say_error({"several recordings become a table of measured values, and " + *format + " is none", "",
                      "let --to end in .csv, .json, .jsonl or .txt"}),
           kUsage;
  if (*format != "otf2") return export_trace(invocation, *format);
  const auto from = recording_named(invocation.inputs[0]);
  if (!from) return say_error(from.error()), kFailed;
  const std::string to = target_of(invocation, *from);
  auto recording = recording::read_recording(*from);
  if (!recording) return say_error(recording.error()), kFailed;
  recording::resolve_sites(*recording);
  Progress progress(invocation);
  const auto done = interchange::export_otf2(
      *recording, *from, to, [&](double part, const std::string& what) { progress.show(part, what); });
  if (!done) return say_error(done.error()), kFailed;
  print_result(invocation.json() ? export_to_json(*done, to) : export_text(*done, to));
  for (const auto& problem : report::problems_of(*recording))
    say_warning(invocation, {problem.text, *from, "the rest is in the archive"});
  for (const std::string& warning : done->warnings) say_warning(invocation, {warning, to, ""});
  return recording->losses.empty() ? kAnswered : kPartial;
}

}  // namespace

const Verb& export_verb() {
  static const Verb verb = [] {
    Verb made{
        .name = "export",
        .summary =
            "write recordings, traces or a model's run for other tools (OTF2, GOAL, SimGrid's), or as "
            "measured values",
        .inputs = "R.recording... | T.trace | M.model.json | VALUES.csv",
        .fewest_inputs = 1,
        .most_inputs = 100000,
        .flags = {{"--to", 'o', "NAME.otf2",
                   "file or folder to write, which must not exist (default: the input's name, here)"},
                  {"--format", 0, "FORMAT",
                   "otf2, goal, goal-binary, ti (SimGrid), trace, csv, extrap-text, extrap-json, "
                   "extrap-jsonl (default: by the name)"},
                  {"--flops", 0, "RATE",
                   "of SimGrid's traces: floating-point operations a second (default 1e9)"}},
        .examples = {"parcast export lmp-1.recording --to lmp-1.otf2",
                     "parcast export lmp-1.recording --format otf2 --to /tmp/trace",
                     "parcast export lmp-1.recording --json", "parcast export halo.trace --to halo.goal",
                     "parcast export lmp.model.json -p 64 -s n=4096 -o lmp-64.trace",
                     "parcast export lmp-*.recording --to lmp.csv",
                     "parcast export runs.csv --parameters p,n --to runs.jsonl"},
        .notes = {"Vampir, Scalasca, otf2-print and others read NAME.otf2/traces.otf2; docs/formats/otf2.md "
                  "has the mapping.",
                  "docs/models/structure.md explains how a run that was never made follows from a model."},
        .run = run_export};
    made.flags.insert(made.flags.end(), run_flags().begin(), run_flags().end());
    made.flags.insert(made.flags.end(), measurement_flags().begin(), measurement_flags().end());
    return made;
  }();
  return verb;
}

}  // namespace parcast::cli
