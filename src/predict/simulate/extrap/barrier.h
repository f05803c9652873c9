// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier as a tree of members: linear is one master with all others below it, logarithmic a binomial tree.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "predict/simulate/extrap/parameters.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap {

struct BarrierPlace {
  std::int32_t parent = -1;             // -1: the master; places in the communicator
  std::vector<std::int32_t> children;   // in the order in which they are released
};
BarrierPlace barrier_place(BarrierAlgorithm algorithm, std::int32_t members, std::int32_t place);

/// The algorithm that serves a communicator's barriers where the logarithmic one is allowed: the faster of the two for members
/// that come at once.
Result<BarrierAlgorithm> faster_barrier(const trace::Trace& trace, std::uint32_t communicator, const Platform& platform);

}  // namespace parcast::simulate::extrap
