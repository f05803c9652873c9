// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: docs/models/extrap.md a second time, as plainly as it can be said. A rank is a coroutine that does what the page says
// from its first word to its last, poll by poll and link by link; all ranks go through time together. Slow, and independent of the
// engine: costs, ways through the network, matching and barriers are its own.

#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap::reference {

/// Of an Outcome: makespan, ranks, messages, bytes and those of collectives, accesses, unreceived, and of each waiting rank `rank`.
/// `barrier` is the algorithm of all barriers. The trace has to be correct (trace::check).
Outcome interpret(const trace::Trace& trace, const Platform& platform, BarrierAlgorithm barrier);

}  // namespace parcast::simulate::extrap::reference
