// SPDX-License-Identifier: Apache-2.0
#pragma once
// NAME.machine.toml: a machine as a file that a user can write by hand (docs/formats/machine.md). Errors give
// file:line:column, the line and a caret.

#include <filesystem>
#include <string>

#include "machine/machine.h"

namespace parcast::machine {

std::string to_toml(const Machine& machine);
Result<Machine> machine_from_toml(std::string_view text, const std::string& where);
/// Returns the JSON that `parcast machine show --json` prints: parcast.machine/1, every parameter with its 90
/// % interval.
std::string to_json(const Machine& machine);
/// Returns the name of the machine in this file: "here" for path/here.machine.toml.
std::string name_of_file(const std::filesystem::path& path);
Result<Machine> read_machine(const std::filesystem::path& path);
Result<void> write_machine(const std::filesystem::path& path, const Machine& machine);

}  // namespace parcast::machine
