// SPDX-License-Identifier: Apache-2.0
#include "study/placeholders.h"

#include <algorithm>
#include <optional>

#include "base/plain_number.h"
#include "base/text.h"

namespace parcast::study {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

/// A piece of a text: plain, or a placeholder.
struct Piece {
  std::string_view text;  // the name, if it is a placeholder
  bool is_placeholder = false;
  std::size_t at = 0;  // where it begins
};

/// Returns the length of the name that begins at `at` and ends before a }; 0 if there is none.
std::size_t name_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_letter(text[at])) return 0;
  std::size_t end = at;
  while (end < text.size() && is_letter_or_digit(text[end])) ++end;
  return end < text.size() && text[end] == '}' ? end - at : 0;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  std::size_t plain = 0;
  const auto add = [&](std::size_t until, std::size_t next) {
    if (until > plain) pieces.push_back({text.substr(plain, until - plain), false, plain});
    plain = next;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '{';
    if (const std::size_t length = doubled ? name_at(text, i + 2) : 0;
        length > 0 && text.substr(i + 2 + length, 2) == "}}") {
      add(i, i + 1);  // {NAME} stays of {{NAME}}
      add(i + 3 + length, i + 4 + length);
      i += 3 + length;
      continue;
    }
    const std::size_t length = i > 0 && text[i - 1] == '$' ? 0 : name_at(text, i + 1);
    if (length == 0) continue;
    add(i, i + 2 + length);
    pieces.push_back({text.substr(i + 1, length), true, i});
    i += 1 + length;
  }
  add(text.size(), text.size());
  return pieces;
}

std::string place_of(std::string_view text, std::size_t at, const std::string& where) {
  if (text.find('\n') == std::string_view::npos) return where;
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n');
  return where + ":" + std::to_string(line) + ":" +
         std::to_string(begin == std::string_view::npos ? at + 1 : at - begin);
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && is_letter(text.front()) &&
         std::ranges::all_of(text, is_letter_or_digit);
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_of(text))
    if (piece.is_placeholder && std::ranges::find(names, piece.text) == names.end())
      names.emplace_back(piece.text);
  return names;
}

Result<std::string> filled(std::string_view text, const Values& values, const std::string& where) {
  std::string out;
  for (const Piece& piece : pieces_of(text)) {
    const std::string name(piece.text);
    if (!piece.is_placeholder) {
      out += name;
      continue;
    }
    const auto value = values.find(name);
    if (value == values.end()) {
      std::vector<std::string> known;
      for (const auto& [each, number] : values) known.push_back(each);
      const std::string near =
          name.size() > 2 ? did_you_mean(name, known) : "";  // any other name is near a shorter one
      return Error{
          "the placeholder {" + name + "} has no values", place_of(text, piece.at, where),
          near.empty() ? "add --vary " + name + "=..., or write {{" + name + "}} for the text itself" : near};
    }
    out += format_plain(value->second);
  }
  return out;
}

bool is_filled_from(std::string_view text, std::string_view content) {
  constexpr std::string_view kOfNumbers = "+-.0123456789eE";
  bool has_number = false, after_number = false;
  std::size_t at = 0;
  for (const Piece& piece : pieces_of(text)) {
    if (piece.is_placeholder) {
      if (after_number || at >= content.size() || kOfNumbers.find(content[at]) == kOfNumbers.npos)
        return false;
      has_number = after_number = true;
      continue;
    }
    // a number ends where the text goes on
    std::size_t end = at;
    if (after_number)
      for (++end; end < content.size() && kOfNumbers.find(content[end]) != kOfNumbers.npos &&
                  content.substr(end, piece.text.size()) != piece.text;)
        ++end;
    if (content.substr(end, piece.text.size()) != piece.text) return false;
    at = end + piece.text.size(), after_number = false;
  }
  if (after_number) at = std::min(content.find_first_not_of(kOfNumbers, at), content.size());
  return has_number && at == content.size();
}

std::string point_text(const Values& values) {
  std::vector<std::string> parts;
  if (const auto p = values.find("p"); p != values.end()) parts.push_back("p = " + format_plain(p->second));
  for (const auto& [name, value] : values)
    if (name != "p") parts.push_back(name + " = " + format_plain(value));
  return join(parts, ", ");
}

}  // namespace parcast::study
