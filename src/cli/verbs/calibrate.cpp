// SPDX-License-Identifier: Apache-2.0
#include "calibrate/calibrate.h"

#include <unistd.h>

#include <cmath>

#include "base/text.h"
#include "calibrate/raw.h"
#include "cli/default_name.h"
#include "cli/inputs.h"
#include "cli/machine_catalogue.h"
#include "cli/output.h"
#include "cli/remember.h"
#include "cli/verbs.h"
#include "machine/machine_file.h"
#include "report/machine_summary.h"

namespace parcast::cli {
namespace {

std::string host_name() {
  char name[256] = "here";
  ::gethostname(name, sizeof name - 1);
  return name;
}

Result<calibrate::Options> options_from(const Invocation& invocation, const std::string& path) {
  calibrate::Options options;
  options.name = machine::name_of_file(path);
  if (const auto text = invocation.value("--budget")) {
    PARCAST_ASSIGN(options.budget_seconds, time_from("--budget", *text));
    if (options.budget_seconds < 1)
      return Error{"--budget " + *text + " is too short", "", "give it a second at least"};
  }
  if (const auto launcher = invocation.value("--launcher")) {
    if (launcher->find("{p}") == std::string::npos)
      return Error{"--launcher has no place for the process count", "",
                   "write {p} for it, e.g. 'mpirun -n {p}'"};
    options.launcher = *launcher;
  }
  if (const auto text = invocation.value("--processes")) {
    options.processes.clear();
    for (const std::string& word : split(*text, ',')) {
      const auto p = parse_integer(word);
      if (!p || *p < 1 || *p > 1'000'000)
        return Error{"--processes " + *text + " is not a list of process counts", "", "for example 1,2,4,8"};
      options.processes.push_back(static_cast<int>(*p));
    }
  }
  return options;
}

int run_calibrate(const Invocation& invocation) {
  const auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  const std::string path = invocation.value("--output").value_or(default_name(host_name(), ".machine.toml"));
  if (!invocation.has("--output"))
    if (const auto free = check_free_for_machine(path, host_name()); !free)
      return say_error(free.error()), kFailed;
  auto options = options_from(invocation, path);
  if (!options) return say_error(options.error()), kUsage;
  Progress progress(invocation);
  options->progress = [&](double fraction, const std::string& text, double left) {
    progress.show(fraction, text, left);
  };
  options->say = [&](const Error& sentence) { progress.clear(), say_warning(invocation, sentence); };
  options->partial = path + ".partial";
  options->fresh = invocation.has("--fresh");
  std::string raw;
  options->written = [&](const machine::Machine& machine,
                         const std::vector<calibrate::Measurements>& launches) {
    raw = calibrate::raw_text(launches);
    return machine::write_machine(path, machine);
  };
  const auto machine = calibrate::calibrate(*options);
  if (!machine) return say_error(machine.error()), kFailed;
  remember(invocation, [&](store::Store& store) { return store.add_calibration(path, *machine, raw); });
  print_result(invocation.json() ? machine::to_json(*machine) + "\n"
                                 : report::machine_summary(*machine, show_command(path), *look));
  if (!invocation.quiet()) print_message("parcast: machine in " + path + "\n");
  return kAnswered;
}

}  // namespace

const Verb& calibrate_verb() {
  static const Verb verb{
      .name = "calibrate",
      .summary = "measure this machine: messages, collectives, core and memory",
      .flags = {{"--output", 'o', "X.machine.toml", "where to write it (default HOST.machine.toml)"},
                {"--budget", 0, "TIME", "how long it may take (default 60s)", false, "budget"},
                {"--launcher", 0, "LINE",
                 "how to start {p} processes (default 'mpirun -n {p}', in a job of Slurm 'srun -n {p}')"},
                {"--processes", 0, "LIST",
                 "process counts (default: 1, 2, 3, 4, 6, 8, ... up to the cores of this host, in a job of "
                 "Slurm up to its tasks)"},
                {"--fresh", 0, "", "discard an unfinished calibration and begin anew"},
                store_flag(),
                no_store_flag()},
      .examples =
          {"parcast calibrate -o here.machine.toml", "parcast calibrate -o here.machine.toml --budget 20s",
           "parcast calibrate -o cluster.machine.toml --launcher 'srun -n {p}' --processes 1,2,4,8,16"},
      .notes =
          {"X.machine.toml.partial keeps the measurements until all are done: the same command continues an "
           "interrupted calibration.",
           "The store keeps every repeat: parcast store list calibrations, parcast store show ID --csv."},
      .run = run_calibrate};
  return verb;
}

}  // namespace parcast::cli
