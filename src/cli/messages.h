// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results go to stdout, everything else to stderr, with the matching exit code. A result that cannot be
// written (a full disk, a closed pipe) is reported as an error.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace parcast::cli {

enum ExitCode { kAnswered = 0, kFailed = 1, kUsage = 2, kPartial = 3, kWouldHang = 4 };

/// Returns the columns of the terminal behind a descriptor, else the value of COLUMNS; nothing without both,
/// and below 60.
std::optional<int> columns_for_text(int descriptor);

/// Prints text or JSON on stdout. Terminal control sequences are escaped (base/visible.h).
void print_result(std::string_view text);
/// Prints a file, such as CSV, on stdout: unchanged, unless stdout is a terminal.
void print_data(std::string_view bytes);
/// Prints text on stderr, with the same escaping. On a terminal, lines of warnings and errors are wrapped.
void print_message(std::string_view text);
/// Prints a control sequence that moves the cursor of a terminal on stderr.
void print_control(std::string_view sequence);
/// Prints an error on stderr, or keeps it for end_errors().
void say_error(const Error& error);

/// From now on errors of this process are kept, because their JSON has the exit code.
void keep_errors();
/// Prints each kept error as a line of JSON on stderr, and returns the exit code.
int end_errors(int exit_code);
/// Returns the error as parcast.error/1, one line.
std::string error_to_json(const Error& error, int exit_code);

}  // namespace parcast::cli
