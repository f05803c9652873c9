// SPDX-License-Identifier: Apache-2.0
#pragma once
// Simulation of ranks that are graphs of operations, with several cpus and interfaces each.
// docs/models/schedules.md defines its results; messages cost the same as in simulate().

#include "base/result.h"
#include "predict/simulate/platform.h"
#include "predict/simulate/simulate.h"
#include "trace/operation_graph.h"
#include "trace/trace.h"

namespace parcast::simulate {

/// Returns false when the platform has features that only simulate() supports: shared links, noise, shared
/// memory, shares of a core.
bool runs_schedules(const Platform& platform);

/// `trace` is the same run as lists: Outcome::waiting names its operations. Every rank's operations are
/// numbered as by put_in_canonical_order(): of operations that can start at once the lower one starts first.
/// A deadlocked rank names the operations that it has begun. Fails like simulate(), and also when the
/// operations of a rank form a cycle, or when the platform needs what runs_schedules() excludes.
Result<Outcome> simulate_schedule(const trace::OperationGraph& graph, const trace::Trace& trace,
                                  const Platform& platform);

}  // namespace parcast::simulate
