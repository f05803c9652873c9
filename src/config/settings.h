// SPDX-License-Identifier: Apache-2.0
#pragma once
// Settings: values of flags that a user wants everywhere and does not repeat. The first that has a value
// counts:
//
//   the flag, the environment, parcast.toml here or in the nearest parent folder, the user's own file, built
//   in
//
// A file has `name = "value"` for all verbs and, in a table with a verb's name, for that verb alone:
//
//   machine = "cluster"
//   [calibrate]
//   budget = "30s"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace parcast::config {

struct Setting {
  std::string_view name, flag, environment;
  std::string_view built_in;  // empty: none
  std::string_view meaning;
  /// Fails with what is wrong with a value, and a hint.
  Result<void> (*check)(const std::string& value);
};

/// Returns all settings, in the order of their output.
const std::vector<Setting>& settings();
const Setting* find_setting(std::string_view name);

enum class Level { environment, project_file, user_file, built_in };
std::string_view to_string(Level level);

struct Value {
  std::string text;
  Level level = Level::built_in;
  std::string where;  // "parcast.toml:3" or the name of a variable; empty: built in
  bool operator==(const Value&) const = default;
};

struct File {
  std::filesystem::path path;  // as it is shown: relative to the working folder, unless it is the user's
  Level level = Level::project_file;
  bool is_there = false;
  std::map<std::pair<std::string, std::string>, Value> values;  // by verb (empty: all verbs) and name
};

/// What settings are read from.
struct Surroundings {
  std::filesystem::path folder;                    // the working folder, absolute
  std::map<std::string, std::string> environment;  // PARCAST_*, NO_COLOR, HOME, XDG_CONFIG_HOME
};

/// The names of the settings that each verb has.
using VerbSettings = std::map<std::string, std::vector<std::string>>;

/// Reads both files; one that is not there has no values. Fails on an unknown key, a value that is not one,
/// and a file that cannot be read, with the place.
Result<std::vector<File>> read_files(const Surroundings& surroundings, const VerbSettings& verbs);
/// Returns the values of a file's text. Paths in it are relative to `folder`, that of the file.
Result<File> file_from_toml(std::string_view text, const File& file, const std::filesystem::path& folder,
                            const Surroundings& surroundings, const VerbSettings& verbs);

/// Returns all values of a setting for a verb, the one that counts first. Fails on a bad value of a variable.
Result<std::vector<Value>> values_of(const Setting& setting, const std::string& verb,
                                     const std::vector<File>& files, const Surroundings& surroundings);

}  // namespace parcast::config
