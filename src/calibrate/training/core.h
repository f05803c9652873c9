// SPDX-License-Identifier: Apache-2.0
#pragma once
// Measures one core and its memory: arithmetic, the noise of a constant amount of work, and a sweep over
// working sets.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective; all processes work at the same time. Values core_speed (operations per second) and noise
/// (relative standard deviation of about a millisecond of work) for one process, shared_core_speed for
/// several. A second call at the end of a launch shows whether the speed has changed.
void measure_core(Team& team, double seconds, calibrate::Measurements& into);

/// Collective; all processes sweep at the same time. Measures the time of a dependent load and the bandwidth
/// at working sets from 4 KiB to four times the last cache, and at fewer sizes when there is little time.
void measure_memory(Team& team, const Host& host, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
