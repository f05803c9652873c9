// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program model (the application graph of the papers). It is a tree of regions, loops and communication
// calls, with segments of computing between the calls. Each call has the number of its executions and its
// amounts as expressions in the problem's parameters n, the process count p and the rank r. Each segment has
// a cost. The model is independent of the machine except for the costs, which belong to the machine on which
// they were measured.
//
// Symbols that may occur in expressions: every parameter by its name; p; r; for a process grid of d
// dimensions (d = 1, 2, 3) its extents gD_0.. and this rank's coordinates cD_0.., e.g. g2_0, g2_1, c2_0,
// c2_1. binding.h gives their values at (n, p, r).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/origin.h"
#include "base/shared_value.h"
#include "model/between_runs.h"
#include "model/checks.h"
#include "model/count.h"
#include "model/count_tier.h"
#include "model/quantities.h"
#include "model/structure.h"
#include "recording/recording.h"
#include "source/facts/packed.h"
#include "statistics/growth.h"
#include "symbolic/expression.h"

namespace parcast::program {

/// Relative noise of an execution that takes t seconds: noise x (seconds / t)^falls, at most `most`, which is
/// that of the shortest recorded ones.
struct NoiseLaw {
  double noise = 0;
  double seconds = 0, falls = 0;  // `falls` 0: the noise of all durations; a multiple of 1/4
  double most = 0;
};

/// Seconds per execution of a segment, as measured on the machine of the recordings.
struct Cost {
  std::vector<symbolic::Expression> arguments;  // of the growth model, in its order
  SharedValue<statistics::GrowthModel> growth;  // mean over ranks and iterations, seconds per execution
  Origin origin = Origin::unknown;              // fitted, constant, or measured (a single size: not scaled)
  // Bytes of arrays that an execution goes through, from the program's own code.
  std::optional<symbolic::Expression> streamed;
  // If `arguments` is counted work: the part of it, as recorded, whose counts were constant or measured.
  double unsure = 0;
  // Of counted work: factors of it under alternative formulas that also give all counts.
  std::vector<symbolic::Expression> alternatives = {};
  std::string advice = {};  // the recording that would decide between these
  // (slowest rank's mean / mean over ranks) - 1, persistent over a run, not from counts
  double imbalance = 0;
  NoiseLaw iteration_noise;  // spread between iterations on one rank / mean, as a normal standard deviation
  double slow_phase_noise = 0;  // the same between ranks, from slow and fast phases that last many iterations
  // (a rank's first execution / mean) - 1 if the first one is an outlier; not part of the mean.
  double first_excess = 0;
};

/// Resident bytes of a process: their peak, or their growth. The part that grows with the problem is its
/// data; the rest is the program and its MPI library.
struct Residence {
  std::vector<symbolic::Expression> arguments;
  statistics::GrowthModel growth;  // bytes; without hypotheses: unknown
};

using NodeId = std::int32_t;
constexpr NodeId kNone = -1;

/// Computing of a process in the program, a region or a loop, fitted in total: seconds, mean over ranks. It
/// corrects the sum of its parts (predict/reconcile.h).
struct Forecast {
  NodeId node = kNone;
  std::vector<symbolic::Expression> arguments;
  statistics::GrowthModel growth;
  // Root mean square of ln(recorded / forecast) per doubling beyond the other runs, for the runs of the
  // forward check: by this forecast, and by the sum of the segments; 0: not checked.
  double error = 0, error_of_parts = 0;
};

enum class NodeKind { program, region, loop, call };

/// The partner of a call, as a relation that all its ranks share.
enum class PeerRelation {
  none,
  offset,        // world rank r + k, amounts[0] = k; ranks outside 0..p-1 have no partner
  offset_ring,   // (r + k) mod p
  exclusive_or,  // r xor k
  // Coordinate amounts[0] of a grid of amounts[2] dimensions, shifted by amounts[1]; periodic if amounts[3].
  grid_shift,
  fixed,        // always rank amounts[0]: root
  cyclic_root,  // root (k + amounts[0]) mod p at the k-th execution
  several,      // irregular: only the partners' shares are listed
};

/// How a call synchronises ranks.
enum class Synchronisation {
  none,       // local, or a buffered send
  global,     // every rank waits for every other: barrier, allreduce, alltoall, allgather
  from_root,  // broadcast, scatter: all wait for the root
  to_root,    // reduce, gather: the root waits for all
  neighbour,  // receives and waits: waits for some partners
};

struct Node {
  NodeId id = kNone;
  NodeId parent = kNone;
  NodeKind kind = NodeKind::program;
  std::string label;             // region or function name, "loop", MPI_Send
  std::string where;             // swe.c:120; empty: unknown
  std::vector<NodeId> children;  // in order of execution
  Count executions;              // per rank and run; of a loop its iterations
  // Calls only:
  recording::CallClass call_class = recording::CallClass::none;
  recording::Pattern pattern = recording::Pattern::none;
  Synchronisation synchronisation = Synchronisation::none;
  PeerRelation relation = PeerRelation::none;
  std::vector<std::int64_t> amounts;
  Count members;                // ranks that take part in a collective: p, or the extent of a subcommunicator
  Count messages;               // point-to-point messages sent
  Count bytes;                  // point-to-point bytes sent
  Count received_bytes;         // point-to-point bytes received
  Count collective_bytes;       // contributed to a collective
  double measured_seconds = 0;  // inside the call, mean over ranks, per execution, over the recordings
};

/// Computing between two consecutive calls of a rank.
struct Segment {
  NodeId from = kNone, to = kNone;  // kNone: the start, or the end
  NodeId owner = kNone;             // the innermost region or loop that contains both
  Count executions;                 // per rank and run
  Cost cost;
  double share = 0;  // of the computing time of the recordings
};

/// A basic block of a compiled program, and the operations of one execution.
struct Block {
  std::string source, function;                    // of the object file
  int number = 0;                                  // in its function
  std::string where;                               // "swe.c:120"
  std::map<std::string, std::int64_t> operations;  // by class (docs/models/operations.md), and bytes
  facts::PackedOperations packed = {};             // those done by vector instructions, in the final code
};

/// Blocks executed from a call to the next one, in a process of a run.
struct Work {
  NodeId from = kNone;  // kNone: before the first call
  struct Executions {
    std::int32_t block = 0;  // index into Model::blocks
    // Executions of a process in a run where each process has some of every size.
    symbolic::Expression count;
    CountTier tier = CountTier::measured;
  };
  std::vector<Executions> blocks;
};

/// A parameter and the recorded values of it: the domain of the data.
struct Parameter {
  std::string name;
  std::vector<double> values;  // distinct, ascending
};

struct ProcessGrid {
  int dimensions = 0;
  // Extents at other p follow MPI_Dims_create or parameters. If false, only recorded extents are known.
  bool from_dims_create = true;
  std::map<std::int32_t, std::vector<std::int32_t>> recorded;  // extents by process count
  std::vector<bool> periodic;
  // Not recorded: as MPI_Dims_create makes it, but in ascending order.
  bool ascending = false;
  // Not recorded: each extent is the value of the parameter with this index.
  std::vector<std::size_t> parameters = {};

