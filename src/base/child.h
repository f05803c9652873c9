// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a piece of work in a process of its own, under limits, and hears from it through a pipe: for libraries that crash, run
// away or fill the memory on damaged input. The caller goes on whatever happens there.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast {

struct ChildLimits {
  std::uint64_t memory = std::uint64_t{1} << 30;                 // bytes of address space beyond what the process has
  std::chrono::milliseconds patience{std::chrono::seconds(30)};  // between two messages
};

/// How the work speaks: a message is a list of words.
class ChildVoice {
 public:
  explicit ChildVoice(int descriptor) : descriptor_(descriptor) {}
  void say(const std::vector<std::string>& words) const;

 private:
  int descriptor_;
};

/// Hears each message, in order. The result is an error when the child ended otherwise than by returning, or said nothing
/// for too long; its sentence begins with `what`, e.g. "reading the archive".
Result<void> run_in_child(const std::string& what, const ChildLimits& limits, const std::function<void(const ChildVoice&)>& work,
                          const std::function<void(const std::vector<std::string>&)>& hear);

}  // namespace parcast
