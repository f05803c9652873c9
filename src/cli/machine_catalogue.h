// SPDX-License-Identifier: Apache-2.0
#pragma once
// The machines that a name may mean: built in, a file in this folder, or one that is shipped with its source.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.h"

namespace parcast::cli {

/// "ideal", "extrap-table-1".
std::vector<machine::Machine> built_in_machines();
/// Names of NAME.machine.toml in the current folder, sorted.
std::vector<std::string> machines_here();
/// Names of the machines of publications that are installed beside the running program, sorted.
std::vector<std::string> published_machines();
/// The file of one of these; nothing for a name that is none.
std::optional<std::filesystem::path> published_machine(const std::string& name);

}  // namespace parcast::cli
