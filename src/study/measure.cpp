// SPDX-License-Identifier: Apache-2.0
#include "study/measure.h"

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "recording/recording.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownLines = 3;

bool is_there(const fs::path& path) {
  std::error_code problem;
  return fs::exists(fs::symlink_status(path, problem));
}

Run run_of(const Wanted& wanted, const std::string& key) {
  Run run{.name = run_name(wanted.kind, wanted.values, wanted.repeat, key),
          .key = key,
          .kind = wanted.kind,
          .values = wanted.values};
  run.repeat = wanted.repeat;
  return run;
}

std::string exit_text(int code) {
  return code > 128 ? "signal " + std::to_string(code - 128) + " ended the program"
                    : "the program ended with exit code " + std::to_string(code);
}

std::string hint_from(const fs::path& log) {
  const auto lines = last_lines(log, kShownLines);
  return (lines.empty() ? "it printed nothing: "
                        : "it printed last: " + join(lines, " | ") + "; all of it: ") +
         log.string();
}

/// Sets what follows from the recording of a run.
void describe(const recording::Recording& recording, Run& run) {
  std::int64_t slowest = 0;
  for (const recording::RankRecording& rank : recording.ranks) slowest = std::max(slowest, rank.wall);
  run.seconds = static_cast<double>(slowest) * 1e-9;
  run.launch_seconds = recording.launch_seconds;
  run.processes = recording.processes;
  run.is_crowded = recording.oversubscribed();
  run.is_damaged = !recording.losses.empty();
  run.digest = recording.digest;
  run.exit_code = recording.exit_code;
  run.is_done = recording.exit_code == 0;
  if (!run.is_done) run.fault = exit_text(recording.exit_code);
  const auto p = run.values.find("p");
  if (run.is_done && p != run.values.end() && p->second != recording.processes) {
    run.is_done = false;
    run.fault = "p is " + number_text(p->second) + ", but " + std::to_string(recording.processes) +
                (recording.processes == 1 ? " process was" : " processes were") + " recorded";
    run.hint = "does the launcher belong to another MPI library than the program, or is {p} something else?";
  }
}

/// Moves the recording of a failed run aside.
Result<void> put_aside(const Folder& folder, const Run& run) {
  const fs::path recording = folder.recording(run.name), aside = folder.failed(run.name);
  std::error_code problem;
  if (!is_there(recording)) return {};
  fs::remove_all(aside, problem);
  fs::rename(recording, aside, problem);
  if (problem)
    return Error{"the recording of a failed run cannot be moved aside: " + problem.message(),
                 recording.string(), "remove it"};
  return {};
}

}  // namespace

Result<std::string> Measuring::key(const Wanted& wanted) {
  // with inputs in a folder of a fixed name: the study may be renamed
  PARCAST_ASSIGN(const Command to_run, command_of(description_, templates_, wanted.values, "inputs"));
  return key_of(to_run, digests_.of(to_run.words, to_run.inputs), host_, wanted.repeat);
}

Result<void> Measuring::enter(const Run& run) {
  journal_.add(run);
  return write_journal(folder_.path(), journal_);
}

Result<std::optional<Run>> Measuring::finished(const Wanted& wanted) {
  PARCAST_ASSIGN(const std::string its_key, key(wanted));
  const Run* known = journal_.find(its_key, counts(wanted.kind));
  if (known && known->is_done && is_there(folder_.recording(known->name))) return std::optional(*known);
  Run run = run_of(wanted, its_key);
  if (!is_there(folder_.recording(run.name))) return std::optional<Run>();
  const auto recording = recording::read_recording(folder_.recording(run.name));
  if (recording) describe(*recording, run);
  if (!run.is_done) {
    PARCAST_TRY(put_aside(folder_, run));
    return std::optional<Run>();
  }
  PARCAST_TRY(enter(run));
  return std::optional(run);
}

Result<std::optional<Run>> Measuring::make(const Wanted& wanted, const std::function<void()>& wait) {
  PARCAST_ASSIGN(const std::string its_key, key(wanted));
  Run run = run_of(wanted, its_key);
  RunRequest request{
      .values = wanted.values, .recording = folder_.recording(run.name), .log = folder_.log(run.name)};
  PARCAST_ASSIGN(request.command, command_of(description_, templates_, wanted.values, folder_.inputs()));
  for (const Input& input : request.command.inputs) PARCAST_TRY(write_file(input.path, input.content));
  PARCAST_ASSIGN(const Ended ended, runner_.run(request, wait));
  if (ended.signal != 0) {
    std::error_code ignored;
    fs::remove_all(request.recording, ignored);
    return std::optional<Run>();
  }
  if (const auto recording = is_there(request.recording)
                                 ? recording::read_recording(request.recording)
                                 : Result<recording::Recording>(Error{"nothing was recorded", "", ""}))
    describe(*recording, run);
  else
    run.fault = recording.error().what +
                (ended.exit_code == 0 ? "" : "; the exit code is " + std::to_string(ended.exit_code));
  if (run.is_done && ended.exit_code != 0) run.is_done = false, run.fault = exit_text(ended.exit_code);
  if (!run.is_done) {
    run.exit_code = ended.exit_code;
    if (run.hint.empty()) run.hint = hint_from(request.log);
    PARCAST_TRY(put_aside(folder_, run));
  }
  PARCAST_TRY(enter(run));
  return std::optional(run);
}

Result<std::vector<Run>> Measuring::that_count() {
  std::vector<Run> out;
  for (const Run& run : journal_.runs) {
    if (!counts(run.kind) || !run.is_done || !is_there(folder_.recording(run.name))) continue;
    const auto now = key({run.kind, run.values, run.repeat});
    if (now && *now == run.key) out.push_back(run);
  }
  // in an order that does not depend on when runs were made
  std::ranges::sort(out, {},
                    [](const Run& run) { return std::pair(run.values, std::pair(run.repeat, run.key)); });
  return out;
}

}  // namespace parcast::study
