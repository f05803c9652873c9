// SPDX-License-Identifier: Apache-2.0
#include "web/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"

namespace parcast::web {
namespace {

constexpr std::size_t kMostOutput = std::size_t{256} << 20, kMostMessages = std::size_t{1} << 20;
constexpr int kProgressDescriptor = 3;
constexpr const char* kProgressVariable = "PARCAST_PROGRESS_FD";

struct Ends {
  int read = -1, write = -1;
};

Result<Ends> new_pipe() {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error{std::string("no pipe could be made: ") + std::strerror(errno), "", ""};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Ends{ends[0], ends[1]};
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int each : descriptors)
    if (each >= 0) ::close(each);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Returns this process's environment, plus the descriptor for progress, minus colours.
std::vector<std::string> environment() {
  std::vector<std::string> out{std::string(kProgressVariable) + "=" + std::to_string(kProgressDescriptor),
                               "NO_COLOR=1"};
  for (char** each = environ; *each; ++each) {
    const std::string_view entry = *each;
    if (!entry.starts_with(kProgressVariable) && !entry.starts_with("NO_COLOR=")) out.emplace_back(entry);
  }
  return out;
}

struct Beginning {
  std::vector<char*> words, environment;
  const char* folder;
  int output, messages, marks;
  pid_t parent;
};

/// Runs between fork and exec: only functions that a signal handler may call. First moves the pipes out of
/// the way of descriptors 0 to 3.
[[noreturn]] void become(const Beginning& given) {
  ::setpgid(0, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != given.parent || ::chdir(given.folder) != 0) ::_exit(127);
  const int output = ::fcntl(given.output, F_DUPFD_CLOEXEC, 10),
            messages = ::fcntl(given.messages, F_DUPFD_CLOEXEC, 10),
            marks = ::fcntl(given.marks, F_DUPFD_CLOEXEC, 10);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(messages, STDERR_FILENO);
  ::dup2(marks, kProgressDescriptor);
  ::execve(given.words[0], given.words.data(), given.environment.data());
  ::_exit(127);
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  std::array<Ends, 3> pipes;
  for (Ends& each : pipes) {
    auto made = new_pipe();
    if (!made) {
      for (const Ends& pipe : pipes) close_all({pipe.read, pipe.write});
      return made.error();
    }
    each = *made;
  }
  const std::vector<std::string> variables = environment();
  const Beginning beginning{pointers(words), pointers(variables), folder.c_str(), pipes[0].write,
                            pipes[1].write,  pipes[2].write,      ::getpid()};
  const pid_t process = ::fork();
  if (process == 0) become(beginning);
  const int problem = errno;
  for (const Ends& pipe : pipes) ::close(pipe.write);
  if (process < 0) {
    for (const Ends& pipe : pipes) ::close(pipe.read);
    return Error{std::string("no process could be started: ") + std::strerror(problem), "", ""};
  }
  ::setpgid(process, process);
  Child out;
  out.process_ = process;
  out.output_ = {pipes[0].read, kMostOutput, ""};
  out.messages_ = {pipes[1].read, kMostMessages, ""};
  out.marks_ = {pipes[2].read, kMostMessages, ""};
  return out;
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      output_(std::exchange(other.output_, {})),
      messages_(std::exchange(other.messages_, {})),
      marks_(std::exchange(other.marks_, {})),
      progress_(other.progress_),
      exit_code_(other.exit_code_) {}

Child::~Child() {
  close_all({output_.descriptor, messages_.descriptor, marks_.descriptor});
  if (process_ < 0) return;
  kill();
  ::waitpid(process_, nullptr, 0);
}

void Child::kill() const {
  if (process_ > 0 && ::kill(-process_, SIGKILL) != 0) ::kill(process_, SIGKILL);
}

void Child::read(Pipe& pipe) const {
  std::array<char, 65536> buffer;
  while (pipe.descriptor >= 0) {
    const ssize_t got = ::read(pipe.descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      ::close(pipe.descriptor);
      pipe.descriptor = -1;
      return;
    }
    const std::size_t room = pipe.most - std::min(pipe.most, pipe.text.size());
    pipe.text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

/// Each line begins with the completed share.
void Child::read_progress() {
  read(marks_);
  const auto end = marks_.text.rfind('\n');
  if (end == std::string::npos) return;
  const auto before = marks_.text.rfind('\n', end - (end > 0 ? 1 : 0));
  const std::size_t begin = end > 0 && before != std::string::npos ? before + 1 : 0;
  const std::string line = marks_.text.substr(begin, end - begin);
  if (const auto share = parse_double(line.substr(0, line.find(' '))))
    progress_ = std::clamp(*share, 0.0, 1.0);
  marks_.text.erase(0, end + 1);
}

bool Child::step() {
  if (process_ < 0) return true;
  int status = 0;
  const bool ended = ::waitpid(process_, &status, WNOHANG) == process_;
  read(output_);
  read(messages_);
  read_progress();
  if (!ended) return false;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  process_ = -1;
  return true;
}

std::vector<int> Child::descriptors() const {
  std::vector<int> out;
  for (const Pipe* pipe : {&output_, &messages_, &marks_})
    if (pipe->descriptor >= 0) out.push_back(pipe->descriptor);
  return out;
}

}  // namespace parcast::web
