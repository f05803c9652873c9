// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ways between the instances that a topology joins: e-cube in hypercubes (the lowest bit that differs first), the first dimension first in meshes and tori,
// the shorter way round rings (half way round as in docs/models/network.md), straight over a bus or crossbar.

#include <span>

#include "machine/system.h"

namespace parcast::machine {

/// Instances numbered 0 to count - 1, joined so; of mesh and torus the extents, whose product is the count, the last varying fastest.
struct Joined {
  Topology topology = Topology::none;
  std::int64_t count = 1;
  std::span<const std::int32_t> extents;
};
/// Hops between two of them.
std::int32_t hops_between(const Joined& joined, std::int64_t from, std::int64_t to);
/// The instances passed, in order, without both ends.
std::vector<std::int64_t> way_between(const Joined& joined, std::int64_t from, std::int64_t to);

}  // namespace parcast::machine
