// SPDX-License-Identifier: Apache-2.0
#include "cli/record_gather.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/shell.h"
#include "base/text.h"
#include "cli/node_launch.h"
#include "cli/output.h"
#include "cli/record_gather_json.h"
#include "cli/record_summary.h"
#include "recording/container.h"
#include "recording/containers.h"
#include "recording/counts_packing.h"
#include "recording/gather.h"
#include "recording/module_facts.h"
#include "recording/records.h"
#include "report/words.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> local_folder_of(const fs::path& recording, const fs::path& directory) {
  char folder[4200];
  const bool given = parcast_local_of(folder, sizeof folder, directory.empty() ? nullptr : directory.c_str(),
                                      recording.c_str());
  return given ? std::optional<fs::path>(folder) : std::nullopt;
}

std::string failure_text(const parcast_gathered& gathered) {
  return gathered.error ? std::string(gathered.where) + ": " + std::strerror(gathered.error) : "";
}

/// Counts the ranks in the folder, and the ranks that there are.
void count_ranks(const fs::path& folder, GatherOutcome& outcome) {
  std::vector<recording::Loss> ignored;
  const auto places = recording::rank_places(folder, ignored);
  if (!places) return;
  outcome.present = static_cast<int>(places->ranks.size());
  outcome.not_local =
      static_cast<int>(std::count_if(places->ranks.begin(), places->ranks.end(),
                                     [](const auto& each) { return !each.second.front().part; }));
  for (const auto& [rank, each] : places->ranks) {
    const auto bytes = recording::read_place(each.front(), ignored);
    const auto header = bytes ? recording::read_header(*bytes, "") : Result<parcast_header>(bytes.error());
    if (!header) continue;
    outcome.processes = header->processes;
    return;
  }
}

bool complete(const GatherOutcome& outcome) {
  return outcome.failure.empty() && outcome.processes > 0 && outcome.present == outcome.processes;
}

std::string commands(const Launch& launch, const fs::path& recording) {
  const std::string folder = shell_quoted(fs::absolute(recording).string());
  return "once on each node, by any launcher: parcast record --gather " + folder +
         ", or, where nothing is installed, LD_PRELOAD=" + shell_quoted(launch.recorder.string()) +
         " PARCAST_GATHER=" + folder + " /bin/true";
}

}  // namespace

Result<void> mark_local(const Launch& launch) {
  const auto folder = local_folder_of(launch.folder, launch.local);
  if (!folder)
    return Error{"the path is too long", launch.local.string(), "name a shorter folder with --local"};
  std::error_code problem;
  fs::create_symlink(*folder, launch.folder / PARCAST_LOCAL_LINK, problem);
  if (problem)
    return Error{"a link cannot be made: " + problem.message(), launch.folder.string(),
                 "write elsewhere with -o, or leave --local out"};
  return {};
}

GatherOutcome gather_run(const Launch& launch) {
  GatherOutcome outcome;
  parcast_gathered here{};
  if (const auto folder = local_folder_of(launch.folder, {}))
    parcast_gather(folder->c_str(), launch.folder.c_str(), 1, &here);
  outcome.failure = failure_text(here);
  count_ranks(launch.folder, outcome);
  const auto elsewhere = once_per_node(launch.command, outcome.processes, {"/bin/true"});
  if (elsewhere && (!complete(outcome) || elsewhere->names_hosts)) {
    outcome.saw_nodes =
        run_beside(elsewhere->command, launch.recorder, {{"PARCAST_GATHER", launch.folder.string()}}) == 0;
    count_ranks(launch.folder, outcome);
  }
  outcome.is_all = complete(outcome);
  std::error_code ignored;
  if (outcome.is_all) fs::remove(launch.folder / PARCAST_LOCAL_LINK, ignored);
  return outcome;
}

