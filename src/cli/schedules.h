// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast simulate X.goal`: ranks that are graphs of operations run as graphs where what is asked for does
// not need lists.

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

/// The graph of what was loaded, which a simulation on `platform` shall run; `loaded` then has no warnings of what
/// was assumed to make lists. Null where it is no graph, or the command line asks for what lists alone have.
/// Errors are those of the file.
Result<Graph> graph_to_simulate(const Invocation& invocation, LoadedTrace& loaded,
                                const simulate::Platform& platform, Progress& progress);

}  // namespace parcast::cli
