// SPDX-License-Identifier: Apache-2.0
#pragma once
// The computing before an operation depends on the preceding operation and on the loops entered since
// (Computing). All ways through the steps are followed: the operations and the computing between them, in
// program order.
//
// Ways differ only by rank: an operation that a rank skips in one round of a loop is skipped in all of them.

#include <cstdint>
#include <map>
#include <vector>

#include "language/work.h"

namespace parcast::program::written {

/// A step of the program, or the computing between steps.
struct Stretch {
  enum class Kind { work, operation, loop };
  Kind kind = Kind::work;
  Position at;
  Work work;                             // work
  std::uint32_t id = 0;                  // of the step
  bool certain = false;                  // operation: every rank executes it
  bool repeats = false;                  // loop: it may have more than one round
  const Statement* statement = nullptr;  // loop: the statement it comes from
  Expression factor = 1;                 // loop: rounds, or 1 where its condition holds
  std::uint32_t end = 0;                 // loop: the step after its body
  std::vector<Stretch> body;
};

// by step; under the number of steps: computing after the last operation
using Flows = std::map<std::uint32_t, std::vector<Computing>>;

Result<Flows> flows_of(const std::vector<Stretch>& stretches, std::uint32_t steps, const Source& source);

}  // namespace parcast::program::written
