// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command that opens what an export wrote, ready for a shell.

#include <cstdint>
#include <string>
#include <string_view>

namespace parcast::cli {

/// `format`: a name of --format, or "perfetto". `ranks` matters to SimGrid's traces alone. Empty where the format is not known.
std::string opening_command(std::string_view format, const std::string& path, std::int32_t ranks = 0);

/// "  open it: COMMAND\n"; where there is another tool, with its name before the colon.
std::string opening_line(std::string_view format, const std::string& path, std::int32_t ranks = 0);

}  // namespace parcast::cli
