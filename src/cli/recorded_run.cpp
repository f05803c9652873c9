// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_run.h"

#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "base/shell.h"
#include "cli/inputs.h"
#include "cli/trace_inputs.h"
#include "interchange/otf2.h"
#include "report/problems.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// A temporary folder that the destructor removes.
class Scratch {
 public:
  static Result<Scratch> make() {
    std::error_code problem;
    std::string name = (fs::temp_directory_path(problem) / "parcast-run-XXXXXX").string();
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

Result<RecordedRun> from_recording(const std::string& name) {
  auto recording = recording::read_recording(name);
  if (!recording) return recording.error();
  RecordedRun run{std::move(*recording), {}, {}, false, name, false};
  run.line = interchange::time_line(run.recording, name);
  run.partial = !run.recording.losses.empty();
  for (const auto& problem : report::problems_of(run.recording)) run.warnings.push_back(problem.text);
  return run;
}

Result<RecordedRun> from_archive(const std::string& name, Progress& progress) {
  PARCAST_ASSIGN(const Scratch scratch, Scratch::make());
  const fs::path to = scratch.path() / "archive.recording";
  PARCAST_ASSIGN(const auto imported,
                 interchange::import_otf2(
                     name, to, [&](double part, const std::string& what) { progress.show(part, what); }));
  progress.clear();
  PARCAST_ASSIGN(RecordedRun run, from_recording(to.string()));
  run.warnings = imported.damage;
  run.warnings.insert(run.warnings.end(), imported.warnings.begin(), imported.warnings.end());
  run.partial = !imported.damage.empty();
  run.path = name, run.is_archive = true;
  return run;
}

bool is_archive(const std::string& name) {
  std::error_code problem;
  const fs::path path(name);
  return fs::is_regular_file(path / "traces.otf2", problem) ||
         (path.extension() == ".otf2" && fs::exists(path, problem));
}

/// Returns whether this is a recording: a folder of that name is one too, whatever it holds.
bool is_recording(const std::string& name) {
  const std::string kind = kind_of(name);
  return kind == "a recording" || (kind == "a folder" && name.ends_with(".recording"));
}

}  // namespace

bool names_recorded_run(const std::string& name) {
  return is_recording(name) || is_archive(name) ||
         (kind_of(name).empty() && kind_of(name + ".recording") == "a recording");
}

Result<RecordedRun> load_recorded_run(const std::string& name, Progress& progress) {
  if (is_recording(name)) return from_recording(name);
  if (kind_of(name + ".recording") == "a recording") return from_recording(name + ".recording");
  if (is_archive(name)) return from_archive(name, progress);
  if (trace_form_of(name) != TraceForm::nothing)
    return Error{
        name + " has the operations of ranks, without the times of their calls", "",
        "simulate it on a machine: parcast simulate " + shell_quoted(name) + " -m MACHINE --to NAME.otf2"};
  if (const std::string kind = kind_of(name); !kind.empty())
    return Error{name + " is " + kind + ", not a run", "", "give a recording or an archive of OTF2"};
  return nothing_there("there is no run " + name, name, {".recording", ".otf2"},
                       "parcast record -o NAME.recording -- LAUNCH LINE");
}

}  // namespace parcast::cli
