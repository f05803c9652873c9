// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate --memory-bound`: ranks that compute at the same time share the memory bandwidth of their
// node. The times in a recording already contain the cost of sharing on the machine of the recording.
// docs/models/memory_contention.md.

#include "base/result.h"
#include "cli/simulation_sweep.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/simulate/platform.h"

namespace parcast::cli {

/// Applies the flags of memory sharing to a platform that is otherwise complete. `measured`: collectives take
/// their measured times.
Result<void> share_memory(const Invocation& invocation, const machine::Machine& machine,
                          const LoadedTrace& loaded, const PlatformChange& change, bool measured,
                          simulate::Platform& platform);

}  // namespace parcast::cli
