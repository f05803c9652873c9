// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace on a machine as ExtraP models it (Mohr, Shanmugam, Malony 1995): docs/models/extrap.md is its meaning. Events go
// through one queue, in integer picoseconds; the result does not depend on the order in which ranks are told.

#include <cstdint>
#include <functional>

#include "predict/simulate/extrap/parameters.h"
#include "predict/simulate/simulate.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap {

/// An error when the trace contradicts itself (trace::check), asks for what is not supported, or when times leave their range. A
/// hang is an outcome.
Result<Outcome> simulate(const trace::Trace& trace, const Platform& platform, Trust trust = Trust::none);

/// The same for a trace that is checked, with the algorithm of each communicator's barriers given.
Result<Outcome> simulate_with(const trace::Trace& trace, const Platform& platform, const std::function<BarrierAlgorithm(std::uint32_t)>& barrier);

}  // namespace parcast::simulate::extrap
