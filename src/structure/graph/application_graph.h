// SPDX-License-Identifier: Apache-2.0
#pragma once
// The application abstraction graph (Parashar, Hariri, Haupt, Fox 1993, section 2.3.1): a program as a tree of units (AAUs), simple and
// compound ones, in order of execution. It is read off a model's structure; of a trace without a model, off its regions and calls.
// docs/models/interpretation.md, "The graph".
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
  start,                    // Start
  end,                      // End
  sequence,                 // Seq: computing
  spawn,                    // Spawn: the chains of all ranks begin
  iteration,                // IterD: rounds that exchange nothing
  iteration_synchronised,   // IterSync: rounds in which ranks exchange
  iteration_undetermined,   // IterND: how many rounds follows from nothing known
  condition,                // CondtD: some ranks, or some times; exchanges nothing
  condition_synchronised,   // CondtSync
  communication,            // Comm
  synchronisation,          // Sync: waits, barriers, probes
  call,                     // Call: a region or function
};
/// The paper's word: "IterSync".
std::string_view to_string(UnitClass kind);
bool is_compound(UnitClass kind);

using UnitId = std::uint32_t;
constexpr UnitId kNoUnit = ~UnitId{0};

struct ApplicationUnit {
  UnitId id = 0, parent = kNoUnit;
  UnitClass kind = UnitClass::call;
  std::string label;             // "MPI_Sendrecv", "fluxes", "repeat steps", "compute before MPI_Sendrecv"
  std::string path;              // labels from the outermost on: "repeat steps/fluxes/MPI_Sendrecv"; no two are alike
  std::string region;            // the program's own regions that it is in: "main/solve"
  std::string where;             // "swe.c:120", or empty
  std::string detail;            // "to rank (r + 1) mod p, 8*N B"
  Origin origin = Origin::unknown;  // of rounds and bytes
  std::vector<UnitId> children;  // in order of execution
};

/// Messages that one unit sends and another receives, of all ranks.
struct ApplicationEdge {
  UnitId from = 0, to = 0;
  std::int64_t messages = 0, bytes = 0;
};

struct ApplicationGraph {
  std::string program;
  std::vector<ApplicationUnit> units;  // [0] is the program; a unit's id is its index
  UnitId start = 0, end = 0;
  std::vector<ApplicationEdge> edges;  // empty: not superimposed

  /// The unit of that path, or kNoUnit.
  UnitId find(std::string_view path) const;
};

/// What ranks do, with the unit of each operation and of the computing before it.
struct GraphTrace {
  ApplicationGraph graph;
  trace::Trace trace;
  std::vector<UnitId> unit_of, computing_of;  // by index into Trace::operations
  UnitId tail = 0;                            // computing after the last operation
  std::vector<bool> part_of_call;             // by operation: one of several that a call is made of, and not the last
};

/// The run at a point. Errors as generate() has them.
Result<GraphTrace> graph_trace(const Model& model, const Point& point);
/// The same of a trace that is there: units are its regions and calls.
GraphTrace graph_trace(trace::Trace trace);

/// The graph alone, for all points. An error where the model has no structure.
Result<ApplicationGraph> application_graph(const Model& model);

}  // namespace parcast::program
