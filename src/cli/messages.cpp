// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/visible.h"
#include "report/table.h"

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

/// Wraps warnings and errors for the terminal that stderr is. Other lines, such as commands to copy, stay
/// whole.
std::string for_terminal(const std::string& text) {
  const auto columns = columns_for_text(STDERR_FILENO);
  if (!columns) return text;
  report::Style style;
  style.width = *columns;
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines)
    if (line.find("warning: ") != std::string::npos || line.find("error: ") != std::string::npos)
      line = report::wrapped(style, line, 2);
  return join(lines, "\n");
}

}  // namespace

std::optional<int> columns_for_text(int descriptor) {
  constexpr int kFewest = 60;  // a narrower terminal wraps by itself
  winsize size{};
  std::optional<long long> columns;
  if (::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    columns = size.ws_col;
  else if (const char* preferred = std::getenv("COLUMNS"))
    columns = parse_integer(preferred);
  if (!columns || *columns < kFewest || *columns > std::numeric_limits<unsigned short>::max()) return {};
  return static_cast<int>(*columns);
}

void print_result(std::string_view text) {
  write_result(printable(text));
}

void print_data(std::string_view bytes) {
  if (::isatty(STDOUT_FILENO) == 1) return print_result(bytes);
  write_result(bytes);
}

void print_message(std::string_view text) {
  print_control(for_terminal(visible_lines(text, text.size())));
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
