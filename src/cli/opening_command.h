// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command that opens an exported file, quoted for a shell.

#include <cstdint>
#include <string>
#include <string_view>

namespace parcast::cli {

/// Returns the command. `format`: a name of --format, or "perfetto". `ranks` matters only for SimGrid's
/// traces. Empty if the format is unknown.
std::string opening_command(std::string_view format, const std::string& path, std::int32_t ranks = 0);

/// Returns "  open it: COMMAND\n"; if another tool opens the file, its name precedes the colon.
std::string opening_line(std::string_view format, const std::string& path, std::int32_t ranks = 0);

}  // namespace parcast::cli
