// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine for people: what a message costs at each level, the memory, the collectives; and two machines
// side by side.

#include <string>
#include <vector>

#include "machine/machine.h"
#include "machine/tools.h"
#include "report/style.h"

namespace parcast::report {

/// A machine by name, and where it comes from: "built in", "here" (a file in this folder), "published" (shipped with its source),
/// "shipped" (a system that is an example).
struct ListedMachine {
  std::string name, from, description;
  std::string publication;  // of its links
  std::string problem;      // why its file cannot be read; empty: it can
};
ListedMachine listed(const machine::Machine& machine, const std::string& from);
/// The published ones stand under the publication that they are taken from.
std::string machine_list_text(const std::vector<ListedMachine>& machines, const Style& style);

std::string machine_text(const machine::Machine& machine, const Style& style);
/// Under the names of the two; those that agree within their intervals come last.
std::string machine_diff_text(const std::string& a, const std::string& b, const machine::Comparison& comparison, const Style& style);
/// "links.core.latency  150 ns -> 2.00 us", a line each.
std::string machine_changes_text(const std::vector<machine::Difference>& changes, const Style& style);

}  // namespace parcast::report
