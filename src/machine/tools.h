// SPDX-License-Identifier: Apache-2.0
#pragma once
// Changing one parameter of a machine, and telling two machines apart: what `parcast machine set` and
// `parcast machine diff` do.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/machine.h"

namespace parcast::machine {

/// Applies "links.core.latency=2us" (or "*2", "/2": what is known, so many times as large, its error too), "nodes=4", "memory_per_node=24GB", "system.node.communication.latency=1us" or, for all links and hops of a system at once, LogGPS by
/// its letters: L, o (both overheads), os, or, g, G, O (both, per byte), S, or "collectives.allreduce=ring, linear from 1MiB". The parameter is then assumed,
/// without standard error. A link or a network that is not there yet is added; "network.topology=torus" and "network.dimensions=4x4" give its shape. The error
/// names what was mistyped, or the unit that is wanted. The name is that of the machine's file and cannot be set.
Result<void> set_parameter(Machine& machine, std::string_view assignment);

/// "L" of "L=2us" and "L*2".
std::string assigned_name(std::string_view assignment);

/// Of a parameter that set_parameter() takes; the error names what was mistyped.
Result<Dimension> dimension_of(const Machine& machine, const std::string& name);

/// Whether every link and the network, also those that set_parameter() added, have what a machine file must say of them.
Result<void> check_complete(const Machine& machine);

/// How many times as long computing takes on `here` as on `there`, by the calibration kernel on one core. An error where one of the
/// two core speeds is not known; the ideal machine has the cores of any other.
Result<double> compute_ratio(const Machine& there, const Machine& here);

/// What an answer assumes that counts no savings of processes with a share of a core (docs/models/core_share.md); empty: they have whole ones.
std::string without_savings(const Machine& machine);

/// One parameter of two machines.
struct Difference {
  std::string name;
  Dimension dimension = Dimension::none;
  std::optional<double> a, b;     // nothing: not known there
  bool within_intervals = false;  // the 95 % interval of the difference holds 0
};

/// All parameters known in either machine, in the order of parameters().
std::vector<Difference> diff(const Machine& a, const Machine& b);
/// The measured points of one table that both machines have, by process count and bytes.
struct TableDifference {
  std::string name;               // "broadcast"
  std::int32_t points = 0, agreeing = 0;  // agreeing: the 95 % interval of the difference holds 0
  double ratio = 1;               // median of b / a
};
struct Comparison {
  std::vector<Difference> parameters;
  std::vector<TableDifference> tables;
};
/// diff(), but tables that were measured for each are compared by their points, and links so measured without their corrections: coefficients of
/// pieces that begin at other sizes are not of the same thing.
Comparison compare(const Machine& a, const Machine& b);

/// Those that are not the same in both.
std::vector<Difference> changes(const Machine& before, const Machine& after);

}  // namespace parcast::machine
