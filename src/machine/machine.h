// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine model (the system graph of the papers): units from the network down to the core, and measured
// cost tables per communication pattern. Each parameter has its standard error, sample count and origin.
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

/// A parameter in base units.
struct Parameter {
  double value = 0;
  double standard_error = 0;
  std::int64_t samples = 0;
  Origin origin = Origin::unknown;  // measured, assumed, or unknown
};

/// The LogGPS parameters between two processes whose nearest common unit this is. A link without an eager
/// limit (origin unknown) sends every message eagerly. The overheads per byte are the part of the gap per
/// byte during which the processor copies (O of LogGOPS). At 0 the model is LogGPS as in the papers.
struct Link {
  /// The cost of measured messages of at least `from_bytes` beyond that of the parameters below; negative if
  /// they cost less. The parameters keep their meaning, and the sum follows the measured curve.
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
  Parameter rendezvous_latency;         // seconds that a message longer than S takes for the handshake
  Parameter rendezvous_gap_per_byte;    // seconds per byte above S
  Parameter send_overhead_per_byte;     // O_s, seconds per byte of an eager message
  Parameter receive_overhead_per_byte;  // O_r, seconds per byte of an eager message
  /// The measured part of a nonblocking transfer that is hidden by computing between its start and its wait.
  /// Noise may move it below 0 or above 1; overlap_share() limits it to that range.
  Parameter eager_overlap, rendezvous_overlap;
  std::vector<Correction> corrections;  // ascending from_bytes; from send to receipt
};

struct MemoryLevel {
  std::string name;            // L1, L2, L3, memory
  Parameter capacity;          // bytes
  Parameter bandwidth;         // bytes per second, one core
  Parameter latency;           // seconds per dependent load
  Parameter shared_bandwidth;  // bytes per second, one core while all cores of the node are active
  std::int32_t shared_by = 0;  // cores that share one such cache; 0: unknown
};

/// One measured point of the memory sweep: a working set of `bytes` per core on `cores` active cores.
struct WorkingSetPoint {
  std::int32_t cores = 1;
  double bytes = 0;
  double seconds_per_load = 0;  // of a dependent load; 0 not measured
  double bytes_per_second = 0;  // per core; 0 not measured
};

/// The bandwidth of memory that cores share: bytes per second of that many cores together when each of them
/// streams. docs/models/memory_contention.md.
struct MemorySharing {
  struct Point {
    std::int32_t cores = 1;
    Parameter bandwidth;
  };
  bool by_socket = false;     // the cores of a socket share a memory; else those of a node
  std::vector<Point> points;  // ascending cores, the first with one core
};

/// One measured point of a pattern's training set.
struct CostPoint {
  std::int32_t processes = 0;
  double bytes = 0;    // per process and call
  double seconds = 0;  // median over repeats of the slowest process's time
  double standard_error = 0;
  std::int64_t samples = 0;
  double low = 0, high = 0;  // quartiles of the repeats, seconds; 0: unknown
  // outliers among the repeats (docs/formats/machine.md, Rows); they count like the others
  std::int64_t outliers = 0;
};

/// The cost of operations of a class in the first-level cache: seconds per operation if each waits for the
/// one before, and if many are in flight (docs/models/operations.md).
struct OperationCost {
  std::string name;  // "double_add"
  Parameter dependent, independent;
};

/// The cost of a team of `threads` OpenMP threads.
struct ThreadCost {
  std::int32_t threads = 0;
  Parameter fork_join;  // seconds of an empty parallel region
  Parameter barrier;    // seconds of a barrier in a parallel region
};

/// The training set of one pattern and the formula fitted to it:
///
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
  /// A knot of the correction: the measured time of a call minus that of the pieces' formula
  /// (pattern_cost.h).
  struct Correction {
    std::int32_t processes = 0;  // >= 2
    double bytes = 0;
    double seconds = 0;
  };
  std::vector<Correction> corrections;  // ascending processes, then bytes; empty: none
  Parameter single_startup;             // seconds of a call on one process
  Parameter single_per_byte;            // seconds per byte of a call on one process
  bool uneven = false;  // for a v-variant ("allgatherv"): processes contribute different amounts
};

/// How the processes of a launch that measured tables were placed on nodes.
struct MeasuredPlacement {
  std::int32_t processes = 0, nodes = 0;
  std::int32_t ranks_per_node = 0;  // the largest number on a node
  auto operator<=>(const MeasuredPlacement&) const = default;
};

/// How the nodes are joined, and which resources messages share on their way. docs/models/network.md also
/// describes parameters that are left out.
struct Network {
  std::string topology;  // one of kTopologies (network.h); empty: messages between nodes share nothing
  std::vector<std::int32_t> dimensions;          // torus: extents
  std::vector<std::int32_t> down, up, parallel;  // fat_tree: one number per level, starting at the nodes
  // dragonfly
  std::int32_t groups = 0, routers_per_group = 0, nodes_per_router = 0, global_links_per_router = 0;
  Parameter bandwidth;            // bytes per second of a link, each way
  Parameter injection_bandwidth;  // of the link between a node and its switch, each way
  Parameter global_bandwidth;     // of a link between groups
  Parameter hop_latency;          // seconds for each link between switches
  Parameter memory_bandwidth;     // bytes per second of all messages inside one node together
};

struct System;  // system.h

