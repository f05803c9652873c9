// SPDX-License-Identifier: Apache-2.0
#pragma once
// One trace on many platforms, side by side. The trace is shared; a worker holds one platform and one simulation at a time,
// and of each only a summary is kept, so that memory grows with the threads and not with the platforms.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/simulate/simulate.h"

namespace parcast::simulate {

struct Summary {
  Time makespan = 0;                     // meaningless where ranks hang
  RankOutcome last;                      // the rank that ends last, of several the lowest
  std::int32_t nodes = 1;
  std::size_t hanging = 0;               // ranks that wait for ever
  std::uint64_t operations = 0, unreceived = 0;
  std::vector<std::string> assumptions;  // the platform's
};

Summary summary_of(const Outcome& outcome, std::int32_t nodes, std::vector<std::string> assumptions);
/// With that platform's nodes and assumptions.
Summary summary_of(const Outcome& outcome, const Platform& platform);

/// The simulation of a number from 0, asked for by several threads at a time.
using SimulateOne = std::function<Result<Summary>(std::size_t)>;
/// Told after each simulation how many are done; by one thread at a time.
using Done = std::function<void(std::size_t)>;

/// The summaries of simulations 0 to count - 1 in that order; the same whatever the number of threads (at least one is used).
/// Where some cannot be made, the error of the first of them.
Result<std::vector<Summary>> side_by_side(std::size_t count, const SimulateOne& simulate_one, unsigned threads, const Done& done = {});

/// The platform of a number from 0. It is asked for one at a time, by any thread.
using MakePlatform = std::function<Result<Platform>(std::size_t)>;
/// Of one trace, which has passed check(), on many platforms.
Result<std::vector<Summary>> simulate_each(const trace::Trace& trace, std::size_t count, const MakePlatform& platform, unsigned threads, const Done& done = {});

}  // namespace parcast::simulate
