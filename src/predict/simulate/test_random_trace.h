// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: random programs on random machines, small and with many coincidences (equal times, sizes at the
// limits). A random case never deadlocks, on any machine: communications are drawn one after the other for
// all ranks together, and each rank does its part in that order. So the earliest unfinished call can always
// be done. The numbers are the same on every machine.

#include <cstdint>
#include <string>

#include "predict/simulate/platform.h"
#include "trace/trace.h"

namespace parcast::simulate::testing {

struct Case {
  trace::Trace trace;
  Platform platform;
};

/// `accesses`: whether ranks access the memory of other ranks.
Case random_case(std::uint64_t seed, bool accesses = true);

/// Only eager messages from named sources, waits for several of them, and collectives, on interfaces with
/// waiting.
Case plain_case(std::uint64_t seed);

/// The case on one of the topologies with room for its nodes. Without `scarce`, links are so wide that they
/// slow nothing.
Case with_network(Case of, std::uint64_t seed, bool scarce = true);

/// The case with a share of a core for each rank; periods are shorter and longer than the ranks' activity
/// between two waits.
Case with_share(Case of, std::uint64_t seed);

/// Kinds of mistakes, 0 to kMistakes - 1; `mistake_name` returns the name.
inline constexpr int kMistakes = 22;
std::string mistake_name(int kind);

/// A case with one mistake, which may deadlock or not.
Case broken_case(std::uint64_t seed, int kind);

}  // namespace parcast::simulate::testing
