// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> settings_of(const Verb& verb) {
  std::vector<std::string> out;
  for (const Flag& flag : flags_of(verb))
    if (!flag.setting.empty() && std::ranges::find(out, flag.setting) == out.end())
      out.push_back(flag.setting);
  return out;
}

}  // namespace

config::Surroundings surroundings() {
  std::error_code problem;
  config::Surroundings out{fs::current_path(problem), {}};
  std::vector<std::string> names{"NO_COLOR", "HOME", "XDG_CONFIG_HOME"};
  for (const config::Setting& setting : config::settings()) names.emplace_back(setting.environment);
  for (const std::string& name : names)
    if (const char* value = std::getenv(name.c_str())) out.environment[name] = value;
  return out;
}

config::VerbSettings settings_of_verbs() {
  config::VerbSettings out;
  for (const Verb& verb : verbs())
    if (auto names = settings_of(verb); !names.empty()) out[verb.name] = std::move(names);
  return out;
}

Result<void> apply_settings(const Verb& verb, Invocation& invocation) {
  const config::Surroundings around = surroundings();
  PARCAST_ASSIGN(const auto files, config::read_files(around, settings_of_verbs()));
  for (const Flag& flag : flags_of(verb)) {
    if (flag.setting.empty() || invocation.has(flag.name)) continue;
    const config::Setting& setting = *config::find_setting(flag.setting);
    PARCAST_ASSIGN(const auto values, config::values_of(setting, verb.name, files, around));
    if (!values.empty()) invocation.set_default(flag.name, values.front().text);
  }
  return {};
}

Result<ExplainedSettings> explained_settings(const config::Surroundings& around) {
  const config::VerbSettings of_verbs = settings_of_verbs();
  ExplainedSettings out;
  PARCAST_ASSIGN(out.files, config::read_files(around, of_verbs));
  for (const config::Setting& setting : config::settings()) {
    std::vector<ExplainedSetting> found;
    for (const Verb& verb : verbs()) {
      const auto names = of_verbs.find(verb.name);
      if (names == of_verbs.end() || std::ranges::find(names->second, setting.name) == names->second.end())
        continue;
      PARCAST_ASSIGN(auto values, config::values_of(setting, verb.name, out.files, around));
      const auto same = std::ranges::find(found, values, &ExplainedSetting::values);
      if (same == found.end())
        found.push_back({&setting, std::move(values), {verb.name}});
      else
        same->verbs.push_back(verb.name);
    }
    // all verbs first, then those that differ
    std::ranges::stable_sort(found, std::greater(),
                             [](const ExplainedSetting& each) { return each.verbs.size(); });
    out.settings.insert(out.settings.end(), found.begin(), found.end());
  }
  return out;
}

}  // namespace parcast::cli
