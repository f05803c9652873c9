// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: random programs on random machines, small and full of coincidences (equal times, sizes at the limits). A random case never
// hangs, on no machine: communications are drawn one after the other for all ranks together, and each rank does its part in that order,
// so that the earliest call that is not done can always be done. Numbers are the same on every machine.

#include <cstdint>
#include <string>

#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate::testing {

struct Case {
  trace::Trace trace;
  Platform platform;
};

/// Without accesses: of the memory of other ranks.
Case random_case(std::uint64_t seed, bool accesses = true);

/// Nothing but eager messages from named sources, waits for several of them, and collectives; on interfaces that they have to wait for.
Case plain_case(std::uint64_t seed);

/// The case on one of the topologies with room for its nodes; not scarce: links so wide that they slow nothing.
Case with_network(Case of, std::uint64_t seed, bool scarce = true);

/// The case with a share of a core for each rank, of periods shorter and longer than what its ranks do between two waits.
Case with_share(Case of, std::uint64_t seed);

/// Kinds of mistakes, 0 to kMistakes - 1; `mistake_name` says which.
inline constexpr int kMistakes = 22;
std::string mistake_name(int kind);

/// A case with one mistake, which may hang or not.
Case broken_case(std::uint64_t seed, int kind);

}  // namespace parcast::simulate::testing
