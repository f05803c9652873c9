// SPDX-License-Identifier: Apache-2.0
#include "cli/default_name.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

#include "machine/machine_file.h"
#include "model/model_file.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
  bool valid = false;
};

/// Returns the first character of a text in UTF-8.
Character first_character(std::string_view text) {
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {bytes, code, true};
}

/// Hidden: control characters, direction marks, zero-width blanks, line separators.
bool is_shown(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 8> kHidden{{{0, 0x1f},
                                          {0x7f, 0x9f},
                                          {0xad, 0xad},
                                          {0x61c, 0x61c},
                                          {0x200b, 0x200f},
                                          {0x2028, 0x202e},
                                          {0x2060, 0x206f},
                                          {0xfeff, 0xfeff}}};
  return std::ranges::none_of(kHidden,
                              [&](const Range& range) { return code >= range.first && code <= range.last; });
}

Error not_replaced(const std::string& what, const std::string& path) {
  return {what + ", and is not replaced", path, "name the file to write with -o, or move this one away"};
}

/// Returns whether a file exists there. Fails if something other than a file does.
Result<bool> is_file(const std::string& path) {
  std::error_code problem;
  if (!fs::exists(fs::symlink_status(path, problem))) return false;
  if (!fs::is_regular_file(path, problem)) return not_replaced("it is no file", path);
  return true;
}

}  // namespace

std::string file_stem(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_last_of('/') + 1));
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(".-")));
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (out.size() + character.bytes > kLongestStem) break;
    if (character.valid && is_shown(character.code))
      out += text.substr(0, character.bytes);
    else
      out += '_';
    text.remove_prefix(character.bytes);
  }
  return out.empty() ? "unnamed" : out;
}

Result<void> check_free_for_model(const std::string& path, const std::string& program) {
  PARCAST_ASSIGN(const bool there, is_file(path));
  if (!there) return {};
  const auto model = program::read_model(path);
  if (!model) return not_replaced("there is a file that is no model", path);
  if (model->program != program)
    return not_replaced("there is a model of another program, \"" + model->program + "\"", path);
  return {};
}

Result<void> check_free_for_machine(const std::string& path, const std::string& host) {
  PARCAST_ASSIGN(const bool there, is_file(path));
  if (!there) return {};
  const auto machine = machine::read_machine(path);
  if (!machine) return not_replaced("there is a file that is no machine", path);
  const auto measured_on = machine->environment.find("host");
  if (measured_on == machine->environment.end() || measured_on->second != host)
    return not_replaced("there is a machine that was not measured on this host", path);
  return {};
}

}  // namespace parcast::cli
