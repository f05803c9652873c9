// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/settings.h"

namespace parcast::cli {
namespace {

using Json = nlohmann::ordered_json;

Json write(const config::Value& value) {
  return {{"value", value.text}, {"level", to_string(value.level)}, {"where", value.where}};
}

Json write(const ExplainedSetting& each) {
  Json out{{"name", each.setting->name},
           {"value", nullptr},
           {"level", nullptr},
           {"where", ""},
           {"flag", each.setting->flag},
           {"environment", each.setting->environment},
           {"meaning", each.setting->meaning},
           {"verbs", each.verbs},
           {"replaced", Json::array()}};
  if (!each.values.empty()) out.update(write(each.values.front()));
  for (std::size_t i = 1; i < each.values.size(); ++i) out["replaced"].push_back(write(each.values[i]));
  return out;
}

}  // namespace

std::string settings_to_json(const ExplainedSettings& all) {
  Json out{{"schema", "parcast.config/1"}, {"settings", Json::array()}, {"files", Json::array()}};
  for (const ExplainedSetting& each : all.settings) out["settings"].push_back(write(each));
  for (const config::File& file : all.files)
    out["files"].push_back(
        {{"path", file.path.string()}, {"level", to_string(file.level)}, {"is_there", file.is_there}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::cli
