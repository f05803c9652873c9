// SPDX-License-Identifier: Apache-2.0
#include "predict/simulate/extrap/barrier.h"

#include <algorithm>
#include <bit>

#include "predict/simulate/extrap/simulate.h"

namespace parcast::simulate::extrap {

BarrierPlace barrier_place(BarrierAlgorithm algorithm, std::int32_t members, std::int32_t place) {
  BarrierPlace out;
  if (algorithm == BarrierAlgorithm::linear) {
    if (place > 0) out.parent = 0;
    for (std::int32_t child = 1; place == 0 && child < members; ++child) out.children.push_back(child);
    return out;
  }
  const std::int64_t beyond = std::int64_t{1} << std::bit_width(static_cast<std::uint32_t>(members - 1));
  const std::int64_t lowest = place == 0 ? beyond : place & -place;
  if (place > 0) out.parent = static_cast<std::int32_t>(place - lowest);
  for (std::int64_t bit = lowest / 2; bit > 0; bit /= 2)  // the largest subtree first
    if (place + bit < members) out.children.push_back(static_cast<std::int32_t>(place + bit));
  return out;
}

Result<BarrierAlgorithm> faster_barrier(const trace::Trace& trace, std::uint32_t communicator,
                                        const Platform& platform) {
  trace::Trace alone;
  alone.ranks = trace.ranks;
  alone.communicators = trace.communicators;
  alone.operations = {{.kind = trace::Kind::collective,
                       .pattern = recording::Pattern::barrier,
                       .communicator = communicator}};
  alone.sequences = {{}, {trace::Item::operation(0)}};
  alone.sequence_of.assign(static_cast<std::size_t>(trace.ranks), communicator == 0 ? 1 : 0);
  for (const std::int32_t member : trace.communicators[communicator].members)
    alone.sequence_of[static_cast<std::size_t>(member)] = 1;
  Time times[2] = {};
  for (const BarrierAlgorithm each : {BarrierAlgorithm::linear, BarrierAlgorithm::logarithmic}) {
    const auto outcome = simulate_with(alone, platform, [each](std::uint32_t) { return each; });
    if (!outcome) return outcome.error();
    times[static_cast<int>(each)] = outcome->makespan;
  }
  return times[1] < times[0] ? BarrierAlgorithm::logarithmic : BarrierAlgorithm::linear;
}

}  // namespace parcast::simulate::extrap
