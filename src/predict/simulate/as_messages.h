// SPDX-License-Identifier: Apache-2.0
#pragma once
// Replaces the collectives of a trace by the messages of their algorithms, for formats that have only
// point-to-point messages. docs/models/message_passing.md, "Schedules of collectives".

#include "machine/algorithms.h"
#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate {

struct AsMessages {
  trace::Trace trace;  // equal to the input when it has no collectives
  // number of replaced collectives by pattern, over all ranks
  std::map<recording::Pattern, std::uint64_t> replaced;
};

/// Uses the algorithms that `platform` chooses. Each step of a member becomes a started receive, a started
/// send and a wait for both. They use a communicator with the same members and no other messages. On a
/// platform without measured collectives the result takes as long as `trace`. It does so to the picosecond
/// when ranks always attend to messages, or when no message needs a handshake. Fails for collectives without
/// an algorithm, and for an inconsistent trace.
Result<AsMessages> collectives_as_messages(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate
