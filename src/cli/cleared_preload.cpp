// SPDX-License-Identifier: Apache-2.0
#include "cli/cleared_preload.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "base/text.h"
#include "cli/launcher.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::string_view kPreload = "LD_PRELOAD";
constexpr const char* kHint =
    "the recorder comes by LD_PRELOAD: leave that out, or write parcast record behind it";

std::string name_of(const std::string& word) {
  return fs::path(word).filename().string();
}

/// Returns how `env` at words[at] drops the variable: its options clear it, or an assignment replaces it.
std::optional<std::string> cleared_by_env(const Words& words, std::size_t at) {
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-" || word == "-i" || word == "--ignore-environment")
      return "env " + word + " clears LD_PRELOAD";
    const bool apart = word == "-u" || word == "--unset";
    const std::string unset = apart && i + 1 < words.size()  ? words[++i]
                              : word.starts_with("--unset=") ? word.substr(8)
                              : word.starts_with("-u")       ? word.substr(2)
                                                             : "";
    if (unset == kPreload) return "env -u LD_PRELOAD clears it";
    if (word.starts_with("LD_PRELOAD=")) return "env " + word + " replaces it";
    if (!word.starts_with('-') && word.find('=') == std::string::npos) break;
  }
  return std::nullopt;
}

bool passes_nothing_on(const std::string& name) {
  constexpr std::array<std::string_view, 8> kNames{"sudo",   "su",  "doas",   "runuser",
                                                   "pkexec", "ssh", "docker", "podman"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Returns whether a line of a script clears the variable; a line that extends its value does not.
bool clears(std::string_view line) {
  const std::string text(trim(line));
  if (text.starts_with('#')) return false;
  if (text.find("env -i ") != std::string::npos) return true;
  const bool keeps =
      text.find("$LD_PRELOAD") != std::string::npos || text.find("${LD_PRELOAD") != std::string::npos;
  return text.find(kPreload) != std::string::npos && !keeps;
}

std::optional<std::string> cleared_by_lines(const std::string& name, const std::string& text) {
  const auto lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (clears(lines[i]))
      return name + ", line " + std::to_string(i + 1) +
             ", changes LD_PRELOAD: " + std::string(trim(lines[i])).substr(0, 200);
  return std::nullopt;
}

/// Returns the text of an existing script of at most 1 MiB.
std::optional<std::string> script_in(const std::string& word) {
  constexpr std::uintmax_t kMost = 1 << 20;
  std::error_code problem;
  const fs::path file = command_file(word);
  if (!fs::is_regular_file(file, problem) || fs::file_size(file, problem) > kMost) return std::nullopt;
  const auto text = read_file(file);
  if (!text || text->find('\0') != std::string::npos) return std::nullopt;
  return *text;
}

std::optional<ClearedPreload> cleared_by_word(const Words& words, std::size_t at) {
  const std::string& word = words[at];
  const std::string name = name_of(word);
  if (name == "env")
    if (const auto text = cleared_by_env(words, at)) return ClearedPreload{*text, kHint};
  if (passes_nothing_on(name)) return ClearedPreload{name + " does not pass LD_PRELOAD on", kHint};
  struct stat about {};
  if (is_program(word) && ::stat(command_file(word).c_str(), &about) == 0 &&
      (about.st_mode & (S_ISUID | S_ISGID)))
    return ClearedPreload{word + " is set-uid or set-gid, and the loader drops LD_PRELOAD there",
                          "record a copy without these bits, or write parcast record behind it"};
  const bool behind_c = at > 0 && words[at - 1] == "-c";
  const auto script = behind_c ? std::optional(word) : script_in(word);
  if (script)
    if (const auto text = cleared_by_lines(behind_c ? "the text after -c" : word, *script))
      return ClearedPreload{*text, kHint};
  return std::nullopt;
}

}  // namespace

std::optional<ClearedPreload> what_clears_preload(const Words& launch) {
  for (std::size_t i = 0; i < launch.size(); ++i)
    if (auto found = cleared_by_word(launch, i)) return found;
  return std::nullopt;
}

}  // namespace parcast::cli
