// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "base/shell.h"
#include "cli/inputs.h"
#include "cli/launcher.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "model/model_file.h"
#include "observations/arguments.h"
#include "patterns/segments.h"
#include "recording/program_calls.h"
#include "recording/recording.h"
#include "report/blocks_text.h"
#include "report/calls_text.h"
#include "report/json.h"
#include "report/model_text.h"
#include "report/problems.h"
#include "report/recording_text.h"
#include "report/segments_text.h"
#include "report/trace_text.h"
#include "source/counts/equations.h"

namespace parcast::cli {
namespace {

/// Returns false if some events could not be listed.
bool print_events(const Invocation& invocation, recording::Recording& recording, const std::string& path) {
  recording::resolve_sites(recording);
  const auto write = invocation.json() ? report::write_events_json : report::write_events;
  const std::uint64_t missing = write(recording, print_result);
  if (missing > 0)
    say_warning(invocation, {std::to_string(missing) +
                                 " events are not listed: their order did not fit into the recording",
                             path, "record with a larger PARCAST_LIMIT, or fewer --classes"});
  return missing == 0;
}

/// Returns whether regions are functions, whose names come with the sites.
bool named_by_functions(const recording::Recording& recording) {
  return std::any_of(recording.ranks.begin(), recording.ranks.end(),
                     [](const auto& rank) { return !rank.path_parts.empty(); });
}

std::string recording_answer(const Invocation& invocation, recording::Recording& recording,
                             const report::Style& style) {
  if (invocation.json()) return report::counts_to_json(recording);
  return invocation.has("--counts") ? report::counts_text(recording, style)
                                    : report::recording_text(recording, style);
}

int show_recording(const Invocation& invocation, const std::string& path, const report::Style& style) {
  auto recording = recording::read_recording(path);
  if (!recording) return say_error(recording.error()), kFailed;
  bool whole = recording->losses.empty();
  if (invocation.has("--events")) {
    whole = print_events(invocation, *recording, path) && whole;
  } else {
    if (named_by_functions(*recording)) recording::resolve_sites(*recording);
    print_result(recording_answer(invocation, *recording, style));
  }
  for (const auto& problem : report::problems_of(*recording))
    say_warning(invocation, {problem.text, path, ""});
  return whole ? kAnswered : kPartial;
}

int show_model(const Invocation& invocation, const std::string& name, const report::Style& style) {
  for (const char* flag : {"--counts", "--events"})
    if (invocation.has(flag))
      return say_error({std::string(flag) + " shows a recording, and " + name + " is a model", "",
                        "parcast predict " + shell_quoted(name) + " --counts gives what a run would count"}),
             kUsage;
  const auto model = load_model(name);
  if (!model) return say_error(model.error()), kFailed;
  print_result(invocation.json() ? program::to_json(*model) + "\n" : report::model_text(*model, style, true));
  return kAnswered;
}

int show_trace(const Invocation& invocation, const std::string& name, const report::Style& style) {
  Progress progress(invocation);
  const auto loaded = load_trace(name, 0, progress);
  if (!loaded) return say_error(loaded.error()), kFailed;
  print_result(invocation.json() ? report::trace_to_json(loaded->trace)
                                 : report::trace_text(loaded->trace, style));
  return kAnswered;
}

Error not_shown(const std::string& name, const std::string& kind) {
  if (kind == "a machine")
    return {name + " is a machine", "", "parcast machine show " + shell_quoted(name) + " shows it"};
  if (!kind.empty())
    return {name + " is " + kind + ", neither a recording nor a model", "",
            "parcast record makes NAME.recording, parcast model NAME.model.json"};
  return nothing_there("there is no recording or model " + name, name, {".recording", ".model.json"},
                       "parcast record -o " +
                           shell_quoted(name + (name.ends_with(".recording") ? "" : ".recording")) +
                           " -- LAUNCH LINE");
}

int show_blocks(const Invocation& invocation, const report::Style& style) {
  const auto language = language_from(invocation);
  if (!language) return say_error(language.error()), kUsage;
  if (invocation.has("--all") && *language)
    return say_error(
               {"--all and --as exclude each other: every block is written", "", "leave out one of them"}),
           kUsage;
  std::vector<recording::Recording> recordings;
  bool whole = true;
  for (const std::string& name : invocation.inputs) {
    const std::string path =
        kind_of(name).empty() && kind_of(name + ".recording") == "a recording" ? name + ".recording" : name;
    auto recording = recording::read_recording(path);
    if (!recording) return say_error(recording.error()), kFailed;
    for (const auto& problem : report::problems_of(*recording))
      say_warning(invocation, {problem.text, path, "the rest is used"});
    whole = whole && recording->losses.empty();
    recordings.push_back(*std::move(recording));
  }
  for (const program::Notice& notice : program::take_arguments(recordings))
    say_warning(invocation, {notice.text, "", notice.hint});
  const auto equations = program::program_equations(recordings);
  if (!equations) return say_error(equations.error()), kFailed;
  print_result(invocation.json() ? report::blocks_to_json(*equations)
               : *language       ? report::blocks_in(*equations, **language)
                                 : report::blocks_text(*equations, style, invocation.has("--all")));
  return whole ? kAnswered : kPartial;
}

/// Shows the message patterns of a recording, a trace, or a model at a point.
int show_patterns(const Invocation& invocation, const report::Style& style) {
  if (invocation.inputs.size() > 1)
    return say_error({"one file is shown at a time", "", "name one of them"}), kUsage;
  const std::string& name = invocation.inputs[0];
  const auto asked = run_asked(invocation);
  if (!asked) return say_error(asked.error()), kUsage;
  Progress progress(invocation);
  const std::string given = kind_of(name).empty() && kind_of(name + ".recording") == "a recording" &&
                                    kind_of(name + ".model.json").empty()
                                ? name + ".recording"
                                : name;
  // computing does not affect messages
  const auto loaded = load_or_generate_trace(given, *asked, 1, progress);
  progress.clear();
  if (!loaded) return say_error(loaded.error()), kFailed;
  const auto segments = program::message_segments(loaded->trace);
  print_result(invocation.json() ? report::segments_to_json(loaded->trace, segments)
                                 : report::segments_text(loaded->trace, segments, style));
  for (const std::string& warning : loaded->warnings) say_warning(invocation, {warning, name, ""});
  return loaded->partial ? kPartial : kAnswered;
}

/// Returns the program: a file, a command of $PATH, or that of a recording.
Result<std::string> program_of(const std::string& name) {
  const std::string path =
      kind_of(name).empty() && kind_of(name + ".recording") == "a recording" ? name + ".recording" : name;
  if (kind_of(path) == "a recording") {
    PARCAST_ASSIGN(const recording::Recording recording, recording::read_recording(path));
    for (const recording::RankRecording& rank : recording.ranks)
      if (!rank.modules.empty()) return rank.modules.front().path;
    return Error{"the recording does not name its program", path, "name the program itself"};
  }
  if (name.find('/') != std::string::npos || !kind_of(name).empty()) return name;
  return command_file(name).string();
}

/// Shows the functions and classes of a program, and who calls whom.
int show_calls(const Invocation& invocation, const report::Style& style) {
  if (invocation.inputs.size() > 1)
    return say_error({"one program is shown at a time", "", "name one of them"}), kUsage;
  const auto form = invocation.value("--as");
  if (form && *form != "dot")
    return say_error({"--as " + *form + " is no form of a call graph", "",
                      "dot, for Graphviz, is the one there is; without it comes a tree, with --json JSON"}),
           kUsage;
  if (form && invocation.json())
    return say_error({"--json and --as exclude each other", "", "leave one of them out"}), kUsage;
  const auto program = program_of(invocation.inputs[0]);
  if (!program) return say_error(program.error()), kFailed;
  const auto all = recording::read_program_calls(*program);
  if (!all) return say_error(all.error()), kFailed;
  const recording::ProgramCalls calls = invocation.has("--all") ? *all : recording::without_system(*all);
  print_result(invocation.json() ? report::calls_to_json(calls)
               : form            ? report::calls_dot(calls)
                                 : report::calls_text(calls, style));
  if (!all->has_calls())
    say_warning(invocation,
                {"the debug data describe no calls", *program, "compile with -g and -O1 or more"});
  return kAnswered;
}

int run_show(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  for (const auto& [a, b] : {std::pair("--counts", "--events"), std::pair("--counts", "--blocks"),
                             std::pair("--events", "--blocks")})
    if (invocation.has(a) && invocation.has(b))
      return say_error({std::string(a) + " and " + b + " exclude each other", "", "give one of them"}),
             kUsage;
  for (const char* other : {"--counts", "--events", "--blocks"})
    if (invocation.has("--patterns") && invocation.has(other))
      return say_error(
                 {std::string("--patterns and ") + other + " exclude each other", "", "give one of them"}),
             kUsage;
  for (const char* other : {"--counts", "--events", "--blocks", "--patterns"})
    if (invocation.has("--calls") && invocation.has(other))
      return say_error({std::string("--calls and ") + other + " exclude each other", "", "give one of them"}),
             kUsage;
  if (invocation.has("--calls")) return show_calls(invocation, *look);
  if (invocation.has("--blocks")) return show_blocks(invocation, *look);
  const std::string& name = invocation.inputs[0];
  const std::string kind = kind_of(name);
  const bool is_model =
      kind == "a model" || kind == "JSON" || kind_of(name + ".model.json") == "a model" || is_written(name);
  for (const char* flag : {"--as", "--all"})
    // The output of parcast model names --all, which shows nothing more of a model here.
    if (invocation.has(flag) &&
        !(flag == std::string_view("--all") && is_model && !invocation.has("--patterns")))
      return say_error({std::string(flag) + " belongs to --blocks and --calls", "",
                        "parcast show R.recording --blocks"}),
             kUsage;
  if (invocation.has("--patterns")) return show_patterns(invocation, *look);
  for (const char* flag : {"--processes", "--param", "--matching"})
    if (invocation.value(flag))
      return say_error({std::string(flag) + " belongs to --patterns", "",
                        "parcast show M.model.json --patterns -p 16"}),
             kUsage;
  if (invocation.inputs.size() > 1)
    return say_error({"one file is shown at a time", "",
                      "several recordings together give the counts of blocks: --blocks"}),
           kUsage;
  if (kind == "a recording" || (kind == "a folder" && name.ends_with(".recording")))
    return show_recording(invocation, name, *look);
  if (is_model) return show_model(invocation, name, *look);
  if (kind_of(name + ".recording") == "a recording")
    return show_recording(invocation, name + ".recording", *look);
  if (trace_form_of(name) == TraceForm::trace || trace_form_of(name + ".trace") == TraceForm::trace)
    return show_trace(invocation, name, *look);
  return say_error(not_shown(name, kind)), kFailed;
}

}  // namespace

const Verb& show_verb() {
  static const Verb verb = [] {
    Verb v{
        .name = "show",
        .summary = "what is in a recording, a model or a trace; checks it",
        .inputs = "R.recording... | M.model.json | T.trace | PROGRAM",
        .fewest_inputs = 1,
        .most_inputs = 100000,
        .flags =
            {{"--counts", 0, "", "of a recording: calls, messages, bytes and times per rank"},
             {"--events", 0, "", "of a recording: every event, a line each"},
             {"--blocks", 0, "",
              "of recordings of a program compiled with parcast cc: an equation per basic block"},
             {"--calls", 0, "",
              "of a program with debug data: its classes and functions, and who calls whom"},
             {"--as", 0, "LANGUAGE",
              "of blocks: definitions as text, latex, maple, c++ or javascript; of calls: dot"},
             {"--all", 0, "", "of blocks: every one; of calls: those of system libraries, too"},
             {"--patterns", 0, "",
              "what messages are, segment by segment: shift, exchange, broadcast, combine, halo, transpose"}},
        .examples = {"parcast show lmp-1.recording", "parcast show lmp-1.recording --counts --json",
                     "parcast show lmp.model.json", "parcast show gauss-*.recording --blocks --as maple",
                     "parcast show lmp-1.recording --patterns", "parcast show ./app --calls",
                     "parcast show ./app --calls --as dot > app.dot",
                     "parcast show lmp --patterns -p 64 -s steps=10"},
        .run = run_show};
    v.flags.push_back(notes_flag());
    v.flags.insert(v.flags.end(), run_flags().begin(), run_flags().end());
    return v;
  }();
  return verb;
}

}  // namespace parcast::cli
