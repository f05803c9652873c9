// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes ranks of a trace that deadlock: what each waits for, which ranks wait for each other in a cycle,
// and the error for collectives that differ.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace parcast::trace {

/// What a deadlocked rank waits for.
struct Waiting {
  std::int32_t rank = 0;
  std::uint64_t word = 0;       // index in its sequence
  std::uint32_t operation = 0;  // index into Trace::operations
  Time since = 0;
  std::vector<std::uint32_t> for_operations{};  // of a wait: the operations whose requests are not complete
  std::vector<std::int32_t> for_ranks{};        // ranks that could let it continue; empty: any
};

/// Returns whether a rank has ended.
using Finished = std::function<bool(std::int32_t rank)>;

/// Returns e.g. "MPI_Reduce (x.c:5) with root 1 on rank 3".
std::string described(const Trace& trace, std::int32_t rank, std::uint32_t operation);

/// Returns ranks that wait for each other in a cycle, in order; empty when there is no cycle.
std::vector<std::int32_t> circle_of(std::int32_t ranks, std::span<const Waiting> waiting,
                                    const Finished& finished);

/// Returns the fewest ranks that explain a deadlock: one rank that waits only for ranks that have ended, or
/// else a shortest cycle. Of several, the one with the lowest rank. Empty when there is neither (waits that
/// any rank could end).
std::vector<std::int32_t> fewest_waiting(std::int32_t ranks, std::span<const Waiting> waiting,
                                         const Finished& finished);

/// Returns whether a deadlock may depend on an order that differs between runs. Matching by source, tag and
/// order is always the same. Which message a receive with wildcards gets is not, nor which rank gets a lock
/// first. The function examines the deadlocked ranks and those that they wait for.
bool is_by_choice(const Trace& trace, std::span<const Waiting> waiting, const Finished& finished);

/// Returns the error for members of a communicator that call different collectives.
Error different_collectives(const Trace& trace, std::uint32_t communicator, std::int32_t rank,
                            std::uint32_t operation, std::int32_t first_rank, std::uint32_t first_operation);

}  // namespace parcast::trace
