// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/core_share.h"

#include <vector>

#include "calibrate/share_period.h"
#include "calibrate/training/clock.h"

namespace parcast::training {

CoreShare share_of_core(MPI_Comm processes, double seconds) {
  constexpr Nanoseconds kGap = 20'000;  // longer than any uninterrupted reading of the clock
  constexpr std::size_t kMostGaps = 4096;
  std::vector<double> gaps;
  gaps.reserve(kMostGaps);
  MPI_Barrier(processes);
  const Nanoseconds start = now(), started = processor_time(),
                    end = start + static_cast<Nanoseconds>(seconds * 1e9);
  Nanoseconds last = start;
  while (last < end && gaps.size() < kMostGaps) {
    const Nanoseconds at = now();
    if (at - last > kGap) gaps.push_back(static_cast<double>(at - last) * 1e-9);
    last = at;
  }
  const double elapsed = static_cast<double>(last - start) * 1e-9,
               worked = static_cast<double>(processor_time() - started) * 1e-9;
  double all[] = {worked / elapsed, calibrate::share_period(std::move(gaps), elapsed)};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MIN, processes);
  return all[0] < 0.9 ? CoreShare{all[0], all[1]} : CoreShare{};
}

}  // namespace parcast::training
