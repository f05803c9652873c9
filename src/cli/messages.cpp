// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/visible.h"

namespace parcast::cli {

namespace {

// As stderr itself, the form of errors belongs to the process.
std::optional<std::vector<Error>> kept_errors;

void write_result(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
    say_error({std::string("the result could not be written: ") + std::strerror(errno), "stdout", ""});
    std::exit(end_errors(kFailed));
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
  if (kept_errors)
    kept_errors->push_back(error);
  else
    print_message(to_string(error) + "\n");
}

void keep_errors() {
  kept_errors.emplace();
}

int end_errors(int exit_code) {
  if (!kept_errors) return exit_code;
  for (const Error& error : *kept_errors) print_message(error_to_json(error, exit_code) + "\n");
  kept_errors->clear();
  return exit_code;
}

}  // namespace parcast::cli
