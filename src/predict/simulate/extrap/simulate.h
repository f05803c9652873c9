// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulates a trace on a machine in ExtraP's model (Mohr, Shanmugam, Malony 1995). docs/models/extrap.md
// defines the results. Events pass one queue, in integer picoseconds; the result does not depend on the order
// of the ranks.

#include <cstdint>
#include <functional>

#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap {

/// Fails when the trace is inconsistent (trace::check), when it needs an unsupported feature, or when times
/// exceed their range. A deadlock is an outcome.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust = Trust::none);

/// The same for a checked trace, with the given algorithm for each communicator's barriers.
Result<Outcome> simulate_with(const trace::Trace& trace, const Platform& platform,
                              const std::function<BarrierAlgorithm(std::uint32_t)>& barrier);

}  // namespace parcast::simulate::extrap
