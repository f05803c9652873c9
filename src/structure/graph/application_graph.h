// SPDX-License-Identifier: Apache-2.0
#pragma once
// The application abstraction graph (Parashar, Hariri, Haupt, Fox 1993, section 2.3.1): a program as a tree
// of simple and compound units (AAUs), in order of execution. It is made from a model's structure, or from
// the regions and calls of a trace without a model. docs/models/interpretation.md, "The graph".
//
//     start
//     iteration steps            IterSync
//       call fluxes              Call
//         compute                Seq
//         MPI_Sendrecv           Comm     to rank (r + 1) mod p, 8*N B
//     condition ranks with r > 0 CondtSync
//     end

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/origin.h"
#include "base/result.h"
#include "model/binding.h"
#include "trace/trace.h"

namespace parcast::program {

enum class UnitClass {
  start,                   // Start
  end,                     // End
  sequence,                // Seq: computing
  spawn,                   // Spawn: the start of all ranks' chains
  iteration,               // IterD: rounds without communication
  iteration_synchronised,  // IterSync: rounds with communication
  iteration_undetermined,  // IterND: the number of rounds cannot be derived
  condition,               // CondtD: some ranks, or some iterations; without communication
  condition_synchronised,  // CondtSync
  communication,           // Comm
  synchronisation,         // Sync: waits, barriers, probes
  call,                    // Call: a region or function
};
/// Returns the paper's name: "IterSync".
std::string_view to_string(UnitClass kind);
bool is_compound(UnitClass kind);

using UnitId = std::uint32_t;
constexpr UnitId kNoUnit = ~UnitId{0};

struct ApplicationUnit {
  UnitId id = 0, parent = kNoUnit;
  UnitClass kind = UnitClass::call;
  std::string label;  // "MPI_Sendrecv", "fluxes", "repeat steps", "compute before MPI_Sendrecv"
  // Labels from the outermost on: "repeat steps/fluxes/MPI_Sendrecv"; unique.
  std::string path;
  std::string region;               // the program's regions around it: "main/solve"
  std::string where;                // "swe.c:120"; empty: unknown
  std::string detail;               // "to rank (r + 1) mod p, 8*N B"
  Origin origin = Origin::unknown;  // of rounds and bytes
  std::vector<UnitId> children;     // in order of execution
};

/// Messages from one unit to another, of all ranks.
struct ApplicationEdge {
  UnitId from = 0, to = 0;
  std::int64_t messages = 0, bytes = 0;
};

struct ApplicationGraph {
  std::string program;
  std::vector<ApplicationUnit> units;  // [0] is the program; a unit's id is its index
  UnitId start = 0, end = 0;
  std::vector<ApplicationEdge> edges;  // empty: no messages were matched

  /// Returns the unit with that path, or kNoUnit.
  UnitId find(std::string_view path) const;
};

/// A trace with the unit of each operation and of the computing before it.
struct GraphTrace {
  ApplicationGraph graph;
  trace::Trace trace;
  std::vector<UnitId> unit_of, computing_of;  // by index into Trace::operations
  UnitId tail = 0;                            // computing after the last operation
  // By operation: one of several operations of a call, and not the last.
  std::vector<bool> part_of_call;
};

/// Returns the run at a point; errors as in generate().
Result<GraphTrace> graph_trace(const Model& model, const Point& point);
/// Returns the graph of a given trace, whose units are its regions and calls.
GraphTrace graph_trace(trace::Trace trace);

/// Returns the graph without a trace, for all points. Returns an error if the model has no structure.
Result<ApplicationGraph> application_graph(const Model& model);

}  // namespace parcast::program