struct Machine {
  std::string name;
  std::string description;  // processor, MPI library
  std::string measured_at;  // ISO 8601, UTC
  std::int32_t nodes = 1;
  std::int32_t cores_per_node = 1;
  std::int32_t sockets_per_node = 1;
  std::int32_t threads_per_core = 1;   // hardware threads
  std::int32_t memories_per_node = 1;  // NUMA nodes
  double cache_line = 64;              // bytes that a miss brings in
  double page = 4096;                  // bytes of a page of memory
  double memory_per_node = 0;          // bytes; 0 unknown
  Parameter core_speed;                // operations per second of the calibration kernel on one core
  Parameter shared_core_speed;         // the same on every core while all cores of the node are active
  // part of a core that a process gets while it computes; unknown: a full core (docs/models/core_share.md)
  Parameter core_share;
  Parameter share_period;  // seconds after which a process gets its part again
  Parameter noise;         // relative standard deviation of the time of constant work of about a millisecond
  Parameter drift;         // relative standard deviation of core speeds between launches of a calibration
  Parameter page_fault;    // seconds per page that does not fit the memory of the node
  Parameter allreduce_overlap;  // of MPI_Iallreduce: see Link::eager_overlap
  // seconds of the first write to a page: the system's page fault, and clearing the page
  Parameter first_touch;
  Parameter first_read;  // seconds of the first read of a page: the page fault only
  std::vector<OperationCost> operations;
  std::vector<ThreadCost> openmp;             // ascending threads
  std::vector<MemoryLevel> memory;            // from the core outwards
  std::vector<WorkingSetPoint> working_sets;  // the sweep from which `memory` was fitted
  std::map<std::string, Link> links;  // "core" (same socket), "socket", "node", "network": the measured ones
  std::optional<MemorySharing> memory_sharing;  // empty: computing of other ranks does not slow it
  std::optional<Network> network;  // what messages share; empty: only the interfaces of a process
  std::vector<PatternCost> patterns;
  // algorithms used in simulation, for patterns that do not use the usual ones
  std::map<recording::Pattern, AlgorithmChoices> collectives;
  // units as a user described them; null: derived from the numbers here (system_of)
  std::shared_ptr<const System> system;
  std::optional<Extrap> extrap;  // parameters of ExtraP's model, if the machine is described in it
  /// Covariance of parameters fitted together: (name, name) -> covariance, with names as in `parameters`.
  std::map<std::pair<std::string, std::string>, double> covariance;
  std::string launcher;  // how the measured processes were started: "mpirun -n {p}"
  // of the launches that measured `patterns`, ascending; empty: unknown
  std::vector<MeasuredPlacement> placements;
  std::vector<std::string> notes;  // sentences on what the measurement could not distinguish or left out
  // facts that the measurements depend on and that may change: "kernel" -> "6.1.0-13-amd64"
  std::map<std::string, std::string> environment;
  // dotted name of a parameter or the beginning of one ("links.network") -> publication of its value
  std::map<std::string, std::string> sources;
};

/// A parameter with its dotted name ("links.node.latency", "patterns.allreduce.0.startup"), for `machine
/// set`, sensitivities and diff. The pointers stay valid until the next call of parameters() or a change of
/// the machine.
struct NamedParameter {
  std::string name;
  Dimension dimension = Dimension::none;
  Parameter* parameter = nullptr;
};
std::vector<NamedParameter> parameters(Machine& machine);
std::map<std::string, Parameter> known_parameters(
    const Machine& machine);  // by name, without those of unknown origin

/// Returns where the value with that name is published: the source of the name, or else of its longest
/// beginning that has one. Empty: no source is given.
std::string source_of(const Machine& machine, std::string_view name);

/// The links a machine may have, from the nearest processes to the farthest.
inline constexpr std::array<std::string_view, 4> kLinkNames{"core", "socket", "node", "network"};
/// The growths f(p) that a piece may name, and their values; 0 for an unknown name.
inline constexpr std::array<std::string_view, 6> kGrowthNames{"1",      "log2",  "ceil_log2",
                                                              "linear", "peers", "sqrt"};
double growth_value(std::string_view growth, double processes);
/// Returns the growth as text for use after a factor: "ceil(log2 p)", "(p - 1)"; empty for "1".
std::string_view growth_formula(std::string_view growth);

/// Converts between a pattern and its name in tables and files ("allreduce"; "" for none).
std::string_view pattern_name(recording::Pattern pattern);
std::optional<recording::Pattern> pattern_from(std::string_view name);

/// The calls that a table prices, from its name: "allgather", or "allgatherv" for members that contribute
/// different amounts. Empty for a table of another kind.
struct Priced {
  recording::Pattern pattern = recording::Pattern::none;
  bool uneven = false;
};
std::optional<Priced> priced_by(std::string_view table);
/// Returns the name of the table that prices the pattern; empty for Pattern::none.
std::string table_name(recording::Pattern pattern, bool uneven);
/// Returns whether processes have only a part of a core (core_share).
bool has_core_share(const Machine& machine);
/// Returns the machine's fitted table for a pattern. A v-variant without a table uses the table of the
/// regular collective. Null: neither exists.
const PatternCost* table_for(const Machine& machine, recording::Pattern pattern, bool uneven);

/// Number of neighbours of each process in the table for Pattern::neighbourhood.
inline constexpr std::int64_t kTabledNeighbours = 4;

/// Returns a measured overlap, limited to the range from 0 to 1.
double overlap_share(const Parameter& measured);

/// Checks the rules for machines: costs >= 0, capacities > 0, counts >= 1, pieces ascending. Returns the
/// first violation.
Result<void> check(const Machine& machine);

/// Returns the ideal machine: communication is free, and cores are as in the recordings.
Machine ideal_machine();
/// Returns the machine "extrap-table-1": the barrier of Table 1 of the paper on ExtraP (Mohr, Shanmugam,
/// Malony 1995); everything else is free.
Machine extrap_machine();

}  // namespace parcast::machine
