// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a plain second implementation of docs/models/message_passing.md. All ranks advance together,
// from one moment with an event to the next; the steps of one moment are repeated until nothing changes.
// Slow, and independent of the engine: costs, schedules of collectives and matching are separate code.

#include "base/result.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::reference {

/// Sets of an Outcome: makespan, ranks, messages, bytes, collective_messages, collective_bytes, unreceived,
/// and for each waiting rank `rank` and `since` (its clock when it stopped for ever). The trace must be
/// correct (trace::check); loops are unrolled into memory.
Result<Outcome> interpret(const trace::Trace& trace, const Platform& platform);

}  // namespace parcast::simulate::reference
