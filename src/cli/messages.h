// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results to stdout, all else to stderr, and the exit code that goes with them. A result that cannot be written (a full disk, a closed pipe) is an
// error, not silence.

#include <string_view>

#include "base/result.h"

namespace parcast::cli {

enum ExitCode { kAnswered = 0, kFailed = 1, kUsage = 2, kPartial = 3, kWouldHang = 4 };

void print_result(std::string_view text);
void print_message(std::string_view text);
void say_error(const Error& error);

}  // namespace parcast::cli
