// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulates a trace on a machine in ExtraP's model (Mohr, Shanmugam, Malony 1995). docs/models/extrap.md
// defines the results. Events pass one queue, in integer picoseconds; the result does not depend on the order
// of the ranks.

#include <cstdint>
#include <functional>

#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/profile.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap {

/// Fails when the trace is inconsistent (trace::check), when it needs an unsupported feature, or when times
/// exceed their range. A deadlock is an outcome. `profile`, where given, receives the computing of each rank
/// and its stays in calls; serving others while it computes belongs to the call that follows.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust = Trust::none,
                         Profile* profile = nullptr);

/// The same for a checked trace, with the given algorithm for each communicator's barriers.
Result<Outcome> simulate_with(const trace::Trace& trace, const Platform& platform,
                              const std::function<BarrierAlgorithm(std::uint32_t)>& barrier,
                              Profile* profile = nullptr);

}  // namespace parcast::simulate::extrap
