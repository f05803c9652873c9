// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <new>

#include "base/text.h"

namespace parcast {
namespace {

enum ExitCode { kDone = 0, kNoMemory = 120, kBug = 121 };

constexpr char kWord = '\x1f', kEnd = '\n';  // kWord separates words, kEnd ends a message

std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit_to(const ChildLimits& limits) {
  const rlim_t wanted = address_space() + limits.memory;  // computed once, because it allocates memory
  rlimit given{RLIM_INFINITY, RLIM_INFINITY};
  ::getrlimit(RLIMIT_AS, &given);
  const rlim_t most = std::min(wanted, given.rlim_max);  // keeps a lower limit that the user set
  const rlimit space{most, most}, none{0, 0};
  if (::setrlimit(RLIMIT_AS, &space) != 0) ::_exit(kBug);
  ::setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(signal, SIG_DFL);
}

[[noreturn]] void work_in_child(int to_parent, pid_t parent, const ChildLimits& limits,
                                const std::function<void(const ChildVoice&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kBug);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDERR_FILENO);  // a dying library writes to stderr; the parent reports the failure instead
  ::dup2(nowhere, STDOUT_FILENO);
  limit_to(limits);
  std::set_new_handler([] { ::_exit(kNoMemory); });  // an exception would have to pass through the library
  try {
    work(ChildVoice(to_parent));
  } catch (...) {
    ::_exit(kBug);
  }
  ::_exit(kDone);
}

/// Removes complete messages from `read` and passes them to `hear`.
void hear_all(std::string& read, const std::function<void(const std::vector<std::string>&)>& hear) {
  for (std::size_t end; (end = read.find(kEnd)) != std::string::npos; read.erase(0, end + 1))
    hear(split(std::string_view(read).substr(0, end), kWord));
}

/// Returns false when no message came within `patience`.
bool listen(int from_child, std::chrono::milliseconds patience,
            const std::function<void(const std::vector<std::string>&)>& hear) {
  std::string read;
  for (;;) {
    pollfd ready{from_child, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(patience.count()));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) return false;
    char piece[4096];
    const ssize_t length = ::read(from_child, piece, sizeof piece);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return true;
    read.append(piece, static_cast<std::size_t>(length));
    hear_all(read, hear);
  }
}

Result<void> judge(const std::string& what, int status, bool patient, const ChildLimits& limits) {
  if (!patient)
    return Error{what + " made no progress for " +
                     format_seconds(std::chrono::duration<double>(limits.patience).count()) +
                     " and was stopped",
                 "", ""};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kDone) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoMemory)
    return Error{what + " wanted more than " + format_bytes(static_cast<double>(limits.memory)) +
                     " of memory and was stopped",
                 "", ""};
  if (WIFSIGNALED(status)) return Error{what + " crashed (" + ::strsignal(WTERMSIG(status)) + ")", "", ""};
  return Error{what + " ended with exit code " + std::to_string(WEXITSTATUS(status)), "", ""};
}

}  // namespace

void ChildVoice::say(const std::vector<std::string>& words) const {
  std::string message;
  for (const std::string& word : words) {
    if (&word != &words.front()) message += kWord;
    for (const char c : word) message += c == kWord || c == kEnd ? ' ' : c;
  }
  message += kEnd;
  for (std::size_t done = 0; done < message.size();) {
    const ssize_t length = ::write(descriptor_, message.data() + done, message.size() - done);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) ::_exit(kBug);  // the parent has closed the pipe
    done += static_cast<std::size_t>(length);
  }
}

Result<void> run_in_child(const std::string& what, const ChildLimits& limits,
                          const std::function<void(const ChildVoice&)>& work,
                          const std::function<void(const std::vector<std::string>&)>& hear) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{what + " could not begin: " + ::strerror(errno), "", ""};
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    work_in_child(ends[1], parent, limits, work);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return Error{what + " could not begin: " + ::strerror(errno), "", ""};
  }
  const bool patient = listen(ends[0], limits.patience, hear);
  ::close(ends[0]);
  if (!patient) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return judge(what, status, patient, limits);
}

}  // namespace parcast
