// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/shell.h"
#include "base/text.h"

namespace parcast::cli {
namespace {

using Flags = std::vector<Flag>;

const Flag* flag_named(const Flags& flags, std::string_view name) {
  const auto at = std::ranges::find(flags, name, &Flag::name);
  return at == flags.end() ? nullptr : &*at;
}

/// Returns whether the value of the flag is the next word: --param N=1, -o FILE, -qo FILE; not --param=N=1,
/// -oFILE.
bool takes_next_word(const Flags& flags, const std::string& word) {
  if (word.starts_with("--")) {
    const Flag* flag = flag_named(flags, word);
    return flag && !flag->value.empty();
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const auto flag = std::ranges::find(flags, word[i], &Flag::letter);
    if (flag != flags.end() && !flag->value.empty()) return i + 1 == word.size();
  }
  return false;
}

/// Returns whether a program or its launcher may well have this flag, too.
bool is_common(std::string_view name) {
  constexpr std::array<std::string_view, 9> kCommon{"--output", "--name",  "--local",   "--from", "--store",
                                                    "--json",   "--quiet", "--verbose", "--color"};
  return std::ranges::find(kCommon, name) != kCommon.end();
}

std::string quoted(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += " " + shell_quoted(word);
  return out;
}

/// Returns the verb's given flags as words.
std::vector<std::string> flag_words(const Flags& flags, const Invocation& invocation) {
  std::vector<std::string> words;
  for (const Flag& flag : flags) {
    if (!invocation.has(flag.name)) continue;
    for (const std::string& value : invocation.values(flag.name)) {
      words.push_back(flag.name);
      if (!flag.value.empty()) words.push_back(value);
    }
  }
  return words;
}

}  // namespace

VerbWords divided(const Verb& verb, const std::vector<std::string>& words) {
  if (!verb.takes_launch_line) return {words, {}};
  if (verb.launch_after_dashes) {
    const auto dashes = std::ranges::find(words, "--");
    return {{words.begin(), dashes}, {dashes == words.end() ? dashes : dashes + 1, words.end()}};
  }
  const Flags flags = flags_of(verb);
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at].starts_with('-') && words[at] != "--")
    at += takes_next_word(flags, words[at]) ? 2 : 1;
  at = std::min(at, words.size());
  const bool marked = at < words.size() && words[at] == "--";
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
  return {{words.begin(), begin}, {begin + (marked ? 1 : 0), words.end()}};
}

std::optional<Error> misplaced_flags(const Verb& verb, const Invocation& invocation) {
  const Flags flags = flags_of(verb);
  const std::vector<std::string>& launch = invocation.launch;
  std::vector<std::string> moved, rest;
  for (std::size_t i = 0; i < launch.size(); ++i) {
    const std::string name = launch[i].substr(0, launch[i].find('='));
    const Flag* flag = i == 0 || is_common(name) ? nullptr : flag_named(flags, name);
    const bool has_value = flag && !flag->value.empty(), is_next = has_value && name == launch[i];
    if (!flag || (is_next && i + 1 == launch.size()) || (!has_value && name != launch[i])) {
      rest.push_back(launch[i]);
      continue;
    }
    moved.push_back(launch[i]);
    if (is_next) moved.push_back(launch[++i]);
  }
  if (moved.empty()) return std::nullopt;
  return Error{join(moved, " ") + " follows " + launch.front() + " and goes to the program, not to parcast " +
                   verb.name,
               "",
               "flags of parcast " + verb.name + " come first: parcast " + verb.name +
                   quoted(flag_words(flags, invocation)) + quoted(moved) + " --" + quoted(rest)};
}

}  // namespace parcast::cli
