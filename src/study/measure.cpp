// SPDX-License-Identifier: Apache-2.0
#include "study/measure.h"

#include <algorithm>
#include <limits>

#include "base/files.h"
#include "base/plain_number.h"
#include "base/text.h"
#include "recording/recording.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

constexpr std::ptrdiff_t kShownLines = 2;  // at the beginning and at the end
constexpr std::size_t kShownBytes = 100;   // of a line; no character is cut

bool is_entry(const fs::path& path) {
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

/// A launcher gives its reason first, a program last.
std::string hint_from(const fs::path& log) {
  std::vector<std::string> lines = last_lines(log, std::numeric_limits<std::size_t>::max());
  if (lines.size() > 2 * kShownLines + 1) {
    lines.erase(lines.begin() + kShownLines, lines.end() - kShownLines);
    lines.insert(lines.begin() + kShownLines, "...");
  }
  for (std::string& line : lines) {
    std::size_t end = std::min(line.size(), kShownBytes);
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    if (end < line.size()) line = line.substr(0, end) + "...";
  }
  return (lines.empty() ? "it printed nothing: " : "it printed " + join(lines, " | ") + "; all of it: ") +
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
    run.fault = "p is " + format_plain(p->second) + ", but " + std::to_string(recording.processes) +
                (recording.processes == 1 ? " process was" : " processes were") + " recorded";
    run.hint = "does the launcher belong to another MPI library than the program, or is {p} something else?";
  }
}

/// Moves the recording of a failed run aside.
Result<void> put_aside(const Folder& folder, const Run& run) {
  const fs::path recording = folder.recording(run.name), aside = folder.failed(run.name);
  std::error_code problem;
  if (!is_entry(recording)) return {};
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
  return key_of(to_run, digests_.of(to_run.words, to_run.inputs, templates_), host_, wanted.repeat);
}

Result<void> Measuring::enter(const Run& run) {
  journal_.add(run);
  return write_journal(folder_.path(), journal_);
}

Result<std::optional<Run>> Measuring::finished(const Wanted& wanted) {
  PARCAST_ASSIGN(const std::string its_key, key(wanted));
  const Run* known = journal_.find(its_key, counts(wanted.kind));
  if (known && known->is_done && is_entry(folder_.recording(known->name))) return std::optional(*known);
  Run run = run_of(wanted, its_key);
  if (!is_entry(folder_.recording(run.name))) return std::optional<Run>();
  const auto recording = recording::read_recording(folder_.recording(run.name));
  if (recording) describe(*recording, run);
  if (!run.is_done) {
    PARCAST_TRY(put_aside(folder_, run));
    return std::optional<Run>();
  }
  PARCAST_TRY(enter(run));
  return std::optional(run);
}

/// Writes the inputs of a run into a folder, and returns what starts it.
Result<Task> Measuring::prepare(const Wanted& wanted, const Run& run, const fs::path& inputs) {
  PARCAST_ASSIGN(const Command command, command_of(description_, templates_, wanted.values, inputs));
  for (const Input& input : command.inputs) PARCAST_TRY(write_file(input.path, input.content));
  const auto p = wanted.values.find("p");
  return Task{run.name, recorded(parcast_, folder_.recording(run.name), wanted.values, command.words),
              folder_.log(run.name), p == wanted.values.end() ? 1 : static_cast<int>(p->second)};
}

/// Enters a run that has ended.
Result<void> Measuring::finish(const Ended& ended, Run& run) {
  const fs::path path = folder_.recording(run.name);
  if (const auto recording = is_entry(path)
                                 ? recording::read_recording(path)
                                 : Result<recording::Recording>(Error{"nothing was recorded", "", ""}))
    describe(*recording, run);
  else
    run.fault = recording.error().what +
                (ended.exit_code == 0 ? "" : "; the exit code is " + std::to_string(ended.exit_code));
  if (run.is_done && ended.exit_code != 0) run.is_done = false, run.fault = exit_text(ended.exit_code);
  if (!run.is_done) {
    if (!ended.fault.empty()) run.fault = ended.fault;
    run.exit_code = ended.exit_code;
    if (run.hint.empty()) run.hint = hint_from(folder_.log(run.name));
    PARCAST_TRY(put_aside(folder_, run));
  }
  return enter(run);
}

Result<std::optional<Run>> Measuring::make(const Wanted& wanted, const std::function<void()>& wait) {
  PARCAST_ASSIGN(auto runs, make_all({wanted}, [&](std::size_t) {
                   if (wait) wait();
                 }));
  return runs ? std::optional(std::move(runs->front())) : std::nullopt;
}

Result<std::optional<std::vector<Run>>> Measuring::make_all(const std::vector<Wanted>& wanted,
                                                            const WaitForTasks& wait) {
  std::vector<Run> runs;
  std::vector<Task> tasks;
  for (const Wanted& each : wanted) {
    PARCAST_ASSIGN(const std::string its_key, key(each));
    runs.push_back(run_of(each, its_key));
    // runs at once must not fill the same file
    const bool is_alone = !runner_.takes_many();
    const fs::path inputs = is_alone ? folder_.inputs() : folder_.inputs() / runs.back().name;
    std::error_code problem;
    fs::create_directories(inputs, problem);
    PARCAST_ASSIGN(Task task, prepare(each, runs.back(), inputs));
    tasks.push_back(std::move(task));
  }
  PARCAST_ASSIGN(const std::vector<Ended> ended, runner_.run(tasks, wait));
  if (std::ranges::any_of(ended, [](const Ended& each) { return each.signal != 0; })) {
    std::error_code ignored;
    if (!runner_.takes_many()) fs::remove_all(folder_.recording(runs.front().name), ignored);
    return std::optional<std::vector<Run>>();
  }
  for (std::size_t i = 0; i < runs.size(); ++i) PARCAST_TRY(finish(ended[i], runs[i]));
  return std::optional(std::move(runs));
}

Result<std::vector<Run>> Measuring::that_count() {
  std::vector<Run> out;
  for (const Run& run : journal_.runs) {
    if (!counts(run.kind) || !run.is_done || !is_entry(folder_.recording(run.name))) continue;
    const auto now = key({run.kind, run.values, run.repeat});
    if (now && *now == run.key) out.push_back(run);
  }
  // in an order that does not depend on when runs were made
  std::ranges::sort(out, {},
                    [](const Run& run) { return std::pair(run.values, std::pair(run.repeat, run.key)); });
  return out;
}

}  // namespace parcast::study
