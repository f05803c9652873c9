// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier as a tree of members: linear means one master above all others, logarithmic a binomial tree.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "predict/simulate/extrap/parameters.h"
#include "trace/trace.h"

namespace parcast::simulate::extrap {

struct BarrierPlace {
  std::int32_t parent = -1;            // places in the communicator; -1: the master
  std::vector<std::int32_t> children;  // in the order of their release
};
BarrierPlace barrier_place(BarrierAlgorithm algorithm, std::int32_t members, std::int32_t place);

/// Returns the algorithm for a communicator's barriers when the logarithmic one is allowed: the faster of the
/// two for members that enter at once.
Result<BarrierAlgorithm> faster_barrier(const trace::Trace& trace, std::uint32_t communicator,
                                        const Platform& platform);

}  // namespace parcast::simulate::extrap
