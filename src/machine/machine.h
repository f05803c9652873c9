// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine model (the system graph of the papers): units from the network down to the core, each parameter
// with its standard error, sample count and origin, and measured cost tables per communication pattern.
//
// Point to point follows LogGPS (Alexandrov et al. 1997; Ino et al. 2001), per level of the machine: L
// latency, o_s and o_r overhead of sending and receiving, g gap between messages, G gap per byte, S the
// largest eager message.

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/origin.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/text.h"
#include "machine/algorithms.h"
#include "machine/extrap.h"
#include "recording/recording.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// One parameter, in base units.
struct Parameter {
  double value = 0;
  double standard_error = 0;
  std::int64_t samples = 0;
  Origin origin = Origin::unknown;  // measured, assumed, or unknown
};

/// LogGPS between two processes whose nearest common unit this is.
/// A link without an eager limit (origin unknown) sends every message eagerly. The overheads per byte are the
/// part of the gap per byte during which the processor copies (O of LogGOPS); 0 leaves the papers' LogGPS.
struct Link {
  /// What measured messages of at least `from_bytes` cost more (or, negative, less) than the parameters below
  /// say: the parameters stay what they mean, and the sum follows the measured curve.
  struct Correction {
    double from_bytes = 0;
    Parameter startup;   // seconds
    Parameter per_byte;  // seconds per byte
  };

  Parameter latency;                    // L, seconds
  Parameter send_overhead;              // o_s, seconds
  Parameter receive_overhead;           // o_r, seconds
  Parameter gap;                        // g, seconds between messages
  Parameter gap_per_byte;               // G, seconds per byte, eager
  Parameter eager_limit;                // S, bytes
  Parameter rendezvous_latency;         // seconds a message longer than S pays for the handshake
  Parameter rendezvous_gap_per_byte;    // seconds per byte above S
  Parameter send_overhead_per_byte;     // O_s, seconds per byte of an eager message
  Parameter receive_overhead_per_byte;  // O_r, seconds per byte of an eager message
  /// The part of a nonblocking transfer that computing between its start and its wait hides, as measured: where nothing or all
  /// hides noise takes it below 0 or above 1, and overlap_share() is what it counts as.
  Parameter eager_overlap, rendezvous_overlap;
  std::vector<Correction> corrections;  // ascending from_bytes; from send to receipt
};

struct MemoryLevel {
  std::string name;            // L1, L2, L3, memory
  Parameter capacity;          // bytes
  Parameter bandwidth;         // bytes per second, one core
  Parameter latency;           // seconds per dependent load
  Parameter shared_bandwidth;  // bytes per second, one core while all cores of the node are active
  std::int32_t shared_by = 0;  // cores that share one such cache; 0 unknown
};

/// One measured point of the memory sweep: a working set of `bytes` per core on `cores` active cores.
struct WorkingSetPoint {
  std::int32_t cores = 1;
  double bytes = 0;
  double seconds_per_load = 0;  // of a dependent load; 0 not measured
  double bytes_per_second = 0;  // per core; 0 not measured
};

/// The memory that cores share: bytes per second that so many of them get together when each streams. docs/models/memory_contention.md.
struct MemorySharing {
  struct Point {
    std::int32_t cores = 1;
    Parameter bandwidth;
  };
  bool by_socket = false;     // the cores of a socket share a memory; else those of a node
  std::vector<Point> points;  // ascending cores, the first of one
};

/// One measured point of a pattern's training set.
struct CostPoint {
  std::int32_t processes = 0;
  double bytes = 0;    // per process and call
  double seconds = 0;  // median over repeats of the slowest process's time
  double standard_error = 0;
  std::int64_t samples = 0;
  double low = 0, high = 0;   // quartiles of the repeats, seconds; 0: not known
  std::int64_t outliers = 0;  // repeats far out (docs/formats/machine.md, Rows), which count like the others
};

/// What operations of a class cost in the first cache: seconds each where it waits for the one before, and where many are under way
/// (docs/models/operations.md).
struct OperationCost {
  std::string name;  // "double_add"
  Parameter dependent, independent;
};

