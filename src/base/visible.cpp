// SPDX-License-Identifier: Apache-2.0
#include "base/visible.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

namespace parcast {
namespace {

struct Range {
  char32_t first, last;
};

/// Characters above ASCII that a terminal obeys or does not show. They are the C1 controls, the characters
/// that Unicode calls default ignorable (UAX 44) without the variation selectors of emoji, the two line
/// separators, and the marks of interlinear text.
constexpr std::array kInvisible{Range{0x80, 0x9F},       Range{0xAD, 0xAD},      Range{0x34F, 0x34F},
                                Range{0x61C, 0x61C},     Range{0x115F, 0x1160},  Range{0x17B4, 0x17B5},
                                Range{0x180B, 0x180F},   Range{0x200B, 0x200F},  Range{0x2028, 0x202E},
                                Range{0x2060, 0x206F},   Range{0x3164, 0x3164},  Range{0xFEFF, 0xFEFF},
                                Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},  Range{0x1BCA0, 0x1BCA3},
                                Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF}};

bool is_invisible(char32_t c) {
  return std::ranges::any_of(kInvisible,
                             [&](const Range& range) { return c >= range.first && c <= range.last; });
}

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

/// Returns the UTF-8 character at the front (RFC 3629: shortest form, no surrogates); nothing for other
/// bytes.
std::optional<Character> character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return Character{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes > text.size()) return std::nullopt;
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
  return Character{code, bytes};
}

void add_unit(std::string& out, unsigned unit) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\u%04x", unit & 0xFFFFU);
  out += escape;
}

void add_byte(std::string& out, char byte) {
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  out += escape;
}

/// Appends the JSON escape of the character, in UTF-16.
void add_escape(std::string& out, char32_t code) {
  if (code <= 0xFFFF) return add_unit(out, code);
  add_unit(out, 0xD800 + ((code - 0x10000) >> 10));
  add_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
}

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F;
}
bool is_layout(char c) {
  return c == '\n' || c == '\t';
}

/// Returns the number of bytes at the front that switch weight or colour as report/style.h does, or 0.
std::size_t style_at(std::string_view text) {
  for (const std::string_view own : {"\033[0m", "\033[1m", "\033[2m", "\033[33m"})
    if (text.starts_with(own)) return own.size();
  return 0;
}

/// Appends the first character of `text`, escaped where needed. Returns the number of bytes consumed.
std::size_t append_front(std::string& out, std::string_view text) {
  const auto character = character_at(text);
  if (!character) return add_byte(out, text.front()), 1;
  const std::size_t bytes = character->bytes;
  if (bytes == 1 && is_plain(text.front()))
    out += text.front();
  else if (character->code < 0x20)
    add_byte(out, text.front());
  else if (character->code == 0x7F || is_invisible(character->code))
    add_escape(out, character->code);
  else
    out += text.substr(0, bytes);
  return bytes;
}

enum class Kept { nothing, lines, lines_and_styles };

std::string escaped(std::string_view text, Kept kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && (is_plain(text[at]) || (kept != Kept::nothing && is_layout(text[at])))) ++at;
    out += text.substr(begin, at - begin);
    if (at == text.size()) break;
    const std::size_t style = kept == Kept::lines_and_styles ? style_at(text.substr(at)) : 0;
    if (style > 0)
      out += text.substr(at, style), at += style;
    else
      at += append_front(out, text.substr(at));
  }
  return out;
}

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Returns the last character boundary at or before `at`; broken UTF-8 is cut anywhere.
std::size_t character_before(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  std::size_t place = at;
  while (place > 0 && at - place < 4 && continues(text[place])) --place;
  return continues(text[place]) ? at : place;
}

std::string shortened(std::string_view text, std::size_t most, Kept kept) {
  if (text.size() <= most) return escaped(text, kept);
  const std::size_t front = character_before(text, most - most / 4),
                    back = character_before(text, text.size() - most / 4);
  return escaped(text.substr(0, front), kept) + " ... [" + std::to_string(back - front) +
         " bytes left out] ... " + escaped(text.substr(back), kept);
}

}  // namespace

std::string visible(std::string_view text, std::size_t most) {
  return shortened(text, most, Kept::nothing);
}

std::string visible_lines(std::string_view text, std::size_t most) {
  return shortened(text, most, Kept::lines);
}

std::string printable(std::string_view text) {
  return escaped(text, Kept::lines_and_styles);
}

std::string line_with_caret(std::string_view line, std::size_t number, std::size_t column,
                            std::string_view hint) {
  constexpr std::size_t kBefore = 80, kAfter = 80;  // bytes of a long line shown on each side of the column
  const std::size_t place = character_before(line, std::max<std::size_t>(column, 1) - 1);
  const std::size_t begin = place > kBefore ? character_before(line, place - kBefore) : 0;
  const std::size_t end = character_before(line, place + kAfter);
  const std::string before = (begin > 0 ? "..." : "") + visible_lines(line.substr(begin, place - begin));
  const std::string behind =
      visible_lines(line.substr(place, end - place)) + (end < line.size() ? "..." : "");
  std::string blanks;
  for (const char c : before)
    if (!continues(c)) blanks += c == '\t' ? '\t' : ' ';
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, ' ');
  return digits + " | " + before + behind + "\n" + std::string(digits.size() + 3, ' ') + "| " + blanks + "^" +
         (hint.empty() ? "" : " " + std::string(hint));
}

}  // namespace parcast
