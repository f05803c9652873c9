// SPDX-License-Identifier: Apache-2.0
#include "calibrate/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/shell.h"
#include "base/text.h"

extern char** environ;

namespace parcast::calibrate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kShownLines = 6;

/// Forwards signals. A terminal sends signals to the caller's process group, which does not include the
/// launch. Until the launch has ended, signals that end the caller also end the launch.
class EndedTogether {
 public:
  explicit EndedTogether(pid_t group) {
    group_ = group;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = pass_on;
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) ::sigaction(kSignals[i], &action, nullptr);
    }
  }
  EndedTogether(const EndedTogether&) = delete;
  EndedTogether& operator=(const EndedTogether&) = delete;
  ~EndedTogether() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static void pass_on(int signal) {
    ::kill(-static_cast<pid_t>(group_), signal);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }

  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  static volatile sig_atomic_t group_;
  std::array<struct sigaction, kSignals.size()> before_{};
};
volatile sig_atomic_t EndedTogether::group_ = 0;

Result<pid_t> start(const std::vector<std::string>& words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    return Error{"\"" + words[0] + "\" cannot be started: " + std::strerror(problem), "",
                 "name a launcher that is installed, e.g. --launcher 'mpirun -n {p}'"};
  return child;
}

/// Returns the child's status if it ends within the time.
std::optional<int> wait_for(pid_t child, double seconds, const std::function<void()>& wait) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    int status = 0;
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) return status;
    if (done < 0 && errno != EINTR) return -1;
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (wait) wait();
  }
}

/// Ends the group of a launch. The signal lets the launcher end the processes that it started elsewhere. The
/// rest of its group is then killed before its process number can be reused.
void end_group(pid_t child) {
  ::kill(-child, SIGTERM);
  const auto end = Clock::now() + std::chrono::seconds(5);
  for (;;) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid == child || Clock::now() >= end)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-child, SIGKILL);
  wait_for(child, 5, {});
}

std::string end_of(const std::filesystem::path& log) {
  const auto text = read_file(log);
  if (!text) return "";
  std::vector<std::string> lines;
  for (const std::string& line : split(*text, '\n'))
    if (!trim(line).empty() && trim(line).find_first_not_of("-=*") != std::string_view::npos)
      lines.push_back(line);
  if (lines.size() > kShownLines) lines.erase(lines.begin(), lines.end() - kShownLines);
  return join(lines, "\n  ");
}

struct Advice {
  const char *sign, *try_this;
};
/// Messages of launchers, and a hint for each.
constexpr Advice kAdvice[] = {
    {"not enough slots",
     "allow more processes than cores, --launcher 'mpirun --oversubscribe -n {p}', or ask for fewer with "
     "--processes"},
    {"allow-run-as-root",
     "Open MPI is not to be run as root: be another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
     "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
    {"More processors requested than permitted",
     "ask for more tasks in the job (sbatch -n), or for fewer here with --processes"},
    {"Requested node configuration is not available", "ask for fewer processes with --processes"},
    {"Unable to allocate resources",
     "run it inside a job of Slurm (salloc, sbatch), or name another launcher"},
};

/// Returns a hint, with the end of the log.
std::string hint_of(const std::filesystem::path& log, const std::vector<std::string>& words) {
  const std::string shown = end_of(log);
  const auto text = read_file(log);
  std::string next = "run it by hand to see more: " + join(words, " ");
  for (const Advice& advice : kAdvice)
    if (text && text->find(advice.sign) != std::string::npos) {
      next = advice.try_this;
      break;
    }
  return (shown.empty() ? "it printed nothing" : "it printed last:\n  " + shown) + "\n  " + next;
}

}  // namespace

Result<std::vector<std::string>> launch_words(const std::string& launcher, int processes) {
  const auto split_words = shell_words(launcher);
  if (!split_words) return Error{"the launcher \"" + launcher + "\" has a quote that is not closed", "", ""};
  std::vector<std::string> words = *split_words;
  if (words.empty()) return Error{"the launcher is empty", "", "for example --launcher 'mpirun -n {p}'"};
  bool counted = false;
  for (std::string& each : words)
    for (std::size_t at; (at = each.find("{p}")) != std::string::npos; counted = true)
      each.replace(at, 3, std::to_string(processes));
  if (!counted)
    return Error{"the launcher \"" + launcher + "\" has no place for the number of processes", "",
                 "write {p} for it, e.g. 'mpirun -n {p}'"};
  return words;
}

Result<void> launch(const std::vector<std::string>& words, const std::filesystem::path& log, double patience,
                    const std::function<void()>& wait) {
  PARCAST_ASSIGN(const pid_t child, start(words, log));
  const EndedTogether ended_together(child);
  const auto status = wait_for(child, patience, wait);
  if (!status) {
    end_group(child);
    return Error{
        "\"" + join(words, " ") + "\" was ended after " + format_seconds(patience) + " without a result", "",
        hint_of(log, words)};
  }
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
  const std::string how = WIFSIGNALED(*status) ? "was ended by signal " + std::to_string(WTERMSIG(*status))
                                               : "ended with code " + std::to_string(WEXITSTATUS(*status));
  return Error{"\"" + join(words, " ") + "\" " + how, "", hint_of(log, words)};
}

}  // namespace parcast::calibrate
