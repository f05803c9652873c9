// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "base/visible.h"

namespace parcast::cli {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the descriptor that PARCAST_PROGRESS_FD names, if it is a pipe; else -1.
int descriptor_of_starter() {
  const char* name = std::getenv("PARCAST_PROGRESS_FD");
  const auto number = name ? parse_integer(name) : std::nullopt;
  struct stat what {};
  if (!number || *number <= STDERR_FILENO || *number > 1023 ||
      ::fstat(static_cast<int>(*number), &what) != 0 || !S_ISFIFO(what.st_mode))
    return -1;
  return static_cast<int>(*number);
}

}  // namespace

void say_warning(const Invocation& invocation, const Error& warning) {
  if (invocation.quiet() || !invocation.is_new(warning.where + '\0' + warning.what + '\0' + warning.hint))
    return;
  print_message(to_string(warning, "warning") + "\n");
}

Result<report::Style> style(const Invocation& invocation) {
  const std::string when = invocation.value("--color").value_or("auto");
  if (when != "auto" && when != "always" && when != "never")
    return Error{"--color " + when + " is not known", "", "use auto, always or never"};
  report::Style out;
  out.notes = invocation.has("--notes");
  const char* plain = std::getenv("NO_COLOR");
  const bool terminal = !piped();
  out.color = when == "always" || (when == "auto" && terminal && !(plain && *plain));
  if (const auto columns = columns_for_text(STDOUT_FILENO)) out.width = *columns;
  return out;
}

bool piped() {
  return ::isatty(STDOUT_FILENO) != 1;
}

Progress::Progress(const Invocation& invocation)
    : active_(!invocation.quiet() && ::isatty(STDERR_FILENO) == 1),
      descriptor_(descriptor_of_starter()),
      started_(now()) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (shown_) print_control("\r\033[K");
  shown_ = false;
}

void Progress::show(double fraction, std::string_view text, double seconds_left) {
  tell_starter(fraction, text);
  if (!active_ || now() - started_ < 0.5) return;
  shown_ = true;
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3.0f %%", 100 * fraction);
  print_control("\r\033[K");
  print_message(std::string(percent) + "  " + visible(text, 200) + "  " + format_seconds(seconds_left) +
                " left");
}

void Progress::tell_starter(double fraction, std::string_view text) {
  constexpr double kBetweenLines = 0.05;  // seconds
  if (descriptor_ < 0 || now() - told_ < kBetweenLines) return;
  told_ = now();
  const std::string line = format_exact(fraction) + " " + visible(text, 200) + "\n";
  if (::write(descriptor_, line.data(), line.size()) < 0) descriptor_ = -1;
}

void Progress::show(double fraction, std::string_view text) {
  if (fraction > 0) show(fraction, text, (now() - started_) * (1 - fraction) / fraction);
}

}  // namespace parcast::cli
