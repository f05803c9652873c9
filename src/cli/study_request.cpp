// SPDX-License-Identifier: Apache-2.0
#include "cli/study_request.h"

#include <algorithm>

#include "base/text.h"
#include "cli/default_name.h"
#include "cli/inputs.h"
#include "cli/launcher.h"
#include "machine/tools.h"
#include "predict/prediction.h"
#include "study/folder.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using study::Axis;
using study::Description;

constexpr std::string_view kStudy = ".study", kFile = ".study.toml";

/// Splits "p=1,2,4" into the name and its values.
Result<std::vector<Axis>> axes_from(const std::string& flag, const std::vector<std::string>& words) {
  std::vector<Axis> axes;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      return Error{"\"" + word + "\" does not name what varies", flag,
                   "write for example " + flag + " p=1,2,4"};
    axes.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return axes;
}

/// Splits "links.network.latency=2us", and "L*2" into L and *2.
Result<std::vector<Axis>> settings_from(const std::vector<std::string>& words) {
  std::vector<Axis> settings;
  for (const std::string& word : words) {
    const std::string name = machine::assigned_name(word);
    if (name.empty() || name.size() + 1 >= word.size())
      return Error{"\"" + word + "\" is not NAME=VALUE", "--set", "write for example L=2us, or L*2"};
    settings.push_back({name, word.substr(name.size() + (word[name.size()] == '=' ? 1 : 0))});
  }
  return settings;
}

Result<double> per_cent_from(const std::string& text) {
  const bool marked = text.ends_with("%");
  const auto value = parse_double(trim(std::string_view(text).substr(0, text.size() - (marked ? 1 : 0))));
  if (!value || !marked)
    return Error{"--precision " + text + " is not a share of the answer", "", "for example --precision 10%"};
  return *value;
}

/// A description has its own values: settings are for a study that begins with a launch line.
std::optional<std::string> described(const Invocation& invocation, const char* flag) {
  return invocation.has(flag) || !invocation.launch.empty() ? invocation.value(flag) : std::nullopt;
}

/// Flags replace parts of the description.
Result<void> apply_runs(const Invocation& invocation, Description& out) {
  if (const auto build = invocation.value("--build")) out.build = *build;
  if (invocation.has("--template")) out.templates = invocation.values("--template");
  if (invocation.has("--with")) out.recordings = invocation.values("--with");
  if (invocation.has("--oversubscribe")) out.oversubscribe = true;
  if (const auto runner = described(invocation, "--runner")) out.runner = *runner;
  if (const auto job = invocation.value("--job")) out.job = *job;
  if (invocation.has("--vary")) {
    PARCAST_ASSIGN(out.vary, axes_from("--vary", invocation.values("--vary")));
  }
  if (const auto text = described(invocation, "--budget")) {
    PARCAST_ASSIGN(out.budget, time_from("--budget", *text));
  }
  if (const auto text = invocation.value("--precision")) {
    PARCAST_ASSIGN(out.precision, per_cent_from(*text));
  }
  return {};
}

Result<void> apply_question(const Invocation& invocation, Description& out) {
  if (const auto text = invocation.value("--ask")) {
    PARCAST_ASSIGN(out.ask, study::values_from("--ask", *text));
  }
  if (invocation.has("--check")) {
    out.checks.clear();
    for (const std::string& text : invocation.values("--check")) {
      PARCAST_ASSIGN(auto values, study::values_from("--check", text));
      out.checks.push_back(std::move(values));
    }
  }
  if (const auto machine = described(invocation, "--machine")) out.machine = *machine;
  if (const auto machine = invocation.value("--recorded-on")) out.recorded_on = *machine;
  if (const auto engine = invocation.value("--engine")) out.engine = *engine;
  if (const auto text = invocation.value("--calibration")) {
    PARCAST_ASSIGN(out.calibration, time_from("--calibration", *text));
  }
  if (const auto text = invocation.value("--level")) {
    const auto level = parse_double(*text);
    if (!level) return Error{"--level " + *text + " is not a number", "", "for example --level 0.9"};
    out.level = *level;
  }
  if (invocation.has("--set")) {
    PARCAST_ASSIGN(out.set, settings_from(invocation.values("--set")));
  }
  if (invocation.has("--graph")) {
    PARCAST_ASSIGN(out.graph, axes_from("--graph", invocation.values("--graph")));
  }
  return {};
}

