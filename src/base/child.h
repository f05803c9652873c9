// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a function in a child process under limits and receives its messages through a pipe. It is used with
// libraries that crash, loop forever or exhaust memory on damaged input. The parent continues in every case.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast {

struct ChildLimits {
  // limit on the child's address space, in bytes beyond what the process already uses
  std::uint64_t memory = std::uint64_t{1} << 30;
  std::chrono::milliseconds patience{std::chrono::seconds(30)};  // longest time between two messages
};

/// The child's end of the pipe. A message is a list of words.
class ChildVoice {
 public:
  explicit ChildVoice(int descriptor) : descriptor_(descriptor) {}
  void say(const std::vector<std::string>& words) const;

 private:
  int descriptor_;
};

/// Runs `work` in a child process and calls `hear` with each message, in order. Fails when the child does not
/// end by returning, or when it sends nothing for longer than `limits.patience`. The error's sentence begins
/// with `what`, e.g. "reading the archive".
Result<void> run_in_child(const std::string& what, const ChildLimits& limits,
                          const std::function<void(const ChildVoice&)>& work,
                          const std::function<void(const std::vector<std::string>&)>& hear);

}  // namespace parcast
