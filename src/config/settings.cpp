// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::config {
namespace {

Result<void> check_text(const std::string& value) {
  if (!trim(value).empty()) return {};
  return Error{"it is empty", "", "leave it out, or give it a value"};
}

Result<void> check_time(const std::string& value) {
  if (parse_double(value))
    return Error{value + " needs a unit", "", "write " + value + "s, " + value + "min or " + value + "h"};
  const auto seconds = parse_measure(value, Dimension::time);
  if (!seconds) return Error{seconds.error().what, "", seconds.error().hint};
  if (*seconds > 0) return {};
  return Error{value + " is not more than 0", "", "write for example 15min"};
}

Result<void> check_word(const std::string& value, const std::vector<std::string>& known) {
  if (std::ranges::find(known, value) != known.end()) return {};
  const std::string near = did_you_mean(value, known);
  return Error{"\"" + value + "\" is not known", "", near.empty() ? "use " + join(known, ", ") : near};
}

Result<void> check_color(const std::string& value) {
  return check_word(value, {"auto", "always", "never"});
}

Result<void> check_runner(const std::string& value) {
  return check_word(value, {"local", "parallel", "slurm"});
}

std::optional<Value> in_environment(const Setting& setting, const Surroundings& surroundings) {
  const auto value_of = [&](const std::string& name) -> std::string {
    const auto at = surroundings.environment.find(name);
    return at == surroundings.environment.end() ? "" : at->second;
  };
  const std::string name(setting.environment);
  if (const std::string value = value_of(name); !value.empty()) return Value{value, Level::environment, name};
  // the convention of many programs: https://no-color.org
  if (setting.name == "color" && !value_of("NO_COLOR").empty())
    return Value{"never", Level::environment, "NO_COLOR"};
  return std::nullopt;
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{
      {"store", "--store", "PARCAST_STORE", "parcast.db", "where experiments are kept", check_text},
      {"machine", "--machine", "PARCAST_MACHINE", "", "the machine that is asked about", check_text},
      {"budget", "--budget", "PARCAST_BUDGET", "", "how long measuring may take", check_time},
      {"color", "--color", "PARCAST_COLOR", "auto", "when text has colours", check_color},
      {"runner", "--runner", "PARCAST_RUNNER", "local", "what makes the runs of a study", check_runner}};
  return all;
}

const Setting* find_setting(std::string_view name) {
  const auto at = std::ranges::find(settings(), name, &Setting::name);
  return at == settings().end() ? nullptr : &*at;
}

std::string_view to_string(Level level) {
  switch (level) {
    case Level::environment:
      return "environment";
    case Level::project_file:
      return "project-file";
    case Level::user_file:
      return "user-file";
    case Level::built_in:
      return "built-in";
  }
  return "";
}

Result<std::vector<Value>> values_of(const Setting& setting, const std::string& verb,
                                     const std::vector<File>& files, const Surroundings& surroundings) {
  std::vector<Value> out;
  if (const auto value = in_environment(setting, surroundings)) {
    if (const auto good = setting.check(value->text); !good)
      return Error{std::string(setting.name) + ": " + good.error().what, value->where, good.error().hint};
    out.push_back(*value);
  }
  for (const File& file : files)
    for (const std::string& of : {verb, std::string()})
      if (const auto at = file.values.find({of, std::string(setting.name)}); at != file.values.end())
        out.push_back(at->second);
  if (!setting.built_in.empty()) out.push_back({std::string(setting.built_in), Level::built_in, ""});
  return out;
}

}  // namespace parcast::config
