// SPDX-License-Identifier: Apache-2.0
#pragma once
// How text is to look: the only thing that a report knows of the terminal it will appear on.

#include <string>
#include <string_view>

namespace parcast::report {

struct Style {
  bool color = false;
  int width = 120;  // columns; a terminal says its own
};

/// The text between escape sequences, or as it is without colour.
std::string bold(const Style& style, std::string_view text);
std::string dim(const Style& style, std::string_view text);
std::string alert(const Style& style, std::string_view text);

}  // namespace parcast::report
