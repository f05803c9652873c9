// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a command that ends together with this process: a signal that ends this process, and its sudden death,
// end the command, too.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace parcast::study {

struct Ended {
  int exit_code = 0;       // 128 + signal number if a signal ended it
  int signal = 0;          // that was sent to this process meanwhile, and forwarded; 0: none
  std::string fault = "";  // why it ended, where that is no exit code: "Slurm ended it: TIMEOUT"
};

/// Runs the command as a group of its own, without input, with its output in `log`, and calls `wait` about
/// ten times a second. One command at a time. Fails if it cannot be started.
Result<Ended> run_child(const std::vector<std::string>& words, const std::filesystem::path& log,
                        const std::function<void()>& wait);

/// Catches SIGINT, SIGTERM and SIGHUP while it exists, unless they are ignored. While a command of
/// run_child() runs, they are forwarded to it. At other times they end this process at once, after it printed
/// `last_words` on stderr.
class Interruptible {
 public:
  explicit Interruptible(const std::string& last_words);
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible();
};

/// Returns the last lines of a log that are not blank, at most `count`.
std::vector<std::string> last_lines(const std::filesystem::path& log, std::size_t count);

}  // namespace parcast::study