  /// Returns whether recordings show its extents: by a Cartesian communicator, or by parameters whose product
  /// is p.
  bool is_certain() const { return !recorded.empty() || !parameters.empty(); }
};

struct Source {
  std::string digest;  // of the recording
  std::map<std::string, double> parameters;
  std::int32_t processes = 0;
  double seconds = 0;  // MPI_Init's return to MPI_Finalize's entry, slowest rank
  bool oversubscribed = false;
  // Processes had a reserved share of a core; times are those of such a processor.
  bool reserved = false;
  bool damaged = false;
  std::string mpi_library = {};  // "Open MPI v4.1.4"; empty: not known, or none was used
  // Something slowed its computing (observations/slowed_runs.h); its times are in no cost.
  bool slowed = false;
};

struct Notice {
  std::string code;  // "never-varied"
  std::string text, hint;
};

struct Model {
  std::string program;
  std::string executable_digest;
  std::string recorded_on;  // machine summary
  // The text file of a model written by hand (language/written.h); empty: recorded.
  std::string written_in;
  std::vector<Parameter> parameters;    // without p
  std::vector<std::int32_t> processes;  // recorded process counts, ascending
  std::vector<ProcessGrid> grids;
  std::vector<Node> nodes;  // nodes[0] is the program; a node's id is its index
  std::vector<Segment> segments;
  std::vector<Forecast> forecasts;  // a node comes after the nodes that contain it
  BetweenRuns between_runs;         // zeros if nothing was recorded
  Residence residence;
  Residence grown;  // by how much that grew during the run, where recorded: mostly data
  // Bytes of the arrays that a process goes through, from the program's own code.
  std::optional<symbolic::Expression> footprint;
  std::map<std::string, Count> unfollowed;        // calls counted by name only
  std::map<std::string, double> share_by_origin;  // of recorded time: origin name -> fraction, sum 1
  std::vector<Block> blocks;                      // of compiled programs: those that were executed
  // After calls with counted blocks. Each holds all executions of its blocks.
  std::vector<Work> work;
  // Share of the computing time by tier of the counted blocks; the rest was not counted.
  std::map<CountTier, double> work_by_tier;
  // Derived quantities of compiled programs: names for common parts of their counts.
  std::vector<Quantity> quantities;
  std::vector<Source> sources;
  std::vector<Notice> notices;
  Checks checks;  // against the recordings; empty if the model was not checked
  // Order of the ranks' operations; absent in files of versions that did not keep it.
  std::optional<Structure> structure;
};

}  // namespace parcast::program
