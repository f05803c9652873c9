// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/visible.h"

namespace parcast::cli {

namespace {

void write_result(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
    say_error({std::string("the result could not be written: ") + std::strerror(errno), "stdout", ""});
    std::exit(kFailed);
  }
}

}  // namespace

void print_result(std::string_view text) {
  write_result(printable(text));
}

void print_data(std::string_view bytes) {
  if (::isatty(STDOUT_FILENO) == 1) return print_result(bytes);
  write_result(bytes);
}

void print_message(std::string_view text) {
  print_control(visible_lines(text, text.size()));
}

void print_control(std::string_view sequence) {
  std::fwrite(sequence.data(), 1, sequence.size(), stderr);
}

void say_error(const Error& error) {
  print_message(to_string(error) + "\n");
}

}  // namespace parcast::cli
