// SPDX-License-Identifier: Apache-2.0
#pragma once
// One call of a collective by all its members: who is in it, and, where its time was measured, when each may leave.

#include <cstdint>
#include <vector>

#include "predict/simulate/collectives.h"
#include "predict/simulate/records.h"

namespace parcast::simulate {

class Gathering {
 public:
  Gathering() = default;
  /// The first member that came, and by which operation.
  Gathering(const CollectiveCall& call, std::int32_t rank, std::uint32_t index)
      : pattern(call.pattern), members(call.members), root(call.root), first_rank(rank), operation(index) {}

  /// A member, by its place in the communicator, has come.
  void enter(std::int32_t place, Time time);
  /// When those whom a member waits for have all come, the last of them; kUnknown before.
  Time released(std::int32_t place, Time entry) const;
  bool complete() const { return entered_ == members; }
  /// What decides when its members leave, times told relative to `base`, before which all is past.
  void describe(Time base, std::vector<std::uint64_t>& words) const;
  /// All of it that much later.
  void shift(Time by);

  recording::Pattern pattern = recording::Pattern::none;
  std::int32_t members = 0, root = 0;
  std::int32_t first_rank = 0;
  std::uint32_t operation = 0;
  std::vector<std::int32_t> waiting;       // ranks
  std::int32_t left = 0;

 private:
  std::int32_t entered_ = 0;
  Time latest_ = 0, root_entry_ = kUnknown;
  std::vector<Time> entries_;              // of a scan: by place
  std::vector<Time> prefixes_;             // the latest of places 0 .. i, as far as all of them have come
};

}  // namespace parcast::simulate
