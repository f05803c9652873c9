// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is computed before an operation depends on the operation that was done before it and on the loops that were entered since
// (Computing). All ways through the steps are followed: operations, and what is computed between them, in order of the program.
//
// The ways differ by rank alone: an operation that a rank leaves out in one round of a loop it leaves out in all of them.

#include <cstdint>
#include <map>
#include <vector>

#include "language/work.h"

namespace parcast::program::written {

/// A program's steps once more, with the computing between them.
struct Stretch {
  enum class Kind { work, operation, loop };
  Kind kind = Kind::work;
  Position at;
  Work work;                        // work
  std::uint32_t id = 0;             // of the step
  bool certain = false;             // operation: every rank does it
  bool repeats = false;             // loop: it may go round more than once
  const Statement* statement = nullptr;  // loop: that made it
  Expression factor = 1;            // loop: rounds, or 1 where its condition holds
  std::uint32_t end = 0;            // loop: the step behind its body
  std::vector<Stretch> body;
};

using Flows = std::map<std::uint32_t, std::vector<Computing>>;  // by step; the number of steps: after the last operation

Result<Flows> flows_of(const std::vector<Stretch>& stretches, std::uint32_t steps, const Source& source);

}  // namespace parcast::program::written
