// SPDX-License-Identifier: Apache-2.0
#include "cli/record_summary.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/record_request.h"
#include "report/recording_text.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

/// A parameter p that equals the number of processes is redundant, but harmless.
bool is_harmless(const std::string& name, double value, const recording::Recording& recording) {
  return !is_reserved(name) || (name == "p" && value == recording.processes);
}

/// Returns e.g. "MPI_Psend_init 12, ...", over all ranks.
std::string unfollowed_calls(const recording::Recording& recording) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& rank : recording.ranks)
    for (const auto& call : rank.unfollowed) counts[call.name] += call.count;
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    parts.push_back(name + " " + format_integer(static_cast<long long>(count)));
  return join(parts, ", ");
}

/// Adds notices about counts of compiled programs that were merged or are missing, for the rank that lacks
/// most.
void add_counted_notices(const recording::Recording& recording, std::vector<program::Notice>& notices) {
  recording::Counted most;
  for (const auto& rank : recording.ranks) {
    const recording::Counted& counted = rank.counted;
    if (!counted.together_because.empty() && counted.events_together + counted.threads_together > 0)
      most.together_because = counted.together_because;
    most.events_together = std::max(most.events_together, counted.events_together);
    most.threads_together = std::max(most.threads_together, counted.threads_together);
    most.left_out = std::max(most.left_out, counted.left_out);
  }
  const auto number = [](std::uint64_t count, const char* what) {
    return report::counted(static_cast<long long>(count), what);
  };
  if (most.events_together > 0)
    notices.push_back({"counted-together",
                       "what is executed behind " + number(most.events_together, "kind") +
                           " of events is counted together: " + most.together_because,
                       "PARCAST_LIMIT gives the files of a process more room"});
  if (most.threads_together > 0)
    notices.push_back(
        {"threads-together",
         number(most.threads_together, "thread") +
             " counted in one place and may have lost counts to each other: " + most.together_because,
         ""});
  if (most.left_out > 0)
    notices.push_back({"counted-late",
                       std::string("what ") + (most.left_out == 1 ? "a library" : "libraries") +
                           " executed is not counted: loaded after the program's start",
                       "link it to the program, or preload it"});
}

void replace_all(std::string& text, const std::string& before, const std::string& now) {
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += now.size())
    text.replace(at, before.size(), now);
}

}  // namespace

std::vector<program::Notice> record_notices(const recording::Recording& recording) {
  std::vector<program::Notice> notices;
  if (recording.exit_code != 0)
    notices.push_back(
        {"exit-code", "the program ended with exit code " + std::to_string(recording.exit_code), ""});
  if (!recording.worlds.empty())
    notices.push_back(
        {"other-worlds",
         report::counted(static_cast<long long>(recording.worlds.size()), "further MPI_COMM_WORLD") +
             " (processes started later, or by a second launch) are recorded apart, in " +
             join(recording.worlds, ", "),
         "parcast show takes each as a recording of its own"});
  add_counted_notices(recording, notices);
  if (const auto unfollowed = unfollowed_calls(recording); !unfollowed.empty())
    notices.push_back({"unfollowed", "calls that are counted but not followed: " + unfollowed,
                       "a model has no time for them"});
  for (const auto& [name, value] : recording.parameters)
    if (!is_harmless(name, value, recording))
      notices.push_back({"reserved-parameter",
                         "the program gives a parameter " + name + " = " + format_exact(value) +
                             ", a reserved name of processes, ranks and grids: parcast model refuses it",
                         "rename it where the program calls parcast_parameter"});
  return notices;
}

std::optional<program::Notice> facts_notice(const std::vector<std::uint64_t>& without_facts) {
  if (without_facts.empty()) return std::nullopt;
  return program::Notice{"without-facts",
                         "what " + report::counted(static_cast<long long>(without_facts.size()), "module") +
                             " counted has no meaning: the facts of an executable or library were not found",
                         "record where the files lie that run, and build nothing meanwhile"};
}

void rename_in_losses(recording::Recording& recording, const std::filesystem::path& before,
                      const std::filesystem::path& now) {
  for (recording::Loss& loss : recording.losses) replace_all(loss.what, before.string(), now.string());
}

std::string record_text(const recording::Recording& recording, const std::filesystem::path& path,
                        const std::vector<program::Notice>& more) {
  std::vector<std::string> objections;
  std::vector<program::Notice> notices = record_notices(recording);
  notices.insert(notices.end(), more.begin(), more.end());
  for (const auto& notice : notices)
    objections.push_back(notice.text + (notice.hint.empty() ? "" : "; " + notice.hint));
  return report::record_summary(recording, path.string(), objections);
}

}  // namespace parcast::cli
