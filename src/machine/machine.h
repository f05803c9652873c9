// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machine model (the system graph of the papers): units from the network down to the core, each parameter with its
// standard error, sample count and origin, and measured cost tables per communication pattern.
//
// Point to point follows LogGPS (Alexandrov et al. 1997; Ino et al. 2001), per level of the machine: L latency, o_s and
// o_r overhead of sending and receiving, g gap between messages, G gap per byte, S the largest eager message.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/origin.h"
#include "base/quantity.h"
#include "base/text.h"
#include "recording/recording.h"
#include "symbolic/expression.h"

namespace parcast::machine {

/// One parameter, in base units.
struct Parameter {
  double value = 0;
  double standard_error = 0;
  std::int64_t samples = 0;
  Origin origin = Origin::unknown;   // measured, assumed, or unknown
};

/// LogGPS between two processes whose nearest common unit this is.
struct Link {
  Parameter latency;                 // L, seconds
  Parameter send_overhead;           // o_s, seconds
  Parameter receive_overhead;        // o_r, seconds
  Parameter gap;                     // g, seconds between messages
  Parameter gap_per_byte;            // G, seconds per byte, eager
  Parameter eager_limit;             // S, bytes
  Parameter rendezvous_latency;      // seconds a message longer than S pays for the handshake
  Parameter rendezvous_gap_per_byte; // seconds per byte above S
};

struct MemoryLevel {
  std::string name;                  // L1, L2, L3, memory
  Parameter capacity;                // bytes
  Parameter bandwidth;               // bytes per second, one core
  Parameter latency;                 // seconds per dependent load
};

/// One measured point of a pattern's training set.
struct CostPoint {
  std::int32_t processes = 0;
  double bytes = 0;                  // per process and call
  double seconds = 0;                // median over repeats of the slowest process's time
  double standard_error = 0;
  std::int64_t samples = 0;
};

/// The training set of one pattern, and what was fitted to it:
/// t(m, p) = a + b f(p) + m (c + d f(p)), piecewise in m at `breaks`.
struct PatternCost {
  recording::Pattern pattern = recording::Pattern::none;   // none: the 2-D halo exchange
  std::string name;                  // "allreduce", "halo2d"
  std::vector<CostPoint> points;
  struct Piece {
    double from_bytes = 0;           // valid for messages of at least this many bytes
    std::string growth;              // f: "1", "log2", "ceil_log2", "linear", "sqrt"
    Parameter startup, startup_growth, per_byte, per_byte_growth;   // a, b (seconds), c, d (seconds per byte)
    double relative_error = 0;       // median residual as a fraction
  };
  std::vector<Piece> pieces;         // ascending from_bytes, the first from 0
};

struct Machine {
  std::string name;
  std::string description;           // processor, MPI library
  std::string measured_at;           // ISO 8601, UTC
  std::int32_t nodes = 1;
  std::int32_t cores_per_node = 1;
  double memory_per_node = 0;        // bytes; 0 unknown
  Parameter core_speed;              // operations per second of the calibration kernel on one core
  Parameter noise;                   // relative standard deviation of a constant piece of work
  std::vector<MemoryLevel> memory;   // from the core outwards
  std::map<std::string, Link> links; // "core" (same socket), "socket", "node", "network": those that were measured
  std::vector<PatternCost> patterns;
  /// Covariance of parameters fitted together: (name, name) -> covariance, names as in `parameter_names`.
  std::map<std::pair<std::string, std::string>, double> covariance;
};

/// A parameter by its dotted name ("links.node.latency", "patterns.allreduce.0.startup"), for `machine set`, sensitivities and diff.
struct NamedParameter {
  std::string name;
  Dimension dimension = Dimension::none;
  Parameter* parameter = nullptr;
};
std::vector<NamedParameter> parameters(Machine& machine);

/// The rules a machine must keep: costs >= 0, capacities > 0, counts >= 1, pieces ascending. The first violation.
Result<void> check(const Machine& machine);

/// Ideal machine: every communication free; cores as in the recordings.
Machine ideal_machine();

}  // namespace parcast::machine
