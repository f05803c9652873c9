// SPDX-License-Identifier: Apache-2.0
#pragma once
// Launchers (mpirun, mpiexec, srun): what they are, and how each is told to pass environment variables on to processes
// on other hosts.

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

/// By its name; `mpirun` and `mpiexec`, which several bring, by the file behind it or by what it says of itself.
Launcher launcher_of(const std::string& command);

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The command as it will be run. Every launcher passes the environment to processes on this host by itself, some not to
/// other hosts, or not when told to pass other variables:
///   Open MPI   -x NAME; `env_list` (OMPI_MCA_mca_base_env_list) excludes -x, so that one is extended where it is in use
///   Hydra      -genv NAME VALUE, which holds beside -genvnone and -genvlist too
///   Slurm      everything, unless --export or SLURM_EXPORT_ENV names what to pass: extended
std::vector<std::string> passing_on(const std::vector<std::string>& command, const Variables& variables, std::string& env_list);

/// The program that a launch line starts: its first word behind the launcher that is an executable file, else one found
/// through PATH behind the options and their numbers, else the first word.
std::filesystem::path program_in(const std::vector<std::string>& launch);

/// The file that the shell would run, links followed; the name itself where there is none.
std::filesystem::path command_file(const std::string& command);

/// Whether a word names a file that can be run, by itself or through PATH.
bool is_program(const std::string& word);

/// What a command prints; nothing when it cannot be run or fails.
std::string output_of(const std::vector<std::string>& command);

}  // namespace parcast::cli
