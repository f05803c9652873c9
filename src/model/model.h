// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program model (the application graph of the papers): a tree of regions, loops and communication calls with, for
// each, how often it is executed and what it moves as expressions in the problem's parameters n, the process count p
// and the rank r; and between the calls the segments of computing with their cost. Independent of the machine but for
// the costs, which say on which machine they were measured.
//
// Symbols that may occur in expressions: every parameter by its name; p; r; for a process grid of d dimensions
// (d = 1, 2, 3) its extents gD_0.. and this rank's coordinates cD_0.., e.g. g2_0, g2_1, c2_0, c2_1. binding.h gives
// their values at (n, p, r).

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

/// Seconds per execution of a segment, as measured on the machine of the recordings.
struct Cost {
  std::vector<symbolic::Expression> arguments;  // of the growth model, in its order
  SharedValue<statistics::GrowthModel> growth;  // mean over ranks and iterations, seconds per execution
  Origin origin = Origin::unknown;              // fitted, constant or measured (one single size: scaled by nothing)
  std::optional<symbolic::Expression> streamed;  // bytes of arrays that an execution goes through, by the program's own code
  double unsure = 0;         // where `arguments` is counted work: the part of it, as recorded, whose counts were constant or measured
  std::vector<symbolic::Expression> rivals = {};  // of counted work: what it is multiplied with where other formulas hold that give all counts, too
  std::string advice = {};   // the recording that would tell these apart
  double imbalance = 0;      // (slowest rank's mean / mean over ranks) - 1 that persists over a run, not explained by counts
  double iteration_noise = 0;  // spread between iterations on one rank / mean, as a normal standard deviation
  double spell_noise = 0;      // the same between ranks, of slow and fast spells that last over many iterations
  double first_excess = 0;   // (a rank's first execution / mean) - 1 where the first one stands out; not part of the mean
};

/// Bytes that a process has resident at most. What grows with the problem is its data; the rest is the program itself
/// and its MPI library.
struct Residence {
  std::vector<symbolic::Expression> arguments;
  statistics::GrowthModel growth;               // bytes; without hypotheses: unknown
};

using NodeId = std::int32_t;
constexpr NodeId kNone = -1;

enum class NodeKind { program, region, loop, call };

/// Whom a call exchanges with, as a relation that all its ranks share.
enum class PeerRelation {
  none,
  offset,       // world rank r + k, amounts[0] = k; ranks outside 0..p-1 have no partner
  offset_ring,  // (r + k) mod p
  exclusive_or, // r xor k
  grid_shift,   // coordinate amounts[0] of a grid of amounts[2] dimensions shifted by amounts[1] (periodic if amounts[3])
  fixed,        // always rank amounts[0]: root
  cyclic_root,  // root (k + amounts[0]) mod p at the k-th execution
  several,      // irregular: partners listed by share only
};

/// How executing this call makes ranks wait for each other.
enum class Synchronisation {
  none,        // local, or a send that is buffered
  global,      // every rank waits for every other: barrier, allreduce, alltoall, allgather
  from_root,   // broadcast, scatter: all wait for the root
  to_root,     // reduce, gather: the root waits for all
  neighbour,   // receives and waits: waits for some partners
};

struct Node {
  NodeId id = kNone;
  NodeId parent = kNone;
  NodeKind kind = NodeKind::program;
  std::string label;                 // region or function name, "loop", MPI_Send
  std::string where;                 // swe.c:120, or empty
  std::vector<NodeId> children;      // in order of execution
  Count executions;                  // per rank and run (of a loop: iterations)
  // calls only:
  recording::CallClass call_class = recording::CallClass::none;
  recording::Pattern pattern = recording::Pattern::none;
  Synchronisation synchronisation = Synchronisation::none;
  PeerRelation relation = PeerRelation::none;
  std::vector<std::int64_t> amounts;
  Count members;                     // ranks that take part in a collective: p, or the extent of a subcommunicator
  Count messages;                    // point-to-point messages sent
  Count bytes;                       // point-to-point bytes sent
  Count received_bytes;              // point-to-point bytes received
  Count collective_bytes;            // contributed to a collective
  double measured_seconds = 0;       // inside the call, mean over ranks, per execution, over the recordings
};

