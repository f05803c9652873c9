// SPDX-License-Identifier: Apache-2.0
#pragma once
// Schedules in the Group Operation Assembly Language (GOAL; Hoefler, Siebert, Lumsdaine 2009) and back: what LogGOPSim
// simulates and Schedgen writes, as text and in the binary form that txt2bin makes.
//
//   num_ranks 2
//   rank 0 {
//   l1: calc 1000                    // nanoseconds
//   l2: send 8192b to 1 tag 7
//   l2 requires l1                   // may start when l1 has ended; `irequires`: when l1 has started
//   }
//   rank 1 {
//   recv 8192b from 0 tag 7          // peer and tag of a receive may be -1: any
//   }
//
// A rank of GOAL is a graph, a rank of a trace a list: read_goal_graph() gives graphs, read_goal() lists. The list is an order
// that the graph allows, and among operations that are free that of the file; a wait stands before an operation that needs messages to be complete, for
// those that it requires itself and nobody waited for. Operations that thereby stand behind a wait that they do not depend
// on are counted, since GOAL lets them run earlier. Reading keeps one rank's graph and the trace in memory.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "interchange/otf2.h"
#include "trace/operation_graph.h"
#include "trace/trace.h"

namespace parcast::interchange {

struct ImportedGoal {
  trace::Trace trace;
  bool binary = false;                             // the form that was read
  std::uint64_t operations = 0, dependencies = 0;  // of the file
  std::uint64_t delayed = 0;                       // operations behind a wait that they do not depend on
  std::vector<std::string> warnings;               // what was assumed to make lists of the graphs, a sentence each
  bool is_graph = false;                           // some rank's operations could start in another order, or it has several cpus or nics
};

/// Whether a file that begins so is a schedule.
bool is_goal(std::string_view first_bytes);

/// Reads either form. Errors name file:line:column, or the byte of a binary file.
Result<ImportedGoal> read_goal(const std::filesystem::path& path, const Progress& progress = {});

/// What the file's ranks are as graphs, in canonical order (trace/operation_graph.h): the same in whatever order lines stand. Of a
/// file that read_goal() took; else the same errors, but for operations that require each other in a circle.
Result<trace::OperationGraph> read_goal_graph(const std::filesystem::path& path, const Progress& progress = {});

struct ExportedGoal {
  std::int32_t ranks = 0;
  std::uint64_t operations = 0, dependencies = 0, bytes = 0;
  std::vector<std::string> warnings;  // what could not be expressed, a sentence each
};

/// Writes the file `to`, which must not exist; it appears when it is whole. Loops are written out. An error when the trace
/// has collectives or negative tags, for which GOAL has no words.
Result<ExportedGoal> write_goal(const trace::Trace& trace, const std::filesystem::path& to, bool binary, const Progress& progress = {});

}  // namespace parcast::interchange
