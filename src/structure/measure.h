// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares recorded ranks with the steps found, to get the targets of waits and the computing before each
// operation.

#include <array>
#include <map>
#include <optional>
#include <string>

#include "observations/sampling.h"
#include "structure/generate.h"
#include "structure/tokens.h"

namespace parcast::program {

class Measuring {
 public:
  explicit Measuring(const Tokens& tokens) : tokens_(tokens) {}

  /// Follows a rank's operations. The error names the first step at which it did something else.
  Result<void> add(std::uint32_t rank, const Structure& structure, const std::vector<StepValues>& values);
  /// Sets the targets of waits. The error names a wait without a rule.
  Result<void> describe_waits(Structure& structure) const;

  struct Time {
    double seconds = 0;
    std::int64_t executions = 0;
    // A few thousand executions, for their spread.
    std::vector<Sample> first;
  };
  /// A step (the end: the number of steps), the step before, and the number of loops entered since. times()
  /// gives the computing of each rank by slot.
  using Slot = std::array<std::uint32_t, 3>;
  const std::map<Slot, std::map<std::uint32_t, Time>>& times() const { return times_; }

 private:
  friend class MeasuredRank;
  std::string describe_rank(std::uint32_t rank) const;
  static constexpr unsigned kNone = 1, kAll = 2, kOldest = 4, kNewest = 8, kAny = 15;

  const Tokens& tokens_;
  std::map<Slot, std::map<std::uint32_t, Time>> times_;
  struct Wait {
    // By step that begins requests: the rules that are still possible.
    std::map<std::uint32_t, unsigned> possible;
    std::vector<std::uint32_t> ago;           // age of the requests, 1: the last one
    bool always = true;                       // the ages were equal in all executions so far
    bool first = true;                        // each so far waited for the first open request of all
    std::optional<std::uint32_t> refuted_by;  // the rank after which no rule was left for some step
  };
  std::map<std::uint32_t, Wait> waits_;
};

/// Compares a rank of a generated trace with a recorded one, operation by operation. Returns the number of
/// the first operation that differs.
std::optional<std::uint64_t> first_unlike(const trace::Trace& recorded, const trace::Sequence& of,
                                          const trace::Trace& made, const trace::Sequence& by);

}  // namespace parcast::program
