// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the phases that a process named as regions on a separate location (otf2_names.h, kPhaseLine).

#include "interchange/otf2_definitions.h"
#include "interchange/otf2_events.h"
#include "recording/recording.h"

namespace parcast::interchange {

/// Writes nothing if the process named no phases. `zero`: the time stamp of the rank's time 0.
void write_phases(const recording::RankRecording& rank, std::uint64_t zero, Otf2Definitions& names,
                  OTF2_Archive* archive, Outcome& outcome, EventTotals& totals);

}  // namespace parcast::interchange
