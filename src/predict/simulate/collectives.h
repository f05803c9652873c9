// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collectives as steps of messages between their members: docs/models/message_passing.md, "Schedules of collectives".

#include <cstdint>
#include <optional>

#include "recording/recording.h"

namespace parcast::simulate {

enum class Algorithm : std::uint8_t {
  dissemination,        // barrier
  binomial,             // broadcast, scatter: down the tree
  binomial_up,          // reduce, gather
  recursive_doubling,   // allreduce
  ring_reduce,          // allreduce
  bruck,                // allgather, alltoall
  ring,                 // allgather
  pairwise,             // alltoall, reduce_scatter
  prefix,               // scan
};

/// One member's part in a collective.
struct CollectiveCall {
  recording::Pattern pattern = recording::Pattern::none;
  Algorithm algorithm = Algorithm::dissemination;
  std::int32_t members = 1, rank = 0, root = 0;  // ranks in the communicator
  std::uint64_t bytes = 0;                       // what the member contributes
};

struct CollectiveStep {
  std::int32_t to = -1, from = -1;               // -1: nobody
  std::uint64_t sent = 0, received = 0;
};

/// Which algorithm serves a pattern for that many bytes, or where members contribute different amounts; nothing for patterns without one (none, neighbourhood).
std::optional<Algorithm> algorithm_for(recording::Pattern pattern, std::uint64_t bytes, bool uneven, std::uint64_t long_from);

/// Steps that a member goes through at most; some may be empty.
std::int32_t steps_of(const CollectiveCall& call);
CollectiveStep step_of(const CollectiveCall& call, std::int32_t step);

}  // namespace parcast::simulate
