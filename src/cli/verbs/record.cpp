// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include <ctime>
#include <filesystem>
#include <thread>

#include "base/host.h"
#include "cli/inputs.h"
#include "cli/launch.h"
#include "cli/launch_line.h"
#include "cli/output.h"
#include "cli/record_cause.h"
#include "cli/record_folder.h"
#include "cli/record_gather.h"
#include "cli/record_request.h"
#include "cli/record_summary.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "recording/containers.h"
#include "recording/counts_packing.h"
#include "recording/module_facts.h"
#include "recording/recording_file.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

std::string processor_model() {
  if (std::string name = processor_name(); !name.empty()) return name;
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "unknown processor";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Error kept_in(const fs::path& folder, const Error& error) {
  return {error.what, error.where, "what the ranks wrote lies in " + folder.string()};
}

Error discarded(const fs::path& folder, Error cause) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return cause;
}

/// Reads the files of the ranks; removes the folder if there are none.
Result<recording::Recording> read_ranks(const Launch& launch, int exit_code) {
  if (!recording::holds_ranks(launch.folder)) {
    const std::error_code room = room_for_a_rank(launch.folder);
    return discarded(launch.folder, why_nothing_was_recorded(launch, exit_code, room, nullptr));
  }
  auto recording = recording::read_recording(launch.folder);
  if (!recording) return kept_in(launch.folder, recording.error());
  if (holds_events(*recording) || !recording->worlds.empty()) return recording;
  const std::error_code room = room_for_a_rank(launch.folder);
  rename_in_losses(*recording, launch.folder / "", "");
  return discarded(launch.folder, why_nothing_was_recorded(launch, exit_code, room, &*recording));
}

void add_what_the_launcher_knows(recording::Recording& recording, const RecordRequest& request,
                                 const Launch& launch, const LaunchOutcome& outcome,
                                 const std::string& started) {
  for (const auto& [name, value] : request.parameters) recording.parameters[name] = value;
  recording.program = request.program;
  recording.command = launch.command;
  recording.started = started;
  recording.exit_code = outcome.exit_code;
  recording.launch_seconds = outcome.seconds;
  recording.cores_per_host = static_cast<int>(std::thread::hardware_concurrency());
  recording.machine_summary = processor_model() + ", " + std::to_string(recording.cores_per_host) + " cores";
  recording.virtual_machine = on_virtual_machine();
}

/// Names a recording whose ranks are all still on other nodes, and writes what is known of the run.
Error keep_for_later(const RecordRequest& request, const Launch& launch, const recording::Recording& run,
                     const GatherOutcome& gathered) {
  if (const auto written = recording::write_meta(launch.folder, run); !written)
    return kept_in(launch.folder, written.error());
  const auto path = take_name(launch.folder, request);
  if (!path) return path.error();
  const auto notice = gather_notice(gathered, launch, *path);
  return {notice->text, path->string(), notice->hint};
}

/// Gathers the files of the nodes, writes meta.json, takes the final name, adds the run to the store, and
/// prints the summary.
Result<void> gather(const Invocation& invocation, RecordRequest request, const Launch& launch,
                    const LaunchOutcome& outcome, const std::string& started) {
  const GatherOutcome gathered = launch.local.empty() ? GatherOutcome{.is_all = true} : gather_run(launch);
  if (gathered.may_be_elsewhere()) {
    recording::Recording run;
    add_what_the_launcher_knows(run, request, launch, outcome, started);
    return keep_for_later(request, launch, run, gathered);
  }
  if (gathered.is_all) number_worlds(launch.folder);  // else a later gathering relies on the present names
  PARCAST_ASSIGN(recording::Recording recording, read_ranks(launch, outcome.exit_code));
  request.program = recorded_name(request, launch.command, recording);
  add_what_the_launcher_knows(recording, request, launch, outcome, started);
  if (const auto written = recording::write_meta(launch.folder, recording); !written)
    return kept_in(launch.folder, written.error());
  const auto without_facts = recording::store_facts(launch.folder, recording);
  if (!without_facts) return kept_in(launch.folder, without_facts.error());
  if (const auto packed = recording::pack_counts(launch.folder, true); !packed)
    return kept_in(launch.folder, packed.error());
  PARCAST_ASSIGN(const fs::path path, take_name(launch.folder, request));
  rename_in_losses(recording, launch.folder, path);
  remember(invocation, [&](store::Store& store) { return store.add_recording(path, recording); });
  std::vector<program::Notice> notices;
  if (const auto missing = gather_notice(gathered, launch, path)) notices.push_back(*missing);
  if (const auto missing = facts_notice(*without_facts)) notices.push_back(*missing);
  if (invocation.json())
    print_message(record_to_json(recording, path, notices));
  else if (!invocation.quiet())
    print_message(record_text(recording, path, notices));
  return {};
}