std::optional<program::Notice> gather_notice(const GatherOutcome& outcome, const Launch& launch,
                                             const fs::path& recording) {
  if (outcome.is_all && outcome.not_local > 0)
    return program::Notice{"not-local",
                           report::counted(outcome.not_local, "process") + " could not write to " +
                               launch.local.string() + " on their nodes, and wrote to the recording itself",
                           "name a folder that they may write to"};
  if (outcome.is_all) return std::nullopt;
  const std::string hint = commands(launch, recording);
  if (!outcome.failure.empty())
    return program::Notice{
        "not-gathered", "what processes wrote on this node could not be gathered: " + outcome.failure, hint};
  const std::string which = outcome.processes > 0
                                ? std::to_string(outcome.processes - outcome.present) + " of " +
                                      report::counted(outcome.processes, "process") + " are not here: they"
                                : "no process is here: they";
  return program::Notice{
      "not-gathered", which + " left no file, or it lies on their nodes in " + launch.local.string(), hint};
}

namespace {

/// Stores the facts of modules if this node's gathering completed the recording and the programs counted:
/// their files lie on this host. Returns the modules without facts.
Result<std::vector<std::uint64_t>> store_facts_when_all_is_here(const fs::path& folder) {
  std::vector<recording::Loss> ignored;
  GatherOutcome outcome;
  count_ranks(folder, outcome);
  const auto places = recording::rank_places(folder, ignored);
  std::error_code problem;
  if (!complete(outcome) || !places || places->counts.empty() || fs::exists(folder / "facts", problem))
    return std::vector<std::uint64_t>{};
  PARCAST_ASSIGN(const auto read, recording::read_recording(folder));
  return recording::store_facts(folder, read);
}

}  // namespace

int run_gather(const Invocation& invocation) {
  for (const char* flag : {"--output", "--name", "--param", "--classes", "--keep-times", "--stack",
                           "--counters", "--baton", "--local"})
    if (invocation.has(flag))
      return say_error({std::string(flag) + " is for recording, --gather for what was recorded", "",
                        "leave one out"}),
             kUsage;
  if (!invocation.launch.empty())
    return say_error({"--gather takes no launch line", "", "see parcast record -h"}), kUsage;
  const std::string given = *invocation.value("--gather");
  std::error_code problem;
  if (!fs::is_directory(given, problem))
    return say_error({"there is no such folder", given,
                      "give NAME.recording, on a file system that this node sees"}),
           kFailed;
  const fs::path recording = fs::absolute(given).lexically_normal();
  const std::string from = invocation.value("--from").value_or("");
  const fs::path directory = from.empty() ? fs::path() : fs::absolute(from);
  const fs::path folder = local_folder_of(recording, directory).value_or(recording);
  if (const auto packed = recording::pack_counts(folder, false); !packed)
    say_warning(invocation, packed.error());
  parcast_gathered gathered;
  parcast_gather(folder.c_str(), recording.c_str(), 1, &gathered);
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  if (invocation.json())
    print_result(gathered_to_json(gathered, given, folder, host));
  else if (!invocation.quiet()) {
    const std::string size =
        gathered.containers ? ", " + format_bytes(static_cast<double>(gathered.bytes)) : "";
    print_result(std::string(host) + ": " + report::counted(gathered.ranks, "rank") + " gathered in " +
                 given + size + "\n");
  }
  if (gathered.running)
    say_warning(invocation, {report::counted(gathered.running, "rank") + " still being written left alone",
                             folder.string(), "gather again when the run has ended"});
  const auto without_facts = store_facts_when_all_is_here(recording);
  if (!without_facts) return say_error(without_facts.error()), kFailed;
  if (const auto missing = facts_notice(*without_facts))
    say_warning(invocation, {missing->text, given, missing->hint});
  if (!gathered.error) return kAnswered;
  say_error({"not all could be gathered: " + std::string(std::strerror(gathered.error)), gathered.where,
             "the files stay in " + folder.string() + "; run this again when the cause is mended"});
  return kFailed;
}

}  // namespace parcast::cli
