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

std::string machine_text(const machine::Machine& machine, const Style& style);
/// Under the names of the two; those that agree within their intervals come last.
std::string machine_diff_text(const std::string& a, const std::string& b, const std::vector<machine::Difference>& differences,
                              const Style& style);
/// "links.core.latency  150 ns -> 2.00 us", a line each.
std::string machine_changes_text(const std::vector<machine::Difference>& changes, const Style& style);

}  // namespace parcast::report
