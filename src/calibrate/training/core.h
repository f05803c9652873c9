// SPDX-License-Identifier: Apache-2.0
#pragma once
// One core and its memory: arithmetic, the noise of a constant piece of work, and a sweep over working sets.

#include "calibrate/training/samples.h"
#include "calibrate/training/team.h"

namespace parcast::training {

/// Collective; all processes work at the same time. Values core_speed (operations per second) and noise
/// (relative standard deviation of about a millisecond of work) for one process, shared_core_speed for
/// several. Called again at the end of a launch, it tells whether the speed has changed.
void measure_core(Team& team, double seconds, calibrate::Measurements& into);

/// Collective; all processes sweep at the same time. Time of a dependent load and bandwidth at working sets
/// from 4 KiB to four times the last cache, fewer of them when there is little time.
void measure_memory(Team& team, const Host& host, double seconds, calibrate::Measurements& into);

}  // namespace parcast::training