/// What a team of so many OpenMP threads costs.
struct ThreadCost {
  std::int32_t threads = 0;
  Parameter fork_join;  // seconds of an empty parallel region
  Parameter barrier;    // seconds of a barrier in one
};

/// The training set of one pattern, and what was fitted to it:
/// t(m, p) = a + b f(p) + m (c + d f(p)), piecewise in m, for p > 1.
struct PatternCost {
  recording::Pattern pattern = recording::Pattern::none;  // none: not a collective, see `name`
  std::string name;  // "allreduce"; "halo2d"; "message-core": the ping-pong over a link, half a round trip
  std::vector<CostPoint> points;
  struct Piece {
    double from_bytes = 0;  // valid for messages of at least this many bytes
    std::string growth;     // f: "1", "log2", "ceil_log2", "linear" (p), "peers" (p - 1), "sqrt"
    Parameter startup, startup_growth, per_byte, per_byte_growth;  // a, b (seconds), c, d (seconds per byte)
    double relative_error = 0;                                     // median residual as a fraction
  };
  std::vector<Piece> pieces;  // ascending from_bytes, the first from 0
  /// A knot of what a call takes more (or, negative, less) than the pieces say (pattern_cost.h).
  struct Correction {
    std::int32_t processes = 0;  // >= 2
    double bytes = 0;
    double seconds = 0;
  };
  std::vector<Correction> corrections;  // ascending processes, then bytes; empty: none
  Parameter single_startup;   // a call on one process: seconds
  Parameter single_per_byte;  // and seconds per byte
  bool uneven = false;  // of a v-variant ("allgatherv"): processes contribute different amounts
};

/// How the processes of a launch that measured tables lay on nodes.
struct MeasuredPlacement {
  std::int32_t processes = 0, nodes = 0;
  std::int32_t ranks_per_node = 0;  // the most on a node
  auto operator<=>(const MeasuredPlacement&) const = default;
};

/// How the nodes are joined, and what messages on their way share (docs/models/network.md). Parameters that are left out: see there.
struct Network {
  std::string topology;               // one of kTopologies (network.h); empty: messages between nodes share nothing
  std::vector<std::int32_t> dimensions;      // torus: extents
  std::vector<std::int32_t> down, up, parallel;  // fat_tree: by level, from the nodes up
  std::int32_t groups = 0, routers_per_group = 0, nodes_per_router = 0, global_links_per_router = 0;  // dragonfly
  Parameter bandwidth;                // bytes per second of a link, each way
  Parameter injection_bandwidth;      // of the link between a node and its switch, each way
  Parameter global_bandwidth;         // of a link between groups
  Parameter hop_latency;              // seconds for each link between switches
  Parameter memory_bandwidth;         // bytes per second of all messages together that stay inside one node
};

struct System;  // system.h

