// SPDX-License-Identifier: Apache-2.0
#include "study/replays.h"

#include <algorithm>

#include "base/text.h"
#include "predict/replay.h"
#include "recording/recording.h"

namespace parcast::study {
namespace {

/// Other work on the host rarely lengthens the same computing time in all of them.
constexpr int kRecordings = 3;

/// Leaves out damaged recordings if others are complete. Returns the warning about them, if any is damaged.
std::optional<predict::Warning> leave_out_damaged(std::vector<recording::Recording>& recordings) {
  const auto is_damaged = [](const recording::Recording& each) { return !each.losses.empty(); };
  const auto all = static_cast<std::ptrdiff_t>(recordings.size());
  const std::ptrdiff_t damaged = std::ranges::count_if(recordings, is_damaged);
  if (damaged == 0) return std::nullopt;
  const std::string text = std::to_string(damaged) + " of " + std::to_string(all) +
                           " recordings of this run " + (damaged == 1 ? "is" : "are") + " damaged";
  const std::string hint = "parcast study with --fresh makes them again";
  if (damaged == all) return predict::Warning{"damaged", text + ", and the answer rests on them", hint};
  std::erase_if(recordings, is_damaged);
  return predict::Warning{"damaged-recording", text + ", and left out", hint};
}

}  // namespace

Result<std::vector<std::filesystem::path>> Replays::recordings_at(const Values& values) {
  std::vector<std::filesystem::path> out;
  for (int repeat = 1; repeat <= kRecordings; ++repeat) {
    const Wanted wanted{RunKind::replayed, values, repeat};
    std::optional<Run> run;
    if (repeat == 1) {
      PARCAST_ASSIGN(run, measuring_.finished({RunKind::design, values}));
    }
    if (!run) {
      PARCAST_ASSIGN(run, measuring_.finished(wanted));
    }
    if (!run) {
      PARCAST_ASSIGN(run, make_(wanted));
    }
    if (!run)
      return Error{"the run at " + point_text(values) + " was interrupted", "", "start the study again"};
    if (!run->is_done)
      return Error{"the run at " + point_text(values) + " failed: " + run->fault, "", run->hint};
    here_[run->name] = run->launch_seconds;
    out.push_back(folder_.recording(run->name));
  }
  return out;
}

Result<predict::Prediction> Replays::answer(const machine::Machine& machine, const Values& values,
                                            const std::shared_ptr<const machine::Machine>& recorded_on,
                                            double level) {
  PARCAST_ASSIGN(const std::vector<std::filesystem::path> paths, recordings_at(values));
  std::vector<recording::Recording> recordings;
  for (const std::filesystem::path& path : paths) {
    PARCAST_ASSIGN(recording::Recording recording, recording::read_recording(path));
    recording::resolve_sites(recording);
    recordings.push_back(std::move(recording));
  }
  const std::optional<predict::Warning> damaged = leave_out_damaged(recordings);
  PARCAST_ASSIGN(predict::Prediction out, predict::replayed(recordings, machine, recorded_on));
  if (damaged) out.warnings.insert(out.warnings.begin(), *damaged);
  there_ += out.seconds.value;
  ++answers_;
  out.question.point.parameters = values;
  out.question.point.parameters.erase("p");
  // the program's own parameters, which are no placeholders
  for (const auto& [name, value] : recordings.front().parameters)
    out.question.point.parameters.try_emplace(name, value);
  out.question.level = level;
  return out;
}

std::string Replays::comparison(const std::string& machine) const {
  double here = 0;
  for (const auto& [name, seconds] : here_) here += seconds;
  if (!(here > 0)) return "";
  return "each answer replays a run with as many virtual processors: " + std::to_string(here_.size()) +
         " recordings took " + format_seconds(here) + " here; the " + std::to_string(answers_) +
         " predicted runs take " + format_seconds(there_) + " on " + machine + ", " +
         format_significant(there_ / here, 2) + " times as long";
}

}  // namespace parcast::study
