// SPDX-License-Identifier: Apache-2.0
#include "base/json_nesting.h"

#include <algorithm>

namespace parcast {
namespace {

/// Returns the end of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at, text.size());
}

}  // namespace

Result<void> check_json_nesting(std::string_view text, const std::string& where) {
  std::size_t levels = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') at = end_of_string(text, at);
    if (c == ']' || c == '}') levels -= levels > 0 ? 1 : 0;
    if (c != '[' && c != '{') continue;
    if (++levels <= kMostJsonLevels) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return Error{"the JSON is nested more than " + std::to_string(kMostJsonLevels) + " levels deep",
                 where + ":" + std::to_string(line),
                 "no file that Parcast reads is: it may be damaged, or made to do harm"};
  }
  return {};
}

}  // namespace parcast
