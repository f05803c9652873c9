// SPDX-License-Identifier: Apache-2.0
#include "study/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "base/files.h"
#include "base/text.h"

namespace parcast::study {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr auto kStep = std::chrono::milliseconds(100);

// What the signal handler needs: it cannot receive arguments.
volatile std::sig_atomic_t running_group = 0, caught = 0;
std::array<char, 4096> words_at_end{};
volatile std::sig_atomic_t length_at_end = 0;

void on_signal(int signal) {
  caught = signal;
  if (running_group > 0) {
    ::kill(-static_cast<pid_t>(running_group), signal == SIGINT ? SIGTERM : signal);
    return;
  }
  const ssize_t ignored =
      ::write(STDERR_FILENO, words_at_end.data(), static_cast<std::size_t>(length_at_end));
  static_cast<void>(ignored);
  ::_exit(128 + signal);
}

[[noreturn]] void become(const std::vector<char*>& words, int log, pid_t parent, int report) {
  ::setpgid(0, 0);
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(128 + SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execvp(words[0], words.data());
  const int code = errno;
  const ssize_t given = ::write(report, &code, sizeof code);
  ::_exit(given == sizeof code && code == ENOENT ? 127 : 126);
}

/// Waits for the child. A group that a signal has reached may end later than this process would like.
int wait_for(pid_t child, const std::function<void()>& wait) {
  auto next = std::chrono::steady_clock::now() + kStep;
  for (;;) {
    int status = 0;
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (done < 0 && errno != EINTR) return 127;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (wait && std::chrono::steady_clock::now() >= next) wait(), next += kStep;
  }
}

}  // namespace

Result<Ended> run_child(const std::vector<std::string>& words, const std::filesystem::path& log,
                        const std::function<void()>& wait) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (output < 0)
    return Error{
        std::string("the output of the run cannot be written: ") + std::strerror(errno), log.string(),
        errno == ENOSPC ? "free some space, or take another folder with -o" : "take another folder with -o"};
  std::array<int, 2> report;
  if (::pipe2(report.data(), O_CLOEXEC) != 0)
    return Error{std::string("no pipe could be made: ") + std::strerror(errno), "", ""};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return Error{std::string("no process could be started: ") + std::strerror(errno), "", ""};
  if (child == 0) become(arguments, output, parent, report[1]);
  ::setpgid(child, child);
  caught = 0;
  running_group = child;
  ::close(report[1]);
  ::close(output);
  int failure = 0;
  const bool failed = ::read(report[0], &failure, sizeof failure) == sizeof failure;
  ::close(report[0]);
  const int code = wait_for(child, wait);
  running_group = 0;
  if (failed)
    return Error{"\"" + words.front() + "\" cannot be started: " + std::strerror(failure), "",
                 "check the name, or give its full path"};
  return Ended{code, caught, ""};
}

Interruptible::Interruptible(const std::string& last_words) {
  const std::size_t length = std::min(last_words.size(), words_at_end.size());
  std::copy_n(last_words.begin(), length, words_at_end.begin());
  length_at_end = static_cast<std::sig_atomic_t>(length);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // as under nohup
  }
}

Interruptible::~Interruptible() {
  for (const int signal : kSignals) {
    struct sigaction present {};
    ::sigaction(signal, nullptr, &present);
    if (present.sa_handler == on_signal) ::signal(signal, SIG_DFL);
  }
}

std::vector<std::string> last_lines(const std::filesystem::path& log, std::size_t count) {
  const auto text = read_file(log);
  std::vector<std::string> lines;
  for (const std::string& line : split(text ? *text : "", '\n'))
    if (trim(line).find_first_not_of("-=*") != std::string_view::npos) lines.emplace_back(trim(line));
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

}  // namespace parcast::study
