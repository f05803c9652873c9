// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace parcast::cli {

void print_result(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    say_error({std::string("the result could not be written: ") + std::strerror(errno), "stdout", ""});
    std::exit(kFailed);
  }
}

void print_message(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void say_error(const Error& error) { print_message(to_string(error) + "\n"); }

}  // namespace parcast::cli
