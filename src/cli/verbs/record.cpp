// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files.h"
#include "base/text.h"
#include "cli/inputs.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "recording/recording_file.h"
#include "report/recording_text.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// The program of a launch line: the first word that is an executable file and not a launcher or one of its flags.
std::string program_of(const std::vector<std::string>& launch) {
  std::error_code problem;
  for (std::size_t i = 1; i < launch.size(); ++i) {
    const fs::path word = launch[i];
    if (fs::is_regular_file(word, problem) && ::access(word.c_str(), X_OK) == 0) return word.filename();
  }
  // A program found through PATH: the first word after the launcher's flags and their values.
  for (std::size_t i = 1; i < launch.size(); ++i) {
    if (launch[i].starts_with("-") || parse_integer(launch[i])) continue;
    for (const std::string& folder : split(std::getenv("PATH") ? std::getenv("PATH") : "", ':'))
      if (::access((fs::path(folder) / launch[i]).c_str(), X_OK) == 0) return fs::path(launch[i]).filename();
  }
  return fs::path(launch.front()).filename();
}

fs::path free_name(const std::string& program) {
  for (int i = 1;; ++i) {
    fs::path name = program + "-" + std::to_string(i) + ".recording";
    if (!fs::exists(name)) return name;
  }
}

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return std::string(trim(std::string_view(line).substr(line.find(':') + 1)));
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

Result<fs::path> working_folder(const fs::path& target) {
  if (fs::exists(target))
    return Error{"it exists already", target.string(), "choose another name with -o, or remove it"};
  const fs::path parent = fs::absolute(target).parent_path();
  std::string name = (parent / ("." + target.filename().string() + ".XXXXXX")).string();
  if (!::mkdtemp(name.data()))
    return Error{std::string("no folder can be made here: ") + std::strerror(errno), parent.string(), "write elsewhere with -o"};
  fs::permissions(name, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
  return fs::path(name);
}

bool holds_ranks(const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem))
    if (entry.path().extension() == ".rec") return true;
  return false;
}

/// meta.json, the final name, the store, and the summary. The launch line's exit code is returned whatever happens here.
Result<void> gather(const Invocation& invocation, const Launch& launch, const LaunchOutcome& outcome, const fs::path& target,
                    const std::string& started) {
  PARCAST_ASSIGN(recording::Recording recording, recording::read_recording(launch.folder));
  if (recording.calls.empty())
    return Error{"no call of MPI was recorded", launch.folder.string(), "run parcast doctor on the program"};
  PARCAST_ASSIGN(const auto given, parameters_from(invocation.values("--param")));
  for (const auto& [name, value] : given) recording.parameters[name] = value;
  recording.program = invocation.value("--name").value_or(program_of(launch.command));
  recording.command = launch.command;
  recording.started = started;
  recording.exit_code = outcome.exit_code;
  recording.launch_seconds = outcome.seconds;
  recording.cores_per_host = static_cast<int>(std::thread::hardware_concurrency());
  recording.machine_summary = processor_model() + ", " + std::to_string(recording.cores_per_host) + " cores";
  PARCAST_TRY(recording::write_meta(launch.folder, recording));
  std::error_code problem;
  fs::rename(launch.folder, target, problem);
  if (problem)
    return Error{"the recording cannot be given its name: " + problem.message(), target.string(), "it lies in " + launch.folder.string()};
  remember(invocation, [&](store::Store& store) { return store.add_recording(target, recording); });
  if (!invocation.quiet()) print_message(report::record_summary(recording, target.string()));
  return {};
}

int run_record(const Invocation& invocation) {
  if (const auto given = parameters_from(invocation.values("--param")); !given) return say_error(given.error()), kUsage;
  const auto recorder = find_recorder();
  if (!recorder) return say_error(recorder.error()), kFailed;
  const fs::path target = invocation.value("--output").value_or(
      free_name(invocation.value("--name").value_or(program_of(invocation.launch))).string());
  const auto folder = working_folder(target);
  if (!folder) return say_error(folder.error()), kFailed;

  Launch launch{invocation.launch, *recorder, *folder, invocation.value("--classes").value_or(""),
                join(invocation.values("--param"), ",")};
  const std::string started = utc_now();
  const auto outcome = run(launch);
  std::error_code ignored;
  if (!outcome) {
    fs::remove_all(*folder, ignored);
    return say_error(outcome.error()), outcome.error().hint.empty() ? 126 : 127;
  }
  if (!holds_ranks(*folder)) {
    fs::remove_all(*folder, ignored);
    say_error({"no MPI process was recorded: the program does not use MPI, is linked statically, or uses another MPI than Open MPI 4",
               join(invocation.launch, " "), "parcast doctor PROGRAM tells which"});
    return outcome->exit_code;
  }
  if (const auto gathered = gather(invocation, launch, *outcome, target, started); !gathered) say_error(gathered.error());
  return outcome->exit_code;
}

}  // namespace

const Verb& record_verb() {
  static const Verb verb{
      .name = "record",
      .summary = "run a program and record its communication and computing time",
      .takes_launch_line = true,
      .flags = {{"--output", 'o', "R.recording", "where to keep it (default PROGRAM-1.recording, -2, ...)"},
                {"--name", 0, "APP", "name of the program (default: of the executable)"},
                {"--param", 0, "K=V", "value of a parameter of the problem in this run", true},
                {"--classes", 0, "LIST", "event classes to record: mpi,user (default both)"},
                store_flag(),
                no_store_flag()},
      .examples = {"parcast record --param N=256 -- mpirun -n 2 ./shallow_water 256 100",
                   "parcast record -o small.recording --name lj -- mpirun -n 4 lmp -in in.lj",
                   "parcast record --classes mpi -- srun -n 8 ./app"},
      .run = run_record};
  return verb;
}

}  // namespace parcast::cli
