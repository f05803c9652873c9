// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text about a machine: the cost of a message at each level, the memory, the collectives; and the comparison
// of two machines.

#include <set>
#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/tools.h"
#include "report/style.h"

namespace parcast::report {

/// A machine by name, and its source: "built in", "here" (a file in this folder), "published" (shipped with
/// its source), "shipped" (a system that is an example).
struct ListedMachine {
  std::string name, from, description;
  std::string publication;  // the publication of its links
  std::string problem;      // why its file cannot be read; empty if it can
};
ListedMachine listed(const machine::Machine& machine, const std::string& from);
/// Returns the list; published machines are grouped by their publication.
std::string machine_list_text(const std::vector<ListedMachine>& machines, const Style& style);

/// Returns what the machine is: name, nodes and cores, processor, when measured.
std::string machine_head(const machine::Machine& machine, const Style& style);
/// Returns the parameters of ExtraP's model that differ from their defaults; empty without that model.
std::string extrap_table(const machine::Machine& machine, const Style& style);
/// Returns everything known about the machine. report/machine_summary.h has the short form.
std::string machine_text(const machine::Machine& machine, const Style& style);
/// The names of the parameters that the measurement of either machine did not resolve (machine/measured.h).
struct Unresolved {
  std::set<std::string> a, b;
};
/// Returns the differences with the names of the two machines; values that agree within their intervals come
/// last.
std::string machine_diff_text(const std::string& a, const std::string& b,
                              const machine::Comparison& comparison, const Style& style,
                              const Unresolved& unresolved = {});
/// Returns lines like "links.core.latency  150 ns -> 2.00 us".
std::string machine_changes_text(const std::vector<machine::Difference>& changes, const Style& style);

}  // namespace parcast::report
