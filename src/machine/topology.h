// SPDX-License-Identifier: Apache-2.0
#pragma once
// Routes between the instances that a topology joins. Hypercubes use e-cube routing (the lowest differing bit
// first), meshes and tori the first dimension first. Rings take the shorter way (docs/models/network.md for
// instances half way round); buses and crossbars are direct.

#include <span>

#include "machine/system.h"

namespace parcast::machine {

/// Instances numbered 0 to count - 1 and the topology that joins them. For mesh and torus: the extents, whose
/// product is the count; the last varies fastest.
struct Joined {
  Topology topology = Topology::none;
  std::int64_t count = 1;
  std::span<const std::int32_t> extents;
};
/// Returns the number of hops between two instances.
std::int32_t hops_between(const Joined& joined, std::int64_t from, std::int64_t to);
/// Returns the instances between both ends, in order, without the ends.
std::vector<std::int64_t> way_between(const Joined& joined, std::int64_t from, std::int64_t to);

}  // namespace parcast::machine
