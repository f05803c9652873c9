// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machines that a name may refer to: built in, a file in the current folder, or one that is shipped with
// its source.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace parcast::cli {

/// Returns the built-in machines: "ideal", "extrap-table-1".
std::vector<machine::Machine> built_in_machines();
/// Returns the names of all NAME.machine.toml in the current folder, sorted.
std::vector<std::string> machines_here();
/// Returns the names of the published machines that are installed with the running program, sorted.
std::vector<std::string> published_machines();
/// Returns the command that prints the machine of a name or file, e.g. "parcast machine show here" for
/// here.machine.toml.
std::string show_command(const std::string& machine);
/// Returns the file of a published machine; nothing if no published machine has this name.
std::optional<std::filesystem::path> published_machine(const std::string& name);

}  // namespace parcast::cli
