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

/// The platform of a number from 0. It is asked for one at a time, by any thread.
using MakePlatform = std::function<Result<Platform>(std::size_t)>;
/// Told after each simulation how many are done; by one thread at a time.
using Done = std::function<void(std::size_t)>;

/// The summaries of platforms 0 to count - 1 in that order; the same whatever the number of threads (at least one is used).
/// Where some cannot be simulated, the error of the first of them. `trace` has passed check().
Result<std::vector<Summary>> simulate_each(const trace::Trace& trace, std::size_t count, const MakePlatform& platform, unsigned threads, const Done& done = {});

}  // namespace parcast::simulate
