// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <algorithm>

namespace parcast {
namespace {

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("_./:@%+=,-").find(c) != std::string_view::npos; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Returns the word as $'...', which bash, zsh and ksh read.
std::string with_escapes(std::string_view word) {
  constexpr std::string_view kDigits = "01234567";
  std::string out = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') out += '\\';
    if (!is_control(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
  }
  return out + "'";
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (std::ranges::any_of(word, is_control)) return with_escapes(word);
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

}  // namespace parcast
