// SPDX-License-Identifier: Apache-2.0
#pragma once
// A command that the server runs: its output is collected, its progress followed, and it can be ended
// at any moment. It ends together with this process.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace parcast::web {

class Child {
 public:
  /// Starts a program by its path, as a group of its own, without input. PARCAST_PROGRESS_FD names a
  /// descriptor on which `parcast` writes its progress.
  static Result<Child> start(const std::vector<std::string>& words, const std::filesystem::path& folder);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // ends the command, and waits for it

  /// Reads what was written since; returns true when the command ended. Does not wait.
  bool step();
  void kill() const;

  const std::string& output() const { return output_.text; }
  const std::string& messages() const { return messages_.text; }
  double progress() const { return progress_; }
  int exit_code() const { return exit_code_; }  // 128 + signal number if a signal ended it
  std::vector<int> descriptors() const;         // readable when there is something to do

 private:
  struct Pipe {
    int descriptor = -1;
    std::size_t most = 0;  // bytes that are kept
    std::string text;
  };
  Child() = default;
  void read(Pipe& pipe) const;
  void read_progress();

  pid_t process_ = -1;
  Pipe output_, messages_, marks_;
  double progress_ = 0;
  int exit_code_ = 0;
};

}  // namespace parcast::web
