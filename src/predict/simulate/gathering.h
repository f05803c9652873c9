// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of a collective by all its members: which members have entered, and, for a measured time, when
// each may leave.

#include <cstdint>
#include <vector>

#include "predict/simulate/collectives.h"
#include "predict/simulate/records.h"

namespace parcast::simulate {

class Gathering {
 public:
  Gathering() = default;
  /// `rank`, the first member to enter, and its operation.
  Gathering(const CollectiveCall& call, std::int32_t rank, std::uint32_t index)
      : pattern(call.pattern), members(call.members), root(call.root), first_rank(rank), operation(index) {}

  /// Adds a member, by its place in the communicator.
  void enter(std::int32_t place, Time time);
  /// Returns when the last of the members for which this member waits entered; kUnknown before all of them
  /// have.
  Time released(std::int32_t place, Time entry) const;
  bool complete() const { return entered_ == members; }
  /// Appends what determines when its members leave. Times are relative to `base`; earlier times count as
  /// past.
  void describe(Time base, std::vector<std::uint64_t>& words) const;
  /// Moves all times later by `by`.
  void shift(Time by);

  recording::Pattern pattern = recording::Pattern::none;
  std::int32_t members = 0, root = 0;
  std::int32_t first_rank = 0;
  std::uint32_t operation = 0;
  std::vector<std::int32_t> waiting;  // ranks
  std::int32_t left = 0;

 private:
  std::int32_t entered_ = 0;
  Time latest_ = 0, root_entry_ = kUnknown;
  std::vector<Time> entries_;   // of a scan: by place
  std::vector<Time> prefixes_;  // the latest entry of places 0 .. i, as far as all of these have entered
};

}  // namespace parcast::simulate
