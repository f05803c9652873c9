// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace whose collectives are the messages of their algorithms, for formats that have point to point messages only.
// docs/models/message_passing.md, "Schedules of collectives".

#include "machine/algorithms.h"
#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate {

struct AsMessages {
  trace::Trace trace;                                    // the same where there are no collectives
  std::map<recording::Pattern, std::uint64_t> replaced;  // collectives of each pattern, of all ranks
};

/// By the algorithms that `platform` chooses. Each step of a member becomes a started receive, a started send and a wait for
/// both, in a communicator with the same members that has no other messages. On a platform that does not measure collectives
/// it takes as long as `trace`, to the picosecond where ranks attend always, or no message needs a handshake.
/// An error for collectives without an algorithm, and where a trace contradicts itself.
Result<AsMessages> collectives_as_messages(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate
