// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/files.h"
#include "base/shell.h"
#include "study/description.h"
#include "web/descriptions.h"
#include "web/text_json.h"

namespace parcast::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEnding = ".study.toml";
constexpr std::size_t kLongestName = 128;

Json json_of(const std::vector<study::Axis>& axes) {
  Json out = Json::array();
  for (const study::Axis& axis : axes) out.push_back({{"name", axis.name}, {"values", axis.values}});
  return out;
}

Result<std::vector<study::Axis>> axes_of(const Json& object, const char* member) {
  std::vector<study::Axis> out;
  const auto found = object.find(member);
  if (found == object.end()) return out;
  if (!found->is_array()) return Error{std::string("\"") + member + "\" is not a list", "", ""};
  for (const Json& each : *found) {
    if (!each.is_object() || text_of(each, "name").empty() || text_of(each, "values").empty())
      return Error{std::string("\"") + member + "\" has an entry without a name or without values", "", ""};
    out.push_back({text_of(each, "name"), text_of(each, "values")});
  }
  return out;
}

Result<study::Values> values_of(const Json& object, const char* member) {
  study::Values out;
  const auto found = object.find(member);
  if (found == object.end()) return out;
  for (const auto& [name, value] : found->items()) {
    if (!found->is_object() || !value.is_number()) return Error{"\"" + name + "\" has no number", "", ""};
    out[name] = value.get<double>();
  }
  return out;
}

Result<study::Description> description_of(const Json& json) {
  study::Description out;
  const auto words = shell_words(text_of(json, "launch"));
  if (!words || words->empty())
    return Error{"the launch line is empty, or a quote in it has no end", "launch",
                 "for example mpirun -n {p} ./app {N}"};
  out.launch = *words;
  out.machine = text_of(json, "machine"), out.recorded_on = text_of(json, "recorded_on");
  if (const std::string engine = text_of(json, "engine"); !engine.empty()) out.engine = engine;
  if (const auto level = json.find("level"); level != json.end() && level->is_number()) out.level = *level;
  PARCAST_ASSIGN(out.vary, axes_of(json, "vary"));
  PARCAST_ASSIGN(out.set, axes_of(json, "set"));
  PARCAST_ASSIGN(out.graph, axes_of(json, "graph"));
  PARCAST_ASSIGN(out.ask, values_of(json, "ask"));
  PARCAST_TRY(study::design_of(out, {}, std::max(1, static_cast<int>(std::thread::hardware_concurrency()))));
  return out;
}

/// A name of one component that is visible and no flag.
Result<void> check_file_name(const std::string& name) {
  const bool good = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!good || !name.ends_with(kEnding) || name.size() == kEnding.size() || name.size() > kLongestName ||
      name[0] == '.' || name[0] == '-')
    return Error{"\"" + name + "\" is not the name of a description", "",
                 "letters, digits, - and _, and .study.toml at the end"};
  return {};
}

}  // namespace

Result<std::string> description_json(const std::filesystem::path& file) {
  PARCAST_ASSIGN(const study::Description description, study::read_description(file));
  Json out{{"launch", shell_line(description.launch)},
           {"machine", description.machine},
           {"recorded_on", description.recorded_on},
           {"engine", description.engine},
           {"level", description.level},
           {"vary", json_of(description.vary)},
           {"ask", description.ask},
           {"set", json_of(description.set)},
           {"graph", json_of(description.graph)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> save_description(const std::filesystem::path& folder, std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{"the description is not a JSON object", "", ""};
  const std::string name = text_of(json, "name");
  PARCAST_TRY(check_file_name(name));
  PARCAST_ASSIGN(const study::Description description, description_of(json));
  const auto replace = json.find("replace");
  const bool may_replace = replace != json.end() && replace->is_boolean() && replace->get<bool>();
  std::error_code problem;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder / name, problem)) && !may_replace)
    return Error{name + " exists", "", "take another name, or replace it"};
  PARCAST_TRY(write_file(folder / name, study::to_toml(description)));
  return name;
}

}  // namespace parcast::web
