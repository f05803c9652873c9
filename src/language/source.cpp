// SPDX-License-Identifier: Apache-2.0
#include "language/source.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/number_range.h"
#include "base/text.h"
#include "base/visible.h"

namespace parcast::program::written {
namespace {

constexpr std::array<std::string_view, 21> kSigns{"..", "+-", "==", "!=", "<=", ">=", "±", "+", "-", "*", "/",
                                                  "^",  "(",  ")",  ",",  "=",  "<",  ">", "%", ":", "."};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns the length of the number at the start: digits, a point unless another point follows it, an
/// exponent.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    while (i < text.size() && is_digit(text[i])) ++i;
  };
  digits();
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1])) ++i, digits();
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    if (j < text.size() && is_digit(text[j])) i = j, digits();
  }
  return i;
}

std::size_t name_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]) ||
                             (text[i] == '.' && i + 1 < text.size() && is_letter(text[i + 1]))))
    ++i;
  return i;
}

}  // namespace

Source::Source(std::string_view text, std::string name) : lines_(split(text, '\n')), name_(std::move(name)) {
  for (std::string& line : lines_)
    if (!line.empty() && line.back() == '\r') line.pop_back();
}

std::string Source::place(Position at) const {
  return std::filesystem::path(name_).filename().string() + ":" + std::to_string(at.line);
}

std::string Source::between(int line, int from, int to) const {
  return lines_[static_cast<std::size_t>(line) - 1].substr(static_cast<std::size_t>(from) - 1,
                                                           static_cast<std::size_t>(std::max(0, to - from)));
}

Error Source::error(Position at, std::string what, const std::string& hint) const {
  Error error{std::move(what), name_, hint};
  if (at.line < 1 || static_cast<std::size_t>(at.line) > lines_.size()) return error;
  const std::string& line = lines_[static_cast<std::size_t>(at.line) - 1];
  error.where += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  error.hint = line_with_caret(line, static_cast<std::size_t>(at.line),
                               static_cast<std::size_t>(std::max(at.column, 1)), hint);
  return error;
}

Result<std::vector<Line>> Source::lines() const {
  std::vector<Line> out;
  for (int number = 1; std::cmp_less_equal(number, lines_.size()); ++number) {
    PARCAST_ASSIGN(Line line, tokens_of(number));
    if (line.tokens.size() > 1) out.push_back(std::move(line));
  }
  return out;
}

Result<Line> Source::tokens_of(int number) const {
  const std::string_view text = lines_[static_cast<std::size_t>(number) - 1];
  Line line{number, 0, {}};
  std::size_t at = 0;
  while (at < text.size() && text[at] == ' ') ++at;
  line.indentation = static_cast<int>(at);
  const auto column = [&] { return static_cast<int>(at) + 1; };
  const auto add = [&](Token::Kind kind, std::size_t length) {
    line.tokens.push_back(
        {kind, std::string(text.substr(at, length)), column(), column() + static_cast<int>(length)});
    at += length;
  };
  while (at < text.size() && text[at] != '#') {
    const char c = text[at];
    if (c == '\t' && line.tokens.empty())
      return error({number, column()}, "blocks are indented by spaces, and this is a tab", "");
    if (c == ' ' || c == '\t') {
      ++at;
    } else if (is_letter(c)) {
      add(Token::Kind::name, name_length(text.substr(at)));
    } else if (is_digit(c)) {
      const std::size_t length = number_length(text.substr(at));
      if (const auto fault = fault_of(text.substr(at, length)); !fault.empty())
        return error({number, column()}, std::string(text.substr(at, length)) + " is " + std::string(fault),
                     "");
      add(Token::Kind::number, length);
    } else if (c == '"') {
      const std::size_t end = text.find('"', at + 1);
      if (end == std::string_view::npos)
        return error({number, column()}, "this text has no end", "close it with \"");
      line.tokens.push_back({Token::Kind::text, std::string(text.substr(at + 1, end - at - 1)), column(),
                             static_cast<int>(end) + 2});
      at = end + 1;
    } else {
      const auto sign = std::ranges::find_if(
          kSigns, [&](std::string_view each) { return text.substr(at).starts_with(each); });
      if (sign == kSigns.end()) return error({number, column()}, "this sign has no meaning here");
      add(Token::Kind::sign, sign->size());
    }
  }
  line.tokens.push_back({Token::Kind::end, "", column(), column()});
  return line;
}

}  // namespace parcast::program::written
