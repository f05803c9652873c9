// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "web/library.h"
#include "web/text_json.h"

namespace parcast::web {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Kind> kind_named(const std::string& name) {
  for (const Kind kind : {Kind::model, Kind::machine, Kind::recording})
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

}  // namespace

Result<std::vector<Entry>> entries_of_store(std::string_view json) {
  const Json store = Json::parse(json, nullptr, false);
  if (!store.is_object() || !store.contains("entries") || !store["entries"].is_array())
    return Error{"the store's list of entries cannot be read", "", ""};
  std::vector<Entry> out;
  for (const Json& each : store["entries"]) {
    const auto kind = each.is_object() ? kind_named(text_of(each, "kind")) : std::nullopt;
    const std::filesystem::path path = kind ? text_of(each, "path") : "";
    std::error_code problem;
    if (path.is_absolute() && std::filesystem::exists(path, problem)) out.push_back({*kind, path.string()});
  }
  return out;
}

std::string library_to_json(const std::string& folder, const std::vector<Entry>& entries) {
  Json out{{"folder", folder}, {"entries", Json::array()}};
  for (const Entry& entry : entries) {
    Json each{{"kind", to_string(entry.kind)}, {"path", entry.path}, {"changed", entry.changed}};
    if (!entry.model.empty()) each["model"] = entry.model;
    if (!entry.machine.empty()) each["machine"] = entry.machine;
    out["entries"].push_back(std::move(each));
  }
  // Names of files need not be UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace parcast::web
