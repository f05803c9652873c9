// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who sends to whom in a complete run: all point-to-point messages and remote accesses. Collectives are not
// in it.

#include "patterns/traffic.h"
#include "trace/trace.h"

namespace parcast::program {

/// Returns the messages of all ranks; of a read, the owner of the memory is the sender. The trace has passed
/// check(). The members `first` and `heard` of the pairs have no meaning.
Traffic traffic_of_run(const trace::Trace& trace);

}  // namespace parcast::program
