// SPDX-License-Identifier: Apache-2.0
#include "cli/node_launch.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/text.h"
#include "cli/launcher.h"

namespace parcast::cli {
namespace {

using Words = std::vector<std::string>;

/// Options that define where processes run and how they are reached, each with the number of words after it.
/// All other options set how many processes run; they are left out.
struct Kept {
  std::map<std::string, std::size_t> options;
  std::vector<std::string> hosts;  // the options among these that name hosts
};

const Kept& kept_by(Launcher launcher) {
  static const Kept open_mpi{
      {{"-H", 1},
       {"-host", 1},
       {"--host", 1},
       {"-hostfile", 1},
       {"--hostfile", 1},
       {"-machinefile", 1},
       {"--machinefile", 1},
       {"-default-hostfile", 1},
       {"--default-hostfile", 1},
       {"-mca", 2},
       {"--mca", 2},
       {"-gmca", 2},
       {"--gmca", 2},
       {"-prefix", 1},
       {"--prefix", 1},
       {"-allow-run-as-root", 0},
       {"--allow-run-as-root", 0},
       {"-x", 1},
       {"-launch-agent", 1},
       {"--launch-agent", 1}},
      {"-H", "-host", "--host", "-hostfile", "--hostfile", "-machinefile", "--machinefile"}};
  static const Kept hydra{{{"-hosts", 1},
                           {"-host", 1},
                           {"-f", 1},
                           {"-hostfile", 1},
                           {"-machinefile", 1},
                           {"-launcher", 1},
                           {"-launcher-exec", 1},
                           {"-bootstrap", 1},
                           {"-bootstrap-exec", 1},
                           {"-rmk", 1},
                           {"-iface", 1},
                           {"-genv", 2},
                           {"-genvall", 0},
                           {"-genvnone", 0},
                           {"-genvlist", 1}},
                          {"-hosts", "-host", "-f", "-hostfile", "-machinefile"}};
  static const Kept slurm{{{"-w", 1},
                           {"--nodelist", 1},
                           {"-p", 1},
                           {"--partition", 1},
                           {"-A", 1},
                           {"--account", 1},
                           {"-q", 1},
                           {"--qos", 1},
                           {"--jobid", 1},
                           {"-M", 1},
                           {"--clusters", 1},
                           {"--export", 1},
                           {"--het-group", 1},
                           {"--overlap", 0},
                           {"--reservation", 1},
                           {"-C", 1},
                           {"--constraint", 1}},
                          {"-w", "--nodelist"}};
  return launcher == Launcher::open_mpi ? open_mpi : launcher == Launcher::hydra ? hydra : slurm;
}

/// Parameters that place processes do not select nodes, and conflict with one process per node.
bool is_about_placing(const std::string& parameter) {
  return parameter.starts_with("rmaps_") || parameter.starts_with("hwloc_base_binding");
}

struct LineRead {
  Words kept;
  bool names_hosts = false, several = false;
  int processes = 0;
};

/// Reads the launcher's own words, up to the program.
LineRead read_options(const Words& launch, Launcher launcher) {
  const Kept& known = kept_by(launcher);
  LineRead read;
  read.several = std::find(launch.begin(), launch.end(), ":") != launch.end();
  for (std::size_t i = 1; i < launch.size(); ++i) {
    std::string name = launch[i].substr(0, launch[i].find('='));
    if (launcher == Launcher::slurm && name.size() > 2 && name[1] != '-' && name[0] == '-')
      name.resize(2);  // -wnode1
    const bool joined = name.size() < launch[i].size();
    const auto at = known.options.find(name);
    if (at != known.options.end()) {
      const std::size_t words = joined ? 0 : std::min(at->second, launch.size() - 1 - i);
      const bool placing = words == 2 && is_about_placing(launch[i + 1]);
      if (!placing)
        read.kept.insert(read.kept.end(), launch.begin() + static_cast<std::ptrdiff_t>(i),
                         launch.begin() + static_cast<std::ptrdiff_t>(i + words + 1));
      read.names_hosts |= std::find(known.hosts.begin(), known.hosts.end(), name) != known.hosts.end();
      i += words;
    } else if ((name == "-n" || name == "-np" || name == "--n" || name == "--np") && i + 1 < launch.size()) {
      read.processes = static_cast<int>(parse_integer(launch[++i]).value_or(0));
    } else if (!name.starts_with('-') && !parse_integer(launch[i]) && is_program(launch[i])) {
      break;
    }
  }
  return read;
}

std::string nodes_of_the_allocation() {
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"})
    if (const char* value = std::getenv(name); value && parse_integer(value)) return value;
  return "";
}

/// Returns whether a batch system passes hosts to mpirun and mpiexec.
bool batch_system_names_hosts() {
  const char* const variables[] = {"PBS_NODEFILE",      "PE_HOSTFILE",  "LSB_HOSTS",      "LSB_MCPU_HOSTS",
                                   "LSB_DJOB_HOSTFILE", "OAR_NODEFILE", "COBALT_NODEFILE"};
  const std::string nodes = nodes_of_the_allocation();
  return (!nodes.empty() && nodes != "1") || std::any_of(std::begin(variables), std::end(variables),
                                                         [](const char* name) { return std::getenv(name); });
}

}  // namespace

std::optional<NodeLaunch> once_per_node(const Words& launch, int processes, const Words& program) {
  const Launcher launcher = launcher_of(launch.front());
  if (launcher == Launcher::other) return std::nullopt;
  const LineRead read = read_options(launch, launcher);
  if (read.several) return std::nullopt;
  NodeLaunch out{{launch.front()}, read.names_hosts || batch_system_names_hosts()};
  out.command.insert(out.command.end(), read.kept.begin(), read.kept.end());
  const int most = std::max(processes, read.processes);
  Words how;
  if (launcher == Launcher::open_mpi) {
    how = {"--map-by", "ppr:1:node"};
  } else if (launcher == Launcher::hydra) {
    if (most == 0) return std::nullopt;
    how = {"-ppn", "1", "-n", std::to_string(most)};
  } else if (!read.names_hosts) {
    const std::string nodes = nodes_of_the_allocation();
    if (nodes.empty()) return std::nullopt;
    how = {"-N", nodes, "-n", nodes, "--ntasks-per-node=1", "--mpi=none"};
  } else {
    how = {"--ntasks-per-node=1", "--mpi=none"};
  }
  out.command.insert(out.command.end(), how.begin(), how.end());
  out.command.insert(out.command.end(), program.begin(), program.end());
  return out;
}

}  // namespace parcast::cli