struct Machine {
  std::string name;
  std::string description;  // processor, MPI library
  std::string measured_at;  // ISO 8601, UTC
  std::int32_t nodes = 1;
  std::int32_t cores_per_node = 1;
  std::int32_t sockets_per_node = 1;
  std::int32_t threads_per_core = 1;          // hardware threads
  std::int32_t memories_per_node = 1;         // NUMA nodes
  double cache_line = 64;                     // bytes that a miss brings in
  double page = 4096;                         // bytes of a page of memory
  double memory_per_node = 0;                 // bytes; 0 unknown
  Parameter core_speed;                       // operations per second of the calibration kernel on one core
  Parameter shared_core_speed;                // the same on every core while all cores of the node are active
  Parameter core_share;                       // part of a core that a process gets while it computes; not known: a whole one (docs/models/core_share.md)
  Parameter share_period;                     // seconds after which it gets that part anew
  Parameter noise;                            // relative standard deviation of a constant piece of work of about a millisecond
  Parameter drift;                            // the same of how fast cores are from one launch of a calibration to another
  Parameter page_fault;                       // seconds per page that does not fit the memory of the node
  Parameter allreduce_overlap;                // of MPI_Iallreduce: see Link::eager_overlap
  Parameter first_touch;                      // seconds of the first write to a page: the system's fault, and clearing it
  Parameter first_read;                       // seconds of the first read of a page: the fault alone
  std::vector<OperationCost> operations;
  std::vector<ThreadCost> openmp;             // ascending threads
  std::vector<MemoryLevel> memory;            // from the core outwards
  std::vector<WorkingSetPoint> working_sets;  // the sweep behind `memory`
  std::map<std::string, Link>
      links;  // "core" (same socket), "socket", "node", "network": those that were measured
  std::optional<MemorySharing> memory_sharing;  // nothing: computing is not slowed by that of other ranks
  std::optional<Network> network;  // what messages share; nothing: only a process's own interfaces
  std::vector<PatternCost> patterns;
  std::map<recording::Pattern, AlgorithmChoices> collectives;  // by which algorithms they are simulated, where not by the usual
  std::shared_ptr<const System> system;  // its units as a person wrote them; null: they follow from the numbers here (system_of)
  std::optional<Extrap> extrap;  // its parameters in ExtraP's model, where it is described in that
  /// Covariance of parameters fitted together: (name, name) -> covariance, names as in `parameter_names`.
  std::map<std::pair<std::string, std::string>, double> covariance;
  std::string launcher;            // how the measured processes were started: "mpirun -n {p}"
  std::vector<MeasuredPlacement> placements;  // of the launches behind `patterns`, ascending; empty: not known
  std::vector<std::string> notes;  // what the measurement could not tell apart or left out, a sentence each
  std::map<std::string, std::string> environment;  // what its measurements rest on and may change: "kernel" -> "6.1.0-13-amd64"
  std::map<std::string, std::string> sources;  // dotted name of a parameter, or its beginning ("links.network") -> where its value is published
};

/// A parameter by its dotted name ("links.node.latency", "patterns.allreduce.0.startup"), for `machine set`,
/// sensitivities and diff. They stay where they are until the next call of parameters() or a change of the machine.
struct NamedParameter {
  std::string name;
  Dimension dimension = Dimension::none;
  Parameter* parameter = nullptr;
};
std::vector<NamedParameter> parameters(Machine& machine);
std::map<std::string, Parameter> known_parameters(
    const Machine& machine);  // by name, without those of unknown origin

/// Where the value of that name is published: what is said of the name, else of its longest beginning; empty: nothing is.
std::string source_of(const Machine& machine, std::string_view name);

/// The links a machine may have, from the nearest processes to the farthest.
inline constexpr std::array<std::string_view, 4> kLinkNames{"core", "socket", "node", "network"};
/// The growths f(p) that a piece may name, and their values; 0 for a name that is none of them.
inline constexpr std::array<std::string_view, 6> kGrowthNames{"1",      "log2",  "ceil_log2",
                                                              "linear", "peers", "sqrt"};
double growth_value(std::string_view growth, double processes);
/// As people write it, to stand behind a factor: "ceil(log2 p)", "(p - 1)"; empty for "1".
std::string_view growth_formula(std::string_view growth);

/// The pattern's name in tables and files ("allreduce"; "" for none), and back.
std::string_view pattern_name(recording::Pattern pattern);
std::optional<recording::Pattern> pattern_from(std::string_view name);

/// What a table prices, by its name: "allgather", and "allgatherv" of members that contribute different amounts; nothing for one of another kind.
struct Priced {
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false;
};
std::optional<Priced> priced_by(std::string_view table);
/// The name of the table that prices it; empty for Pattern::none.
std::string table_name(recording::Pattern pattern, bool uneven);
/// The machine's fitted table for a pattern; of a v-variant that has none that of the regular one; null: there is neither.
const PatternCost* table_for(const Machine& machine, recording::Pattern pattern, bool uneven);

/// Neighbours of each process in the table for Pattern::neighbourhood.
inline constexpr std::int64_t kTabledNeighbours = 4;

/// What a measured overlap counts as: within 0 and 1.
double overlap_share(const Parameter& measured);

/// The rules a machine must keep: costs >= 0, capacities > 0, counts >= 1, pieces ascending. The first
/// violation.
Result<void> check(const Machine& machine);

/// Ideal machine: every communication free; cores as in the recordings.
Machine ideal_machine();
/// The barrier of Table 1 of the paper on ExtraP (Mohr, Shanmugam, Malony 1995), all else free: "extrap-table-1".
Machine extrap_machine();

}  // namespace parcast::machine
