// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks of a trace that can never go on, as whoever walks it found them: what each waits for, who waits for whom in a circle, and
// what is said of collectives that differ.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace.h"

namespace parcast::trace {

/// What a rank that cannot go on waits for.
struct Waiting {
  std::int32_t rank = 0;
  std::uint64_t word = 0;         // of its sequence
  std::uint32_t operation = 0;    // index into Trace::operations
  Time since = 0;
  std::vector<std::uint32_t> for_operations{};  // a wait: the operations whose requests are not complete
  std::vector<std::int32_t> for_ranks{};        // those that could let it go on; empty: any
};

/// Whether a rank has done all that it does.
using Finished = std::function<bool(std::int32_t rank)>;

/// "MPI_Reduce (x.c:5) with root 1 on rank 3"
std::string described(const Trace& trace, std::int32_t rank, std::uint32_t operation);

/// Ranks that wait for each other in a circle, in its order; empty where there are none.
std::vector<std::int32_t> circle_of(std::int32_t ranks, std::span<const Waiting> waiting, const Finished& finished);

/// The fewest ranks that explain a hang: one that waits for ranks that have ended alone, else a shortest circle; empty where there is
/// neither (waits for whom anybody could do). Of several that of the lowest rank.
std::vector<std::int32_t> fewest_waiting(std::int32_t ranks, std::span<const Waiting> waiting, const Finished& finished);

/// What ranks have done decides a hang, theirs and those that they wait for: matching by source, tag and order is always the
/// same, but that of receives from anybody is not, and neither is who comes first to a lock.
bool is_by_choice(const Trace& trace, std::span<const Waiting> waiting, const Finished& finished);

/// Members of a communicator call different collectives.
Error different_collectives(const Trace& trace, std::uint32_t communicator, std::int32_t rank, std::uint32_t operation, std::int32_t first_rank, std::uint32_t first_operation);

}  // namespace parcast::trace
