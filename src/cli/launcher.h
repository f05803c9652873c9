// SPDX-License-Identifier: Apache-2.0
#pragma once
// Launchers (mpirun, mpiexec, srun): detects which one a command is, and makes it pass environment variables
// to processes on other hosts.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace parcast::cli {

enum class Launcher {
  open_mpi,  // mpirun, mpiexec, orterun
  hydra,     // MPICH, Intel MPI, MVAPICH
  slurm,     // srun
  other,
};

/// Detects the launcher by its name. Several MPI libraries install `mpirun` and `mpiexec`: these are detected
/// by the file that the link points to, or by the output of their --version.
Launcher launcher_of(const std::string& command);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Returns the command to run. Every launcher passes the environment to processes on this host. Some do not
/// pass it to other hosts, or not if an option selects other variables:
///   Open MPI   -x NAME; `env_list` (OMPI_MCA_mca_base_env_list) excludes -x: an env_list in use is extended
///   Hydra      -genv NAME VALUE, which also takes effect with -genvnone and -genvlist
///   srun       passes all unless --export or SLURM_EXPORT_ENV lists the variables: the list is extended
std::vector<std::string> passing_on(const std::vector<std::string>& command, const Variables& variables,
                                    std::string& env_list);

/// Returns the program that a launch line starts: the first word after the launcher that is an executable
/// file. Else the first word after the options and their numbers that is found through PATH. Else the first
/// word.
std::filesystem::path program_in(const std::vector<std::string>& launch);

/// Returns the file that the shell would run, with links resolved; the name unchanged if there is none.
std::filesystem::path command_file(const std::string& command);

/// Returns whether a word names an executable file, as a path or through PATH.
bool is_program(const std::string& word);

/// Returns the output of a command; nothing if it cannot be run or fails.
std::string output_of(const std::vector<std::string>& command);

}  // namespace parcast::cli
