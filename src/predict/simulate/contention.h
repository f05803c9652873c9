// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that compute at the same time share the memory of their node or socket. Holds the speed of each, and
// the run in which the computing times were recorded. docs/models/memory_contention.md.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "trace/trace.h"

namespace parcast::simulate {

struct Platform;

struct Contention {
  std::vector<std::uint32_t> domain_of;  // of each rank: the memory that it shares with others
  std::uint32_t domains_per_node = 1;    // domain / domains_per_node is the node
  // [k]: speed of each of k computing ranks of a domain, as a multiple of 2^-32; [0] is not used.
  std::vector<std::int64_t> speeds;
  // The platform of the recorded run, with its placement of ranks, in which the trace's computing times were
  // measured. Null: the times are those of ranks that compute alone.
  std::shared_ptr<const Platform> recorded;
};

/// Slows computing where the platform's ranks share the memory of `machine`. `bound` (0 to 1): part of the
/// time alone that is for memory. Does nothing when bound is 0, or when ranks are not placed on nodes. Fails
/// when the machine has no memory bandwidth.
Result<void> take_contention(const machine::Machine& machine, double bound, Platform& platform);

}  // namespace parcast::simulate
