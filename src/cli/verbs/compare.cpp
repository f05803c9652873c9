// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "base/shell.h"
#include "cli/compare_variants.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/sweep_answer.h"
#include "cli/sweep_questions.h"
#include "cli/trace_inputs.h"
#include "cli/verbs.h"
#include "interchange/otf2.h"
#include "report/comparison_text.h"
#include "report/problems.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// A temporary folder that the destructor removes.
class Scratch {
 public:
  static Result<Scratch> make() {
    std::error_code problem;
    std::string name = (fs::temp_directory_path(problem) / "parcast-compare-XXXXXX").string();
    if (problem || !::mkdtemp(name.data()))
      return Error{"no folder can be made for what is read of the archive", name,
                   "set TMPDIR to a folder that you may write to"};
    return Scratch(name);
  }
  Scratch(Scratch&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

struct Run {
  recording::Recording recording;
  std::vector<std::string> warnings;
  bool partial = false;
};

Result<Run> run_of_recording(const std::string& name) {
  auto recording = recording::read_recording(name);
  if (!recording) return recording.error();
  Run run{std::move(*recording), {}, false};
  run.partial = !run.recording.losses.empty();
  for (const auto& problem : report::problems_of(run.recording)) run.warnings.push_back(problem.text);
  return run;
}

/// Reads the archive as a temporary recording, which is removed on return.
Result<Run> run_of_archive(const std::string& name, Progress& progress) {
  PARCAST_ASSIGN(const Scratch scratch, Scratch::make());
  const fs::path to = scratch.path() / "archive.recording";
  PARCAST_ASSIGN(const auto imported,
                 interchange::import_otf2(
                     name, to, [&](double part, const std::string& what) { progress.show(part, what); }));
  PARCAST_ASSIGN(Run run, run_of_recording(to.string()));
  run.warnings = imported.damage;
  run.warnings.insert(run.warnings.end(), imported.warnings.begin(), imported.warnings.end());
  run.partial = !imported.damage.empty();
  return run;
}

Result<Run> load_run(const std::string& name, Progress& progress) {
  if (kind_of(name) == "a recording") return run_of_recording(name);
  if (kind_of(name + ".recording") == "a recording") return run_of_recording(name + ".recording");
  std::error_code problem;
  const fs::path path(name);
  if (fs::is_regular_file(path / "traces.otf2", problem) ||
      (path.extension() == ".otf2" && fs::exists(path, problem)))
    return run_of_archive(name, progress);
  if (trace_form_of(name) != TraceForm::nothing)
    return Error{
        name + " has the operations of ranks, without the times of their calls", "",
        "simulate it on a machine: parcast simulate " + shell_quoted(name) + " -m MACHINE --to NAME.otf2"};
  if (const std::string kind = kind_of(name); !kind.empty())
    return Error{name + " is " + kind + ", not a run", "", "taken are recordings and archives of OTF2"};
  return nothing_there("there is no run " + name, name, {".recording", ".otf2"},
                       "parcast record -o NAME.recording -- LAUNCH LINE");
}

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
  const auto predicted = load_run(invocation.inputs[0], progress);
  if (!predicted) return say_error(predicted.error()), kFailed;
  const auto measured = load_run(invocation.inputs[1], progress);
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
