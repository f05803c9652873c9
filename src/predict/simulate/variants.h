// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulates one trace on many platforms in parallel. The trace is shared. A worker holds one platform and one
// simulation at a time, and keeps only a summary of each. So memory grows with the threads and not with the
// platforms.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

struct Summary {
  Time makespan = 0;  // meaningless when ranks deadlock
  RankOutcome last;   // the rank that ends last; the lowest of several
  std::int32_t nodes = 1;
  std::size_t hanging = 0;  // ranks that wait for ever
  std::uint64_t operations = 0, unreceived = 0;
  std::vector<std::string> assumptions;  // of the platform
};

Summary summary_of(const Outcome& outcome, std::int32_t nodes, std::vector<std::string> assumptions);
/// The same with that platform's nodes and assumptions.
Summary summary_of(const Outcome& outcome, const Platform& platform);

/// Simulates the variant of a number, from 0. Several threads call it at a time.
using SimulateOne = std::function<Result<Summary>(std::size_t)>;
/// Called after each simulation with the number completed, by one thread at a time.
using Done = std::function<void(std::size_t)>;

/// Returns the summaries of simulations 0 to count - 1 in order; they do not depend on the number of threads
/// (at least one). If some fail, returns the error of the first of them.
Result<std::vector<Summary>> side_by_side(std::size_t count, const SimulateOne& simulate_one,
                                          unsigned threads, const Done& done = {});

/// Returns the platform of a number, from 0. Any thread calls it, one at a time.
using MakePlatform = std::function<Result<Platform>(std::size_t)>;
/// Simulates one trace, which must have passed check(), on many platforms.
Result<std::vector<Summary>> simulate_each(const trace::Trace& trace, std::size_t count,
                                           const MakePlatform& platform, unsigned threads,
                                           const Done& done = {});

}  // namespace parcast::simulate
