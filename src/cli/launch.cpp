// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cli/launcher.h"

namespace parcast::cli {
namespace {

volatile std::sig_atomic_t forwarded_to = 0;

void forward(int signal) {
  if (forwarded_to > 0) ::kill(static_cast<pid_t>(forwarded_to), signal);
}

/// Forwards signals to the launch line, while this process stays to gather what was recorded. A signal of the
/// terminal (SIGINT) reaches both without forwarding.
class SignalForwarding {
 public:
  SignalForwarding() {
    struct sigaction action {};
    action.sa_handler = forward;
    action.sa_flags = SA_RESTART;
    for (const int signal : kForwarded) ::sigaction(signal, &action, nullptr);
    action.sa_handler = SIG_IGN;
    for (const int signal : {SIGINT, SIGQUIT}) ::sigaction(signal, &action, nullptr);
  }
  ~SignalForwarding() {
    forwarded_to = 0;
    for (const int signal : kForwarded) ::signal(signal, SIG_DFL);
    for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_DFL);
  }

 private:
  static constexpr std::array kForwarded{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
};

std::string preload_with(const std::filesystem::path& recorder) {
  const char* already = std::getenv("LD_PRELOAD");
  return recorder.string() + (already && *already ? ":" + std::string(already) : "");
}

[[noreturn]] void become(const std::vector<std::string>& command, int report) {
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) ::signal(signal, SIG_DFL);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  const int code = errno;
  const ssize_t given = ::write(report, &code, sizeof code);
  ::_exit(given == sizeof code && code == ENOENT ? 127 : 126);
}

}  // namespace

Result<std::filesystem::path> find_library(const std::string& name) {
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  const std::filesystem::path bin = self.parent_path();
  for (const auto& candidate : {bin / ".." / PARCAST_LIBDIR / name, bin / ".." / "lib" / name})
    if (std::filesystem::exists(candidate, problem)) return std::filesystem::canonical(candidate, problem);
  return Error{name + " was not found in the folder of parcast", bin.string(), ""};
}

Result<std::filesystem::path> find_recorder() {
  const auto recorder = find_library("libparcast-record.so");
  if (recorder) return recorder;
  return Error{"the recorder library " + recorder.error().what, recorder.error().where,
               "build with MPI installed (libopenmpi-dev or libmpich-dev), then install again"};
}

namespace {

Variables variables_of(const Launch& launch) {
  Variables variables{{"LD_PRELOAD", preload_with(launch.recorder)}, {"PARCAST_OUT", launch.folder.string()}};
  if (!launch.classes.empty()) variables.emplace_back("PARCAST_CLASSES", launch.classes);
  if (!launch.local.empty()) variables.emplace_back("PARCAST_LOCAL", launch.local.string());
  variables.insert(variables.end(), launch.settings.begin(), launch.settings.end());
  return variables;
}

void redirect_beside() {
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

/// Runs the command. The launcher's own options pass on the variables.
Result<LaunchOutcome> run_with(const std::vector<std::string>& launch, const Variables& variables,
                               void (*prepare)()) {
  const char* list = std::getenv("OMPI_MCA_mca_base_env_list");
  std::string env_list = list ? list : "";
  const std::vector<std::string> command = passing_on(launch, variables, env_list);

  std::array<int, 2> report;
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return Error{std::string("no pipe could be made: ") + std::strerror(errno), "", ""};
  SignalForwarding forwarding;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) return Error{std::string("no process could be started: ") + std::strerror(errno), "", ""};
  if (child == 0) {
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
    if (!env_list.empty()) ::setenv("OMPI_MCA_mca_base_env_list", env_list.c_str(), 1);
    if (prepare) prepare();
    become(command, report[1]);
  }
  forwarded_to = child;
  ::close(report[1]);
  int failure = 0;
  const bool failed = ::read(report[0], &failure, sizeof failure) == sizeof failure;
  ::close(report[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (failed)
    return Error{"the launch line could not be started: " + std::string(std::strerror(failure)),
                 command.front(), failure == ENOENT ? "check the name, or give its full path" : ""};
  LaunchOutcome outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace

Result<LaunchOutcome> run(const Launch& launch) {
  return run_with(launch.command, variables_of(launch), nullptr);
}

int run_beside(const std::vector<std::string>& command, const std::filesystem::path& recorder,
               const Variables& variables) {
  Variables all = variables;
  all.emplace_back("LD_PRELOAD", preload_with(recorder));
  const auto outcome = run_with(command, all, redirect_beside);
  return outcome ? outcome->exit_code : 127;
}

}  // namespace parcast::cli
