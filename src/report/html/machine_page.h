// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of a machine: its links and memory, what communication costs, measured and fitted; of two machines
// over each other. The numbers are those of `parcast machine show` and `diff`.

#include <string>
#include <vector>

#include "machine/machine.h"
#include "report/html/document.h"
#include "report/html/report.h"

namespace parcast::report::html {

struct MachineReport {
  std::vector<machine::Machine> machines;  // one or two
  std::vector<std::string> warnings;
  std::vector<InputFile> files;
  std::string command, version;
};

Document document_of(const MachineReport& report);

/// Returns what a machine is, its links and its memory.
std::string machine_tables(const machine::Machine& machine);
/// Returns the costs of all patterns that two machines have, over each other; for one its points and fits.
std::string machine_patterns(const MachineReport& report);
/// Returns times of loads and rates of streams over the bytes that a core works on.
std::string machine_memory(const MachineReport& report);
/// Returns the parameters that differ; empty for one machine.
std::string machine_differences(const MachineReport& report);

}  // namespace parcast::report::html