int run_record(const Invocation& invocation) {
  if (invocation.has("--gather")) return run_gather(invocation);
  const auto request = record_request(invocation);
  if (!request) return say_error(request.error()), kUsage;
  if (const auto misplaced = misplaced_flags(record_verb(), invocation)) say_warning(invocation, *misplaced);
  const auto recorder = find_recorder();
  if (!recorder) return say_error(recorder.error()), kFailed;
  const auto folder = working_folder(*request);
  if (!folder) return say_error(folder.error()), kFailed;
  for (const std::filesystem::path& left : abandoned_folders(*folder))
    say_warning(invocation, {"a parcast record that was ended left what it had recorded", left.string(),
                             "rename it to NAME.recording to use it, or remove it"});

  const Launch launch{invocation.launch, *recorder,      *folder,
                      request->classes,  request->local, request->settings};
  if (!launch.local.empty())
    if (const auto marked = mark_local(launch); !marked)
      return say_error(discarded(*folder, marked.error())), kFailed;
  const std::string started = utc_now();
  const auto outcome = run(launch);
  if (!outcome) {
    say_error(discarded(*folder, outcome.error()));
    return outcome.error().hint.empty() ? 126 : 127;
  }
  const auto gathered = gather(invocation, *request, launch, *outcome, started);
  if (gathered) return outcome->exit_code;
  say_error(gathered.error());
  return outcome->exit_code != 0 ? outcome->exit_code : kFailed;  // a script must not mistake it for recorded
}

}  // namespace

const Verb& record_verb() {
  static const Verb verb{
      .name = "record",
      .summary = "run a program and record its communication and computing time",
      .takes_launch_line = true,
      .without_launch_line = "--gather",
      .flags = {{"--output", 'o', "R.recording", "where to keep it (default PROGRAM-1.recording, -2, ...)"},
                {"--name", 0, "APP", "name of the program (default: of the executable)"},
                {"--param", 0, "K=V", "value of a parameter of the problem in this run", true},
                {"--classes", 0, "LIST", "event classes to record: mpi,io,user,memory (default all)"},
                {"--keep-times", 0, "",
                 "keep the time of every event; the recording then grows with the run"},
                {"--stack", 0, "", "make the functions on the call stack regions: main/solve/exchange"},
                {"--counters", 0, "",
                 "count cycles, instructions and cache misses too, where the kernel allows it"},
                {"--few-system-calls", 0, "",
                 "for programs under a filter of system calls (seccomp): avoid fallocate and getrusage; "
                 "memory is not recorded"},
                {"--baton", 0, "KIND",
                 "with more ranks than cores, let ranks compute long segments in turn: auto (default), off, "
                 "always"},
                {"--local", 0, "DIR",
                 "processes write to DIR on their own nodes; gathered at the end, one file per node"},
                {"--gather", 0, "R.recording",
                 "no run: gather on this node what processes of R left here, one file per node"},
                {"--from", 0, "DIR", "with --gather: DIR of --local, where it has another name on this node"},
                store_flag(),
                no_store_flag()},
      .examples = {"parcast record --param N=256 -- mpirun -n 2 ./shallow_water 256 100",
                   "parcast record -o small.recording --name lj -- mpirun -n 4 lmp -in in.lj",
                   "parcast record --classes mpi -- srun -n 8 ./app",
                   "parcast record --local /tmp -- srun -N 16 -n 1024 ./app",
                   "srun --ntasks-per-node=1 parcast record --gather app-1.recording"},
      .notes =
          {"The first word that is no flag begins the launch line; -- may be left out.",
           "The exit code is that of the launch line; 1 where that is 0 and nothing was recorded; 2 for an "
           "error of usage.",
           "--baton auto does so for segments that other ranks slow, and takes at most a third more time. "
           "PARCAST_BATON sets the default.",
           "With the launchers of Open MPI and MPICH and with srun, --local gathers at the end. With others, "
           "Parcast prints the command that gathers; nothing is lost.",
           "A number on the command line that differs between runs becomes a parameter without --param: -n "
           "64 is n (parcast model).",
           "--gather of a complete recording packs its files in place, into one per node.",
           "stdout is the program's: with --json the summary is one object on the last line of stderr."},
      .run = run_record};
  return verb;
}

}  // namespace parcast::cli
