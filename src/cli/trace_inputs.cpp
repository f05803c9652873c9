// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_inputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "cli/first_bytes.h"
#include "cli/inputs.h"
#include "interchange/goal.h"
#include "interchange/time_independent.h"
#include "machine/tools.h"
#include "predict/auto_engine.h"
#include "predict/computing_scale.h"
#include "predict/machine_prices.h"
#include "predict/question.h"
#include "predict/reconcile.h"
#include "report/problems.h"
#include "structure/generate.h"
#include "trace/computing.h"
#include "trace/from_recording.h"
#include "trace/trace_file.h"

namespace parcast::cli {
namespace {

/// Returns whether the text is a SimGrid trace, whose lines begin with a rank and an action, or an index,
/// whose lines name files.
bool is_time_independent(const std::string& name, const std::string& first) {
  std::istringstream lines(first);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string rank, action;
    if (!(words >> rank) || rank.starts_with('#')) continue;
    if (interchange::file_in_index(name, trim(line))) return true;
    return words >> action && parse_integer(rank) && !action.empty() &&
           std::isalpha(static_cast<unsigned char>(action.front()));
  }
  return false;
}

/// Returns the node of each rank, numbered in order of appearance; empty if the host of some process is
/// unknown.
std::vector<std::int32_t> nodes_of(const recording::Recording& recording) {
  std::map<std::string, std::int32_t> numbers;
  std::vector<std::int32_t> out;
  for (const recording::RankRecording& rank : recording.ranks) {
    if (rank.host.empty()) return {};
    out.push_back(numbers.emplace(rank.host, static_cast<std::int32_t>(numbers.size())).first->second);
  }
  return out;
}

Result<LoadedTrace> from_recording(const std::string& name, trace::Matching matching,
                                   trace::Rehearsed rehearsed) {
  auto recording = recording::read_recording(name);
  if (!recording) return recording.error();
  recording::resolve_sites(*recording);
  auto made = trace::from_recording(*recording, matching, rehearsed);
  if (!made) return made.error();
  PARCAST_TRY(trace::check(made->trace));
  LoadedTrace loaded{std::move(made->trace),
                     std::move(made->warnings),
                     !recording->losses.empty(),
                     recording->machine_summary,
                     nodes_of(*recording),
                     {recording->mpi_library},
                     name,
                     matching};
  loaded.partial = loaded.partial || !made->missing.empty();
  loaded.warnings.insert(loaded.warnings.begin(), made->missing.begin(), made->missing.end());
  for (const auto& problem : report::problems_of(*recording)) loaded.warnings.push_back(problem.text);
  return loaded;
}

template <class Imported>
Result<LoadedTrace> taken(Result<Imported> imported) {
  if (!imported) return imported.error();
  return LoadedTrace{std::move(imported->trace), std::move(imported->warnings), false, {}, {}};
}

template <class Show>
Result<LoadedTrace> from_goal(const std::string& name, const Show& show) {
  auto imported = interchange::read_goal(name, show);
  const bool is_graph = imported && imported->is_graph;
  PARCAST_ASSIGN(LoadedTrace loaded, taken(std::move(imported)));
  if (is_graph) loaded.schedule = name;
  return loaded;
}

}  // namespace

TraceForm trace_form_of(const std::string& name) {
  std::error_code problem;
  const std::string kind = kind_of(name);
  if (kind == "a recording") return TraceForm::recording;
  if (kind == "a model" || kind == "a written program") return TraceForm::model;
  const std::filesystem::path index = std::filesystem::path(name) / "index.txt";
  if (std::filesystem::is_regular_file(index, problem))
    return is_time_independent(index, first_bytes(index, 4096)) ? TraceForm::time_independent
                                                                : TraceForm::nothing;
  if (!std::filesystem::is_regular_file(name, problem)) return TraceForm::nothing;
  const std::string first = first_bytes(name, 4096);
  if (trace::is_trace(first)) return TraceForm::trace;
  if (interchange::is_goal(first)) return TraceForm::goal;
  return is_time_independent(name, first) ? TraceForm::time_independent : TraceForm::nothing;
}

Result<LoadedTrace> load_trace(const std::string& name, double flops_per_second, Progress& progress,
                               std::optional<trace::Matching> matching, trace::Rehearsed rehearsed) {
  const auto show = [&](double part, const std::string& what) { progress.show(part, what); };
  const std::string given =
      trace_form_of(name) == TraceForm::nothing && trace_form_of(name + ".trace") == TraceForm::trace
          ? name + ".trace"
          : name;
  const TraceForm form = trace_form_of(given);
  if (matching && form != TraceForm::recording && form != TraceForm::nothing)
    return Error{"--matching determines what a recording's receives from any source get, and " + name +
                     " is no recording",
                 "", "leave it out: in a trace they take what arrives first"};
  switch (form) {
    case TraceForm::recording:
      return from_recording(given, matching.value_or(trace::Matching::arrival), rehearsed);
    case TraceForm::goal:
      return from_goal(given, show);
    case TraceForm::time_independent:
      if (flops_per_second <= 0)
        return Error{given + " is a trace of SimGrid, which counts computing in floating-point operations",
                     "", "give the speed of a processor with --flops, e.g. --flops 1e9"};
      return taken(interchange::read_time_independent(given, flops_per_second, show));
    case TraceForm::trace: {
      auto read = trace::read_trace(std::filesystem::path(given));
      if (!read) return read.error();
      return LoadedTrace{std::move(*read), {}, false, {}, {}};
    }
    case TraceForm::model:
    case TraceForm::nothing:
      break;
  }
  if (const std::string kind = kind_of(name); !kind.empty())
    return Error{
        name + " is " + kind + ", not a trace", "",
        "give NAME.trace, a recording, GOAL (text or binary), or one of SimGrid's time-independent traces"};
  return nothing_there("there is no trace " + name, name, {".trace", ".recording", ".goal"},
                       "parcast record -o NAME.recording -- LAUNCH LINE");
}

