// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures a team of OpenMP threads with the library of this build; does nothing in a build without OpenMP.

#include "calibrate/measurements.h"

namespace parcast::training {

/// Values openmp.fork_join.T (an empty parallel region) and openmp.barrier.T (one barrier of a region), in
/// seconds, for T = 2, 3, 4, 6, 8 ... threads. The largest T is the number of processors that the system
/// allows this process, even if its launcher bound it to one of them. One process.
void measure_threads(int cores, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
