// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate --memory-bound`: ranks that compute at the same time share the memory of their node, and the times of a recording hold
// what sharing cost where it was made. docs/models/memory_contention.md.

#include "base/result.h"
#include "cli/simulation_sweep.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "machine/machine.h"
#include "predict/simulate/platform.h"

namespace parcast::cli {

/// What the command line says, for a platform that is complete otherwise. `measured`: collectives take the time measured for them.
Result<void> share_memory(const Invocation& invocation, const machine::Machine& machine, const LoadedTrace& loaded, const PlatformChange& change, bool measured, simulate::Platform& platform);

}  // namespace parcast::cli
