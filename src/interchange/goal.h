// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads and writes schedules in the Group Operation Assembly Language (GOAL; Hoefler, Siebert, Lumsdaine
// 2009). LogGOPSim simulates such schedules, Schedgen writes them. They exist as text and in the binary form
// that txt2bin makes.
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
// A rank of GOAL is a graph, a rank of a trace is a list: read_goal_graph() returns graphs, read_goal()
// returns lists. A list follows an order that the graph allows; among operations that are free to start it
// keeps the order of the file. The reader inserts a wait before an operation that requires messages to be
// complete. The wait covers the messages that this operation itself requires and that no earlier wait
// completed. Operations that therefore follow a wait that they do not depend on are counted, because GOAL
// lets them run earlier. The reader keeps the graph of one rank and the trace in memory.

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
  bool binary = false;                             // which form was read
  std::uint64_t operations = 0, dependencies = 0;  // in the file
  // number of operations after a wait that they do not depend on
  std::uint64_t delayed = 0;
  // assumptions made to turn the graphs into lists, a sentence each
  std::vector<std::string> warnings;
  // operations of some rank could start in another order, or a rank has several cpus or nics
  bool is_graph = false;
};

/// Returns whether a file with these first bytes is a schedule.
bool is_goal(std::string_view first_bytes);

/// Reads either form. Errors give file:line:column for text, and the byte offset for a binary file.
Result<ImportedGoal> read_goal(const std::filesystem::path& path, const Progress& progress = {});

/// Returns the ranks of the file as graphs, in canonical order (trace/operation_graph.h): the result does not
/// depend on the order of the lines. For a file that read_goal() accepted this succeeds; otherwise it fails
/// with the same errors, except for operations that require each other in a circle.
Result<trace::OperationGraph> read_goal_graph(const std::filesystem::path& path,
                                              const Progress& progress = {});

struct ExportedGoal {
  std::int32_t ranks = 0;
  std::uint64_t operations = 0, dependencies = 0, bytes = 0;
  std::vector<std::string> warnings;  // what could not be expressed, a sentence each
};

/// Writes the file `to`, which must not exist; the file appears under this name when it is complete. Loops
/// are unrolled. Fails if the trace has collectives or negative tags, because GOAL cannot express them.
Result<ExportedGoal> write_goal(const trace::Trace& trace, const std::filesystem::path& to, bool binary,
                                const Progress& progress = {});

}  // namespace parcast::interchange