/// Computing between two consecutive calls of a rank.
struct Segment {
  NodeId from = kNone, to = kNone;   // kNone: the start, or the end
  NodeId owner = kNone;              // the innermost region or loop that holds both
  Count executions;                  // per rank and run
  Cost cost;
  double share = 0;                  // of the computing time of the recordings
};

/// A basic block of a compiled program, and what it does each time that it is executed.
struct Block {
  std::string source, function;      // of the object file
  int number = 0;                    // in its function
  std::string where;                 // "swe.c:120"
  std::map<std::string, std::int64_t> operations;  // by class (docs/models/operations.md), and bytes
  facts::PackedOperations packed = {};  // those that vector instructions do, in the final code
};

/// What is executed from a call up to whatever is called next, in a process of a run.
struct Work {
  NodeId from = kNone;               // kNone: before the first call
  struct Executions {
    std::int32_t block = 0;          // of the model
    symbolic::Expression count;      // where each process has some of every size
    CountTier tier = CountTier::measured;
  };
  std::vector<Executions> blocks;
};

/// What was varied, and how far: the domain of the data.
struct Parameter {
  std::string name;
  std::vector<double> values;        // distinct, ascending
};

struct ProcessGrid {
  int dimensions = 0;
  bool from_dims_create = true;      // extents at other p follow MPI_Dims_create, or parameters; else only recorded extents are known
  std::map<std::int32_t, std::vector<std::int32_t>> recorded;  // extents by process count
  std::vector<bool> periodic;
  bool ascending = false;               // nobody recorded it: as MPI_Dims_create makes it, but the smaller extents first
  std::vector<std::size_t> parameters = {};  // nobody recorded it: each extent is the value of this parameter

  /// Whether recordings show its extents: by a Cartesian communicator, or by parameters that multiply to p.
  bool is_certain() const { return !recorded.empty() || !parameters.empty(); }
};

struct Source {
  std::string digest;                // of the recording
  std::map<std::string, double> parameters;
  std::int32_t processes = 0;
  double seconds = 0;                // MPI_Init's return to MPI_Finalize's entry, slowest rank
  bool oversubscribed = false;
  bool reserved = false;             // processes had a reserved share of a core; times are those of such a processor
  bool damaged = false;
  std::string mpi_library = {};      // "Open MPI v4.1.4"; empty: not known, or it used none
  bool slowed = false;               // something slowed its computing (observations/slowed_runs.h): its times are in no cost
};

struct Notice {
  std::string code;                  // "never-varied"
  std::string text, hint;
};

struct Model {
  std::string program;
  std::string executable_digest;
  std::string recorded_on;           // machine summary
  std::string written_in;            // the text file that a person wrote it in (language/written.h); empty: it was recorded
  std::vector<Parameter> parameters; // without p
  std::vector<std::int32_t> processes;  // recorded process counts, ascending
  std::vector<ProcessGrid> grids;
  std::vector<Node> nodes;           // nodes[0] is the program; a node's id is its index
  std::vector<Segment> segments;
  BetweenRuns between_runs;                  // zeros where nothing was recorded
  Residence residence;
  std::optional<symbolic::Expression> footprint;  // bytes of the arrays that a process goes through, by the program's own code
  std::map<std::string, Count> unfollowed;   // calls counted by name only
  std::map<std::string, double> share_by_origin;  // of recorded time: origin name -> fraction, sum 1
  std::vector<Block> blocks;                 // of compiled programs: those that were executed
  std::vector<Work> work;                    // behind calls of which something was counted; each block's executions are all there
  std::map<CountTier, double> work_by_tier;       // share of the computing time behind counted blocks of each tier; the rest was not counted
  std::vector<Quantity> quantities;          // derived ones, of compiled programs: names for what their counts are made of
  std::vector<Source> sources;
  std::vector<Notice> notices;
  Checks checks;                             // against the recordings; empty in models that were not checked
  std::optional<Structure> structure;        // what ranks do in order; none in files of before it was kept
};

}  // namespace parcast::program