/// Returns the description, its folder and its working folder, as far as the input determines them.
Result<StudyRequest> read_input(const std::string& input) {
  StudyRequest out;
  const std::string path =
      input.size() > 1 && input.ends_with('/') ? input.substr(0, input.size() - 1) : input;
  const bool is_folder = study::is_study(path);
  if (!is_folder && kind_of(path).empty())
    return nothing_there("there is no study " + path, path, {kStudy, kFile},
                         "parcast study --vary N=96,143,203 -- mpirun -n {p} ./app {N}");
  if (!is_folder && fs::is_directory(path))
    return Error{path + " is " + kind_of(path) + ", not a study", "",
                 "name a folder that parcast study made, or a description NAME.study.toml"};
  PARCAST_ASSIGN(out.description,
                 study::read_description(is_folder ? fs::path(path) / "study.toml" : fs::path(path)));
  const fs::path here = fs::absolute(path).lexically_normal();
  out.name = is_folder               ? path
             : path.ends_with(kFile) ? path.substr(0, path.size() - kFile.size() + kStudy.size())
                                     : path + std::string(kStudy);
  out.working =
      out.description.folder.empty() ? here.parent_path() : here.parent_path() / out.description.folder;
  return out;
}

std::string default_folder(const Description& description) {
  return default_name(program_in(description.launch).filename().string(), kStudy);
}

}  // namespace

Result<StudyRequest> study_request(const Invocation& invocation) {
  StudyRequest out;
  if (!invocation.inputs.empty() && !invocation.launch.empty())
    return Error{"a study is named, and a launch line is given", "",
                 "leave out one of them; a launch line goes on with its own study, by -o"};
  if (invocation.inputs.empty()) {
    out.description.launch = invocation.launch;
    out.working = fs::current_path();
    out.name = default_folder(out.description);
  } else {
    PARCAST_ASSIGN(out, read_input(invocation.inputs.front()));
  }
  PARCAST_TRY(apply_runs(invocation, out.description));
  PARCAST_TRY(apply_question(invocation, out.description));
  if (const auto name = invocation.value("--output")) {
    if (name->empty()) return Error{"--output is empty", "", "for example -o app.study"};
    out.name = *name;
  }
  out.folder = fs::absolute(out.name).lexically_normal();
  if (!fs::is_directory(out.working))
    return Error{"the folder in which the study runs its commands is not there", out.working.string(),
                 "change `folder` in its description"};
  out.description.folder = out.working.string();
  return out;
}

const std::vector<Flag>& study_flags() {
  static const std::vector<Flag> flags{
      {"--vary", 0, "K=LIST",
       "values of {K} in the runs: 1,2,4,...,64 or 1..16 or 64..4096*2 (without one of p: 1, 2, 4, up to the "
       "cores)",
       true},
      {"--template", 0, "FILE", "input file with placeholders, filled for each run; the launch line names it",
       true},
      {"--build", 0, "LINE", "run this first, by sh, e.g. 'make CC=parcast-cc'"},
      {"--with", 0, "R.recording", "an earlier recording to include in the model", true},
      {"--oversubscribe", 0, "",
       "runs may have more processes than cores; they serve for counts, not for times"},
      {"--runner", 0, "NAME",
       "local (default): one run at a time; parallel: several at once, by GNU parallel; slurm: an array job",
       false, "runner"},
      {"--job", 0, "FILE",
       "of slurm: a template of the script, with {array} and {command} (docs/formats/study.md)"},
      {"--ask", 0, "K=V,...",
       "the run to predict, e.g. p=64,N=4096 (default: twice the processes of the largest run)"},
      {"--precision", 0, "PERCENT",
       "make further runs until half the interval is at most this part of the answer, e.g. 10%"},
      {"--budget", 0, "TIME", "how long all runs may take together (with --precision: default 15min)", false,
       "budget"},
      {"--check", 0, "K=V,...", "a run to make at the end, to be compared with its prediction", true},
      {"--machine", 'm', "X", "machine of the answer (default: this one, which is calibrated)", false,
       "machine"},
      {"--recorded-on", 0, "X",
       "machine of the runs, where the answer is for another: computing is scaled by the core speeds of the "
       "two"},
      {"--calibration", 0, "TIME", "how long the calibration of this machine may take (default 60s)"},
      {"--set", 0, "K=V",
       "a parameter of the machine that differs in the answer: links.network.latency=2us, L*2", true},
      engine_flag(),
      {"--level", 0, "X", "level of intervals, default 0.9"},
      {"--graph", 0, "K=LIST",
       "predict over p, a placeholder or a parameter of the machine, of which *1,*2,*4 are multiples; one or "
       "two of them",
       true}};
  return flags;
}

}  // namespace parcast::cli
