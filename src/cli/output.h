// SPDX-License-Identifier: Apache-2.0
#pragma once
// The style of output, and the warnings and progress printed along with results, as the flags of a verb
// choose.

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/messages.h"
#include "cli/verb.h"
#include "report/style.h"

namespace parcast::cli {

/// Prints "warning: ..." on stderr, unless --quiet. The same warning is printed once.
void say_warning(const Invocation& invocation, const Error& warning);

/// Returns the colour and width for stdout, from --color, NO_COLOR, and whether it is a terminal.
Result<report::Style> style(const Invocation& invocation);

/// Returns whether stdout is not a terminal.
bool piped();

/// One line on a terminal's stderr that is rewritten in place, with the time left. Silent in the first half
/// second, on anything but a terminal, and with --quiet. A program that starts parcast gets the completed
/// share as lines "0.25 TEXT" on the descriptor that PARCAST_PROGRESS_FD names.
class Progress {
 public:
  explicit Progress(const Invocation& invocation);
  /// Returns whether anything would be shown.
  bool is_active() const { return active_ || descriptor_ >= 0; }
  ~Progress();
  void show(double fraction, std::string_view text, double seconds_left);
  /// Estimates the time left from the time that `fraction` took.
  void show(double fraction, std::string_view text);
  /// Clears the line for other output.
  void clear();

 private:
  void tell_starter(double fraction, std::string_view text);

  bool active_;
  int descriptor_ = -1;  // of the program that started this one
  double told_ = 0;      // when it got a line
  bool shown_ = false;
  double started_;
};

}  // namespace parcast::cli
