// SPDX-License-Identifier: Apache-2.0
#include "cli/record_cause.h"

#include <algorithm>
#include <cerrno>

#include "base/shell.h"
#include "base/text.h"
#include "cli/checkup.h"
#include "cli/cleared_preload.h"
#include "report/problems.h"

namespace parcast::cli {
namespace {

bool is_full(const std::error_code& room) {
  return room == std::errc::no_space_on_device || room == std::error_code(EDQUOT, std::generic_category());
}

bool regions_alone(const std::string& classes) {
  const auto words = split(classes, ',');
  return words == std::vector<std::string>{"user"};
}

std::string command_text(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return join(quoted, " ");
}

/// Returns the reason if there are files of processes, but no events.
Error without_events(const Launch& launch, const std::string& where, const recording::Recording& recording) {
  if (regions_alone(launch.classes))
    return {"no region was recorded: the program entered none between MPI_Init and MPI_Finalize", where,
            "leave out --classes, or name regions or phases in the program (parcast/parcast.h)"};
  const auto problems = report::problems_of(recording);
  return {"no event was recorded" + (problems.empty() ? "" : ": " + problems.front().text), where,
          "run parcast doctor on the program"};
}

}  // namespace

Error why_nothing_was_recorded(const Launch& launch, int exit_code, std::error_code room,
                               const recording::Recording* recording) {
  const std::string where = command_text(launch.command);
  if (is_full(room))
    return {"nothing was recorded: no space is left on the file system of " +
                launch.folder.parent_path().string(),
            where, "free some space, or record to another file system with -o"};
  if (recording) return without_events(launch, where, *recording);
  const auto cleared = what_clears_preload(launch.command);
  if (exit_code != 0)
    return {"the launch line ended with exit code " + std::to_string(exit_code) +
                " before any process was recorded",
            where,
            "its own message has the reason; if the program did start, " +
                (cleared ? cleared->text + ": " + cleared->hint
                         : "parcast doctor PROGRAM checks whether it can be recorded")};
  if (cleared) return {"no process was recorded: " + cleared->text, where, cleared->hint};
  if (const auto finding = what_hinders(launch.command))
    return {"no process was recorded: " + finding->text, where, finding->hint};
  return {
      "no process was recorded: the program does not use MPI and names no region or phase, is linked "
      "statically, uses an MPI other than Open MPI 4 or MPICH, or something that starts it clears LD_PRELOAD",
      where, "parcast doctor PROGRAM finds it"};
}

bool holds_events(const recording::Recording& recording) {
  return std::any_of(recording.ranks.begin(), recording.ranks.end(), [](const auto& rank) {
    return recording::event_count(rank) > 0 || !rank.phases.empty() || !rank.counted.sets.empty();
  });
}

}  // namespace parcast::cli