Result<RunAsked> run_asked(const Invocation& invocation) {
  RunAsked asked;
  PARCAST_ASSIGN(asked.parameters, parameters_from(invocation.values("--param")));
  if (const auto given = invocation.value("--processes")) {
    const auto number = parse_double(*given);
    if (!number) return Error{"-p " + *given + " is not a number of processes", "", "for example -p 64"};
    if (asked.parameters.contains("p"))
      return Error{"-p and -s p= are both given", "", "leave out one of the two"};
    asked.parameters["p"] = *number;
  }
  if (const auto p = asked.parameters.find("p"); p != asked.parameters.end()) {
    PARCAST_ASSIGN(asked.processes, process_count(p->second));
    asked.parameters.erase(p);
  }
  const auto matching = invocation.value("--matching");
  if (matching && *matching != "arrival" && *matching != "recorded")
    return Error{"--matching " + *matching + " is not known", "",
                 "known: arrival (receives from any source take what arrives first in the simulation), "
                 "recorded (the message that came in the recording)"};
  if (matching)
    asked.matching = *matching == "arrival" ? trace::Matching::arrival : trace::Matching::recorded;
  return asked;
}

const std::vector<Flag>& run_flags() {
  static const std::vector<Flag> flags{
      {"--processes", 'p', "P", "of a model: number of processes"},
      {"--param", 's', "K=V", "of a model: value of a parameter of the problem", true},
      {"--matching", 0, "HOW",
       "of a recording: which message a receive or probe from any source or tag gets: arrival (the first in "
       "the simulation, default) or recorded (as in the recording)"}};
  return flags;
}

bool is_model(const std::string& name, bool asked) {
  const TraceForm form = trace_form_of(name);
  if (form == TraceForm::model) return true;
  const bool there = trace_form_of(name + ".model.json") == TraceForm::model || is_written(name);
  if (form != TraceForm::nothing || !there) return false;
  return asked || trace_form_of(name + ".trace") == TraceForm::nothing;
}

namespace {

Result<LoadedTrace> generated(const std::string& name, const RunAsked& asked) {
  PARCAST_ASSIGN(program::Model model, load_model(name));
  if (asked.machine) {
    PARCAST_ASSIGN(model, predict::with_machine_prices(model, *asked.machine));
  }
  predict::Question question;
  question.point = {asked.parameters, asked.processes};
  if (asked.processes == 0) return Error{"the number of processes is missing", name, "add -p P"};
  PARCAST_TRY(predict::check(model, question));
  const program::Model resolved = predict::model_at(model, question.point);
  PARCAST_ASSIGN(trace::Trace trace, program::generate(resolved, question.point));
  const auto scale = predict::fit_to_segments(resolved, question, trace);
  if (!scale)
    trace.assumptions.push_back(
        "computing is that of the order of operations, not of the model's segments: " + scale.error().what);
  else if (scale->factor != 1)
    trace::scale_computing(trace, scale->factor);
  if (asked.machine)
    if (std::string sentence = predict::left_out_by_following(model, *asked.machine, question);
        !sentence.empty())
      trace.assumptions.push_back(std::move(sentence));
  const bool damaged = std::ranges::any_of(model.sources, &program::Source::damaged);
  return LoadedTrace{std::move(trace), {}, damaged, model.recorded_on, {}, predict::libraries_of(model)};
}

}  // namespace

Result<RecordedComputing> recorded_computing(const Invocation& invocation, const LoadedTrace& loaded,
                                             const machine::Machine& machine, const std::string& otherwise) {
  RecordedComputing out;
  PARCAST_ASSIGN(const auto recorded, recorded_machine(invocation));
  if (recorded) {
    PARCAST_ASSIGN(out.ratio, machine::compute_ratio(*recorded, machine));
    out.assumption = "computing takes " + format_significant(out.ratio, 3) +
                     " times as long as recorded, by the core speeds of " + recorded->name + " and " +
                     machine.name;
  } else if (!predict::same_processor(loaded.recorded_on, machine)) {
    out.assumption = "recorded on " + loaded.recorded_on + ", asked for " + machine.description +
                     ": computing is assumed to be equally fast (" + otherwise + " changes that)";
  }
  return out;
}

Result<LoadedTrace> load_or_generate_trace(const std::string& name, const RunAsked& asked,
                                           double flops_per_second, Progress& progress) {
  const bool any = asked.processes > 0 || !asked.parameters.empty();
  if (is_model(name, any) && asked.matching)
    return Error{
        "--matching determines what a recording's receives from any source get, and " + name + " is a model",
        "", "leave it out"};
  if (is_model(name, any)) return generated(name, asked);
  if (any)
    return Error{"-p and -s ask a model for a run, and " + name + " is none", "",
                 "leave them out, or name a model: parcast model R.recording... makes one"};
  return load_trace(name, flops_per_second, progress, asked.matching, asked.rehearsed);
}

}  // namespace parcast::cli
