// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: docs/models/message_passing.md a second time, as plainly as it can be said. All ranks go through time together, from one
// moment at which something happens to the next; what happens at one moment is repeated until nothing changes any more. Slow, and
// independent of the engine: costs, schedules of collectives and matching are its own.

#include "base/result.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::reference {

/// Of an Outcome: makespan, ranks, messages, bytes, collective_messages, collective_bytes, unreceived, and of each waiting rank `rank`
/// and `since` (its clock when it stopped for ever). The trace has to be correct (trace::check); loops are unrolled into memory.
Result<Outcome> interpret(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate::reference
