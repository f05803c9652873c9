// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a program on virtual processors. The first exception of a processor ends all others, and is thrown.

#include "collections/recording.h"
#include "parcast/collections/team.h"

namespace parcast::collections {

/// As fibres on this thread. A processor runs until it meets the others; then the next one runs. So only one
/// runs at a time, in an order that is always the same.
void run_cooperatively(int count, std::size_t stack, const Program& program, Recording* recording,
                       Watch* watch);
/// As threads of this process.
void run_in_threads(int count, const Program& program, Recording* recording);

/// As processes of MPI; the function parcast_collections_run_mpi of libparcast-collections-mpi. An exception
/// ends all processes.
using RunMpi = void(const Program& program);

/// Runs the program on this processor, from the first event to the last.
void run_processor(detail::Runtime& runtime, Recorder* recorder, Watch* watch, const Program& program);

/// The runtime of the processor that runs on this thread; null outside of a team.
extern thread_local const detail::Runtime* running [[gnu::tls_model("initial-exec")]];

}  // namespace parcast::collections
