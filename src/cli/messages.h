// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results to stdout, all else to stderr, and the exit code that goes with them. A result that cannot be written (a full disk, a closed pipe) is an
// error, not silence.

#include <string_view>

#include "base/result.h"

namespace parcast::cli {

enum ExitCode { kAnswered = 0, kFailed = 1, kUsage = 2, kPartial = 3, kWouldHang = 4 };

/// Text or JSON for stdout. What a terminal would obey is escaped (base/visible.h).
void print_result(std::string_view text);
/// A file for stdout, as CSV: byte by byte, unless stdout is a terminal.
void print_data(std::string_view bytes);
/// Text for stderr, escaped likewise.
void print_message(std::string_view text);
/// What moves the cursor of a terminal on stderr.
void print_control(std::string_view sequence);
void say_error(const Error& error);

}  // namespace parcast::cli
