// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a team of OpenMP threads costs, in the library that this program was built with; nothing is measured where it was built without.

#include "calibrate/measurements.h"

namespace parcast::training {

/// Values openmp.fork_join.T (an empty parallel region) and openmp.barrier.T (one barrier of a region), in seconds, for T = 2, 3, 4, 6, 8 ...
/// threads up to the processors that the system lets this process use (its launcher may have bound it to one of them). One process.
void measure_threads(int cores, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
