// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <algorithm>
#include <utility>

namespace parcast {
namespace {

bool needs_no_quotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:@%+=,-").find(c) != std::string_view::npos;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

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
  if (!word.empty() && std::ranges::all_of(word, needs_no_quotes)) return std::string(word);
  std::string out = "'";
  for (const char c : word) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i], open = true;
    } else if (c == ' ' || c == '\t') {
      if (open) words.push_back(std::exchange(word, {}));
      open = false;
    } else {
      word += c, open = true;
    }
  }
  if (quote) return std::nullopt;
  if (open) words.push_back(word);
  return words;
}

}  // namespace parcast
