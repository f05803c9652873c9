// SPDX-License-Identifier: Apache-2.0
#include "calibrate/training/threads.h"

#ifdef _OPENMP
#include <omp.h>
#include <sched.h>

#include <algorithm>

#include "calibrate/calibrate.h"
#include "calibrate/training/clock.h"
#include "calibrate/training/samples.h"
#endif

namespace parcast::training {

#ifndef _OPENMP

void measure_threads(int, double, calibrate::Measurements&) {}

#else

namespace {

constexpr int kRegions = 16, kBarriers = 64;  // timed together

double fork_join(int threads) {
  const Nanoseconds start = now();
  for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel num_threads(threads)
    asm volatile("");
  }
  return static_cast<double>(now() - start) * 1e-9 / kRegions;
}

double barrier(int threads) {
  double seconds = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    const Nanoseconds start = now();
    for (int i = 0; i < kBarriers; ++i) {
#pragma omp barrier
    }
#pragma omp master
    seconds = static_cast<double>(now() - start) * 1e-9 / kBarriers;
  }
  return seconds;
}

/// While it exists, the process may use all processors that the system allows.
class Unbound {
 public:
  Unbound() {
    CPU_ZERO(&before_);
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
    sched_setaffinity(0, sizeof all, &all);
  }
  ~Unbound() {
    if (CPU_COUNT(&before_) > 0) sched_setaffinity(0, sizeof before_, &before_);
  }
  Unbound(const Unbound&) = delete;
  Unbound& operator=(const Unbound&) = delete;
  int processors() const {
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
  }

 private:
  cpu_set_t before_;
};

}  // namespace

void measure_threads(int cores, double seconds, calibrate::Measurements& into) {
  const Unbound unbound;
  std::vector<int> counts = calibrate::usual_process_counts(std::min(cores, unbound.processors()));
  counts.erase(counts.begin());  // a single thread is not measured
  const Nanoseconds begin = now();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int threads = counts[i];
    const Nanoseconds end = begin + static_cast<Nanoseconds>(seconds * 1e9 * static_cast<double>(i + 1) /
                                                             static_cast<double>(counts.size()));
    fork_join(threads);  // creates the threads
    std::vector<double> regions, barriers;
    while (regions.size() < 7 || (now() < end && regions.size() < 300))
      regions.push_back(fork_join(threads)), barriers.push_back(barrier(threads));
    into.values.push_back(value_of("openmp.fork_join." + std::to_string(threads), regions));
    into.values.push_back(value_of("openmp.barrier." + std::to_string(threads), barriers));
  }
  omp_pause_resource_all(omp_pause_hard);  // no idle thread must spin during the next measurement
}

#endif

}  // namespace parcast::training
