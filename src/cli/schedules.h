// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate X.goal`: simulates ranks that are graphs of operations as graphs, unless the requested
// output needs lists.

#include <memory>

#include "base/result.h"
#include "cli/output.h"
#include "cli/trace_inputs.h"
#include "cli/verb.h"
#include "predict/simulate/platform.h"
#include "trace/operation_graph.h"

namespace parcast::cli {

/// Null: the list is simulated.
using Graph = std::shared_ptr<const trace::OperationGraph>;

/// Returns the graph of the loaded schedule, for a simulation on `platform`, and removes from `loaded` the
/// warnings about assumptions of the conversion to lists. Returns null if it is no graph, or if the command
/// line requires lists. Errors are those of the file.
Result<Graph> graph_to_simulate(const Invocation& invocation, LoadedTrace& loaded,
                                const simulate::Platform& platform, Progress& progress);

}  // namespace parcast::cli
