// SPDX-License-Identifier: Apache-2.0
#include "cli/launcher.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

Launcher by_name(const std::string& name) {
  if (is_one_of(name, {"orterun", "prterun", "mpirun.openmpi", "mpiexec.openmpi"})) return Launcher::open_mpi;
  if (is_one_of(name, {"mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich"})) return Launcher::hydra;
  return name == "srun" ? Launcher::slurm : Launcher::other;
}

std::string extended(const std::string& value, const std::string& names) {
  return value == "NONE" || value == "NIL" ? names.substr(1) : value + names;
}

/// The launch line's options end where the program begins; a later `--export` belongs to the program.
std::vector<std::string> with_export(std::vector<std::string> command, const Variables& variables) {
  std::string names;
  for (const auto& variable : variables) names += "," + variable.first;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const bool joined = command[i].starts_with("--export=");
    if (!command[i].starts_with('-') && is_program(command[i])) break;
    // another option, or the value of one
    if (!joined && (command[i] != "--export" || i + 1 == command.size())) continue;
    std::string& word = joined ? command[i] : command[i + 1];
    word = joined ? "--export=" + extended(word.substr(9), names) : extended(word, names);
    return command;
  }
  const char* set = std::getenv("SLURM_EXPORT_ENV");
  if (set && *set && std::string(set) != "ALL")
    command.insert(command.begin() + 1, "--export=" + extended(set, names));
  return command;
}

}  // namespace

fs::path command_file(const std::string& command) {
  std::error_code problem;
  if (command.find('/') != std::string::npos) {
    const fs::path file = fs::canonical(command, problem);
    return problem ? fs::path(command) : file;
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':')) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / command;
    if (::access(candidate.c_str(), X_OK) != 0 || fs::is_directory(candidate, problem)) continue;
    const fs::path file = fs::canonical(candidate, problem);
    if (!problem) return file;
  }
  return command;
}

bool is_program(const std::string& word) {
  std::error_code problem;
  const fs::path file = command_file(word);
  return fs::is_regular_file(file, problem) && ::access(file.c_str(), X_OK) == 0;
}

fs::path program_in(const std::vector<std::string>& launch) {
  std::error_code problem;
  for (std::size_t i = 1; i < launch.size(); ++i)
    if (fs::is_regular_file(launch[i], problem) && ::access(launch[i].c_str(), X_OK) == 0) return launch[i];
  for (std::size_t i = 1; i < launch.size(); ++i)
    if (!launch[i].starts_with("-") && !parse_integer(launch[i]) && is_program(launch[i]))
      return command_file(launch[i]);
  return launch.front();
}

std::string output_of(const std::vector<std::string>& command) {
  std::array<int, 2> pipe;
  if (::pipe(pipe.data()) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    const int nothing = ::open("/dev/null", O_RDONLY);  // stdin of this process belongs to the program
    ::dup2(nothing, STDIN_FILENO);
    ::close(pipe[0]);
    std::vector<char*> words;
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t got; child > 0 && (got = ::read(pipe[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(pipe[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "";
  return text;
}

Launcher launcher_of(const std::string& command) {
  const std::string name = fs::path(command).filename();
  if (const Launcher known = by_name(name); known != Launcher::other) return known;
  if (!is_one_of(name, {"mpirun", "mpiexec"})) return Launcher::other;
  const fs::path file = command_file(command);
  if (const Launcher known = by_name(file.filename()); known != Launcher::other) return known;
  const std::string text = output_of({file.string(), "--version"});
  if (text.find("Open MPI") != std::string::npos || text.find("OpenRTE") != std::string::npos)
    return Launcher::open_mpi;
  if (text.find("HYDRA") != std::string::npos || text.find("Intel(R) MPI") != std::string::npos)
    return Launcher::hydra;
  return Launcher::other;
}

std::vector<std::string> passing_on(const std::vector<std::string>& command, const Variables& variables,
                                    std::string& env_list) {
  const Launcher launcher = launcher_of(command.front());
  if (launcher == Launcher::slurm) return with_export(command, variables);
  std::vector<std::string> out = command, words;
  if (launcher == Launcher::open_mpi && !env_list.empty()) {
    for (const auto& variable : variables) env_list += ";" + variable.first;
  } else if (launcher == Launcher::open_mpi) {
    for (const auto& variable : variables) words.insert(words.end(), {"-x", variable.first});
  } else if (launcher == Launcher::hydra) {
    for (const auto& [name, value] : variables) words.insert(words.end(), {"-genv", name, value});
  }
  out.insert(out.begin() + 1, words.begin(), words.end());
  return out;
}

}  // namespace parcast::cli
