// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results go to stdout, everything else to stderr, with the matching exit code. A result that cannot be
// written (a full disk, a closed pipe) is reported as an error.

#include <string_view>

#include "base/result.h"

namespace parcast::cli {

enum ExitCode { kAnswered = 0, kFailed = 1, kUsage = 2, kPartial = 3, kWouldHang = 4 };

/// Prints text or JSON on stdout. Terminal control sequences are escaped (base/visible.h).
void print_result(std::string_view text);
/// Prints a file, such as CSV, on stdout: unchanged, unless stdout is a terminal.
void print_data(std::string_view bytes);
/// Prints text on stderr, with the same escaping.
void print_message(std::string_view text);
/// Prints a control sequence that moves the cursor of a terminal on stderr.
void print_control(std::string_view sequence);
void say_error(const Error& error);

}  // namespace parcast::cli
