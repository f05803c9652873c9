// SPDX-License-Identifier: Apache-2.0
#pragma once
// How words look, and what is said beside results, as the flags of a verb have it.

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/messages.h"
#include "cli/verb.h"
#include "report/style.h"

namespace parcast::cli {

/// "warning: ..." on stderr, unless --quiet. The same one is said once.
void say_warning(const Invocation& invocation, const Error& warning);

/// Colour and width for stdout: --color, NO_COLOR, and whether it is a terminal.
Result<report::Style> style(const Invocation& invocation);

/// Whether stdout is not a terminal.
bool piped();

/// One line on a terminal's stderr that is rewritten, with the time left; silent in the first half second, elsewhere,
/// and with --quiet.
class Progress {
 public:
  explicit Progress(const Invocation& invocation);
  /// Whether anything would be shown.
  bool is_active() const { return active_; }
  ~Progress();
  void show(double fraction, std::string_view text, double seconds_left);
  /// The time left taken from the time that `fraction` took.
  void show(double fraction, std::string_view text);
  /// Leaves the line to what is printed next.
  void clear();

 private:
  bool active_;
  bool shown_ = false;
  double started_;
};

}  // namespace parcast::cli
