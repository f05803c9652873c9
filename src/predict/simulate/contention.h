// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks that compute at the same time share the memory of their node or socket: how fast each goes on, and which run the computing times
// were recorded in. docs/models/memory_contention.md.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "trace/trace.h"

namespace parcast::simulate {

struct Platform;

struct Contention {
  std::vector<std::uint32_t> domain_of;      // of each rank: the memory that it shares with others
  std::uint32_t domains_per_node = 1;        // domain / domains_per_node is the node
  std::vector<std::int64_t> speeds;          // [k]: of each of k ranks of a domain that compute, as a multiple of 2^-32; [0] is not used
  std::shared_ptr<const Platform> recorded;  // the run whose computing times the trace has, its ranks where they were; null: times of ranks alone
};

/// Slows computing, of whose time alone the part `bound` (0 to 1) is for memory, where the platform's ranks share that of `machine`.
/// Does nothing where bound is 0, or ranks are not placed on nodes. An error where the machine does not say what its memory gives.
Result<void> take_contention(const machine::Machine& machine, double bound, Platform& platform);

}  // namespace parcast::simulate
