// SPDX-License-Identifier: Apache-2.0
#include "machine/topology.h"

#include <bit>
#include <cstdlib>

namespace parcast::machine {
namespace {

/// Returns the signed number of steps along one dimension of `extent`.
std::int64_t steps(std::int64_t from, std::int64_t to, std::int64_t extent, bool round) {
  const std::int64_t straight = to - from;
  if (!round) return straight;
  const std::int64_t up = (straight % extent + extent) % extent, down = up - extent;
  if (2 * up == extent) return from % 2 == 0 ? up : down;
  return 2 * up < extent ? up : down;
}

/// Calls `take(steps, stride, extent, coordinate)` for each dimension, starting with the first.
template <class Take>
void each_dimension(const Joined& joined, std::int64_t from, std::int64_t to, Take take) {
  const bool round = joined.topology != Topology::mesh;
  const auto one = static_cast<std::int32_t>(joined.count);
  const std::span<const std::int32_t> extents =
      joined.topology == Topology::ring ? std::span(&one, 1) : joined.extents;
  std::int64_t stride = 1;
  for (const std::int32_t extent : extents) stride *= extent;
  for (const std::int32_t extent : extents) {
    stride /= extent;
    const std::int64_t a = from / stride % extent, b = to / stride % extent;
    take(steps(a, b, extent, round), stride, static_cast<std::int64_t>(extent), a);
  }
}

}  // namespace

std::int32_t hops_between(const Joined& joined, std::int64_t from, std::int64_t to) {
  if (from == to) return 0;
  if (joined.topology == Topology::hypercube) return std::popcount(static_cast<std::uint64_t>(from ^ to));
  if (joined.topology == Topology::none || joined.topology == Topology::bus ||
      joined.topology == Topology::crossbar)
    return 1;
  std::int64_t out = 0;
  each_dimension(joined, from, to,
                 [&](std::int64_t step, std::int64_t, std::int64_t, std::int64_t) { out += std::abs(step); });
  return static_cast<std::int32_t>(out);
}

std::vector<std::int64_t> way_between(const Joined& joined, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> out;
  std::int64_t at = from;
  if (joined.topology == Topology::hypercube) {
    for (std::int64_t bit = 1; at != to; bit <<= 1)
      if ((at ^ to) & bit) out.push_back(at ^= bit);
  } else if (hops_between(joined, from, to) > 1) {
    each_dimension(joined, from, to,
                   [&](std::int64_t step, std::int64_t stride, std::int64_t extent, std::int64_t coordinate) {
                     for (; step != 0; step += step > 0 ? -1 : 1) {
                       const std::int64_t next = (coordinate + (step > 0 ? 1 : extent - 1)) % extent;
                       at += (next - coordinate) * stride;
                       coordinate = next;
                       out.push_back(at);
                     }
                   });
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace parcast::machine
