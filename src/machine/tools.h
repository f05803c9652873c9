// SPDX-License-Identifier: Apache-2.0
#pragma once
// Changes one parameter of a machine (`parcast machine set`) and compares two machines (`parcast machine
// diff`).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace parcast::machine {

/// Sets one parameter: "links.core.latency=2us", "nodes=4", "memory_per_node=24GB",
/// "system.node.communication.latency=1us", or "collectives.allreduce=ring, linear from 1MiB". "*2" and "/2"
/// instead of "=2us" multiply or divide a known value and its error.
///
/// A LogGPS letter sets all links and hops of a system at once: L, o (both overheads), os, or, g, G, O (both,
/// per byte), S; so does a link's parameter alone, "eager_limit=0". The parameter is then assumed; a value
/// set by "=" has no standard error. A missing link or network is added; "network.topology=torus" and
/// "network.dimensions=4x4" set its shape.
///
/// The error gives the mistyped name, or the unit that is required. The machine's name is that of its file
/// and cannot be set.
Result<void> set_parameter(Machine& machine, std::string_view assignment);

/// Returns "L" for "L=2us" and "L*2".
std::string assigned_name(std::string_view assignment);

/// Returns the dimension of a parameter that set_parameter() accepts. The error gives the mistyped name.
Result<Dimension> dimension_of(const Machine& machine, const std::string& name);

/// Checks that every link and the network, also those added by set_parameter(), have the values that a
/// machine file requires.
Result<void> check_complete(const Machine& machine);

/// Returns the ratio of computing times on `here` and `there`, by the calibration kernel on one core. Returns
/// an error if one of the core speeds is unknown. The ideal machine has the cores of the other machine.
Result<double> compute_ratio(const Machine& there, const Machine& here);

/// Returns whether one took over the core's measured speed from the other. The ratio of their computing times
/// then has no error.
bool has_same_core(const Machine& there, const Machine& here);

/// Returns the speed for which computing times on the machine are given: that of a core, or of the most
/// frequent processor of a system without one. 0: unknown.
double operations_per_second(const Machine& machine);

/// Returns a sentence on which savings of shares of cores the closed form counts (docs/models/core_share.md);
/// empty if processes have full cores.
std::string without_savings(const Machine& machine);

/// A parameter of two machines.
struct Difference {
  std::string name;
  Dimension dimension = Dimension::none;
  std::optional<double> a, b;     // empty: unknown on that machine
  bool within_intervals = false;  // the 95 % interval of the difference contains 0
};

/// Returns all parameters known on either machine, in the order of parameters().
std::vector<Difference> diff(const Machine& a, const Machine& b);
/// Comparison of the measured points that a table has on both machines, by process count and bytes.
struct TableDifference {
  std::string name;                       // "broadcast"
  std::int32_t points = 0, agreeing = 0;  // agreeing: the 95 % interval of the difference contains 0
  double ratio = 1;                       // median of b / a
};
struct Comparison {
  std::vector<Difference> parameters;
  std::vector<TableDifference> tables;
};
/// As diff(), but tables measured for each machine are compared by their points, and links with such tables
/// without their corrections: coefficients of pieces that begin at different sizes are not comparable.
Comparison compare(const Machine& a, const Machine& b);

/// Returns the parameters that differ.
std::vector<Difference> changes(const Machine& before, const Machine& after);

}  // namespace parcast::machine
