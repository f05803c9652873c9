// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulation of ranks that are graphs of operations, with several cpus and interfaces each.
// docs/models/schedules.md is its meaning; what messages cost is that of simulate().

#include "base/result.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "trace/operation_graph.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// False where the platform has what simulate() alone has: links that are shared, noise, memory that ranks
/// share, shares of a core.
bool runs_schedules(const Platform& platform);

/// `trace` is the same run as lists: Outcome::waiting names its operations. Every rank's operations are
/// numbered as put_in_canonical_order() does it: of operations that are free to start at once the lower one
/// starts first. A rank that waits for ever names the operations that it has begun. Errors are those of
/// simulate(); another one where the operations of a rank require each other in a circle, or the platform
/// asks for what runs_schedules() excludes.
Result<Outcome> simulate_schedule(const trace::OperationGraph& graph, const trace::Trace& trace,
                                  const Platform& platform);

}  // namespace parcast::simulate
