// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: a plain second implementation of docs/models/extrap.md. A rank is a coroutine that follows the
// page from its first item to its last, poll by poll and link by link; all ranks advance through time
// together. Slow, and independent of the engine: costs, routes through the network, matching and barriers are
// separate code.

#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap::reference {

/// Sets of an Outcome: makespan, ranks, messages, bytes and those of collectives, accesses, unreceived, and
/// for each waiting rank `rank`. `barrier` is the algorithm of all barriers. The trace must be correct
/// (trace::check).
Outcome interpret(const trace::Trace& trace, const Platform& platform, BarrierAlgorithm barrier);

}  // namespace parcast::simulate::extrap::reference
