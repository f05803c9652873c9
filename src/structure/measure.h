// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recorded ranks beside what the steps found say: what each wait is for, and how long ranks compute before each operation.

#include <array>
#include <map>

#include "observations/sampling.h"
#include "structure/generate.h"
#include "structure/tokens.h"

namespace parcast::program {

class Measuring {
 public:
  explicit Measuring(const Tokens& tokens) : tokens_(tokens) {}

  /// Goes through what a rank did. An error names the first step at which it did something else.
  Result<void> add(std::uint32_t rank, const Structure& structure, const std::vector<StepValues>& values);
  /// Fills in what waits are for. An error names one for which there is no rule.
  Result<void> describe_waits(Structure& structure) const;

  struct Time {
    double seconds = 0;
    std::int64_t executions = 0;
    std::vector<Sample> first;  // some thousand executions, for their spread
  };
  /// Of each step (the end: their number), the step before and the number of loops entered since, the computing of each rank.
  using Slot = std::array<std::uint32_t, 3>;
  const std::map<Slot, std::map<std::uint32_t, Time>>& times() const { return times_; }

 private:
  friend class MeasuredRank;
  static constexpr unsigned kNone = 1, kAll = 2, kOldest = 4, kNewest = 8, kAny = 15;

  const Tokens& tokens_;
  std::map<Slot, std::map<std::uint32_t, Time>> times_;
  struct Wait {
    std::map<std::uint32_t, unsigned> possible;  // by step that begins requests: what may hold
    std::vector<std::uint32_t> ago;              // how many requests ago
    bool always = true;                          // always so many
  };
  std::map<std::uint32_t, Wait> waits_;
};

/// Whether a rank of a generated trace does what a recorded one did, operation by operation. Where not, the operation's number.
std::optional<std::uint64_t> first_unlike(const trace::Trace& recorded, const trace::Sequence& of, const trace::Trace& made, const trace::Sequence& by);

}  // namespace parcast::program
