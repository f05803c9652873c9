// SPDX-License-Identifier: Apache-2.0
#pragma once
// The style of text: the terminal's properties on which a report depends, and how much the user wants to
// read.

#include <string>
#include <string_view>

namespace parcast::report {

struct Style {
  bool color = false;
  int width = 120;     // columns; a terminal reports its own width
  bool notes = false;  // all warnings are printed, not only those that matter most
};

/// Widths in columns from which tables print further, less important columns. A terminal of 80 is below all.
constexpr int kRoomy = 100, kBroad = 130, kWide = 160;

/// Return the text between escape sequences, or unchanged without colour.
std::string bold(const Style& style, std::string_view text);
std::string dim(const Style& style, std::string_view text);
std::string alert(const Style& style, std::string_view text);

}  // namespace parcast::report
