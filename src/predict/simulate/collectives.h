// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collectives as steps of messages between their members. docs/models/message_passing.md, "Schedules of
// collectives".

#include <cstdint>

#include "machine/algorithms.h"
#include "recording/recording.h"

namespace parcast::simulate {

using machine::Algorithm;

/// One member's part in a collective.
struct CollectiveCall {
  recording::Pattern pattern = recording::Pattern::none;
  Algorithm algorithm = Algorithm::dissemination;
  std::int32_t members = 1, rank = 0, root = 0;  // ranks in the communicator
  std::uint64_t bytes = 0;                       // that the member contributes
};

struct CollectiveStep {
  std::int32_t to = -1, from = -1;  // -1: no message
  std::uint64_t sent = 0, received = 0;
};

/// Returns the largest number of steps of a member; some steps may be empty. The algorithm must serve the
/// pattern.
std::int32_t steps_of(const CollectiveCall& call);
CollectiveStep step_of(const CollectiveCall& call, std::int32_t step);

}  // namespace parcast::simulate
