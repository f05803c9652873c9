// SPDX-License-Identifier: Apache-2.0
// docs/formats/settings.md.
#include <algorithm>

#include "base/files.h"
#include "config/settings.h"
#include "machine/toml_file.h"

namespace parcast::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "parcast.toml";
constexpr std::string_view kMachineEnding = ".machine.toml";

std::string variable(const Surroundings& surroundings, const std::string& name) {
  const auto at = surroundings.environment.find(name);
  return at == surroundings.environment.end() ? "" : at->second;
}

/// Returns the path of a file in `folder` as the working folder sees it: unchanged where they are the same.
std::string seen_from_here(const fs::path& path, const fs::path& folder, const Surroundings& surroundings) {
  if (path.is_absolute() || folder == surroundings.folder) return path.string();
  return (folder / path).lexically_normal().string();
}

/// Makes a path in a file independent of the working folder. A machine may be a name that is no file.
std::string resolved(const std::string& name, const std::string& text, const fs::path& folder,
                     const Surroundings& surroundings) {
  if (name != "store" && name != "machine") return text;
  if (text.find("://") != std::string::npos) return text;
  if (text.starts_with("~/")) return variable(surroundings, "HOME") + text.substr(1);
  std::error_code problem;
  if (name == "machine" && !fs::exists(folder / text, problem) &&
      !fs::exists(folder / (text + std::string(kMachineEnding)), problem))
    return text;
  return seen_from_here(text, folder, surroundings);
}

class Reader : private machine::TomlReader {
 public:
  Reader(std::string_view text, File file, const fs::path& folder, const Surroundings& surroundings,
         const VerbSettings& verbs)
      : TomlReader(text, file.path.string()),
        out_(std::move(file)),
        folder_(folder),
        surroundings_(surroundings),
        verbs_(verbs) {}

  Result<File> read(const toml::table& root) {
    PARCAST_TRY(each(root, "", [&](const std::string& key, const toml::node& node) -> Result<bool> {
      std::vector<std::string> names;
      for (const Setting& setting : settings()) names.emplace_back(setting.name);
      known_ = names;
      for (const auto& [verb, ignored] : verbs_) known_.push_back(verb);
      const auto verb = verbs_.find(key);
      const bool is_setting = std::ranges::find(names, key) != names.end();  // `store` is both
      if (verb == verbs_.end() || (is_setting && !node.is_table())) return entry("", names, key, node);
      return of_verb(verb->first, verb->second, node);
    }));
    return std::move(out_);
  }

  Error syntax(const toml::parse_error& error) const {
    return source_.at(error.source().begin, "this is not TOML: " + std::string(error.description()));
  }

 private:
  Result<bool> of_verb(const std::string& verb, const std::vector<std::string>& names,
                       const toml::node& node) {
    const toml::table* table = node.as_table();
    if (!table) return mismatch(node, verb, "a table, for example [" + verb + "]");
    PARCAST_TRY(each(*table, verb + ".", [&](const std::string& key, const toml::node& inner) {
      known_ = names;
      return entry(verb, names, key, inner);
    }));
    return true;
  }

  Result<bool> entry(const std::string& verb, const std::vector<std::string>& names, const std::string& key,
                     const toml::node& node) {
    if (std::ranges::find(names, key) == names.end()) return false;
    PARCAST_ASSIGN(const std::string value, text(key, node));
    if (const auto good = find_setting(key)->check(value); !good)
      return source_.at(machine::begin_of(node), key + ": " + good.error().what, good.error().hint);
    out_.values[{verb, key}] = {resolved(key, value, folder_, surroundings_), out_.level,
                                out_.path.string() + ":" + std::to_string(machine::begin_of(node).line)};
    return true;
  }

  File out_;
  const fs::path& folder_;
  const Surroundings& surroundings_;
  const VerbSettings& verbs_;
};

/// Returns the file in the folder, or in the nearest parent folder that has one.
File project_file(const Surroundings& surroundings) {
  std::error_code problem;
  for (fs::path folder = surroundings.folder;; folder = folder.parent_path()) {
    if (fs::exists(folder / kName, problem))
      return {(folder / kName).lexically_relative(surroundings.folder), Level::project_file, true, {}};
    if (folder == folder.parent_path()) return {kName, Level::project_file, false, {}};
  }
}

File user_file(const Surroundings& surroundings) {
  std::error_code problem;
  fs::path folder = variable(surroundings, "XDG_CONFIG_HOME");
  if (!folder.is_absolute()) {  // the rule of the XDG Base Directory Specification
    const std::string home = variable(surroundings, "HOME");
    if (home.empty()) return {"", Level::user_file, false, {}};
    folder = fs::path(home) / ".config";
  }
  const fs::path path = folder / "parcast" / kName;
  return {path, Level::user_file, fs::exists(path, problem), {}};
}

}  // namespace

Result<File> file_from_toml(std::string_view text, const File& file, const fs::path& folder,
                            const Surroundings& surroundings, const VerbSettings& verbs) {
  Reader reader(text, file, folder, surroundings, verbs);
  try {
    return reader.read(toml::parse(text, std::string_view(file.path.native())));
  } catch (const toml::parse_error& error) {
    return reader.syntax(error);
  } catch (const machine::toml_library::BrokenSyntax&) {
    return Error{"this is not TOML", file.path.string(), "write for example machine = \"cluster\""};
  }
}

Result<std::vector<File>> read_files(const Surroundings& surroundings, const VerbSettings& verbs) {
  std::vector<File> out{project_file(surroundings), user_file(surroundings)};
  for (File& file : out) {
    if (!file.is_there) continue;
    const fs::path path = (surroundings.folder / file.path).lexically_normal();
    const auto text = read_file(path);
    if (!text) return Error{text.error().what, file.path.string(), text.error().hint};
    PARCAST_ASSIGN(file, file_from_toml(*text, file, path.parent_path(), surroundings, verbs));
  }
  return out;
}

}  // namespace parcast::config
