// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/core_share.h"

#include <sys/resource.h>

#include <vector>

#include "calibrate/core_limit.h"
#include "calibrate/share_period.h"
#include "calibrate/training/clock.h"

namespace parcast::training {

namespace {

long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

CoreShare share_of_core(MPI_Comm processes, double seconds) {
  constexpr Nanoseconds kGap = 20'000;  // longer than any uninterrupted reading of the clock
  constexpr std::size_t kMostGaps = 4096;
  std::vector<double> gaps;
  gaps.reserve(kMostGaps);
  MPI_Barrier(processes);
  const long preempted = preemptions();
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
  // Where nothing limits the process and others preempted it in most gaps, its core is busy, which is no
  // property of the machine. A hypervisor stops it without a preemption.
  const auto times = static_cast<std::size_t>(preemptions() - preempted);
  const bool is_busy = 2 * times >= gaps.size() && !calibrate::is_limited();
  double all[] = {is_busy ? 1 : worked / elapsed, calibrate::share_period(std::move(gaps), elapsed)};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MIN, processes);
  return all[0] < 0.9 ? CoreShare{all[0], all[1]} : CoreShare{};
}

}  // namespace parcast::training
