// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "schemas/schemas.h"

namespace parcast::schemas {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kReference = "#/$defs/", kPrefix = "parcast.";

/// Adds the names of the definitions that a schema refers to.
void add_references(const Json& schema, std::set<std::string>& names) {
  for (const auto& [key, value] : schema.items()) {
    if (key == "$ref" && value.is_string())
      names.insert(value.get<std::string>().substr(kReference.size()));
    else if (value.is_structured())
      add_references(value, names);
  }
}

/// Returns the definitions that a schema needs, also by way of others.
Json definitions_for(const Json& schema) {
  const Json all = Json::parse(common()).at("$defs");
  std::set<std::string> needed, known;
  add_references(schema, needed);
  while (needed != known) {
    const std::set<std::string> next = needed;
    for (const std::string& name : next)
      if (known.insert(name).second) add_references(all.at(name), needed);
  }
  Json out = Json::object();
  for (const std::string& name : needed) out[name] = all.at(name);
  return out;
}

/// Returns "prediction" of "parcast.prediction/1" and of "prediction".
std::string short_name(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return std::string(name.substr(0, name.find('/')));
}

}  // namespace

std::vector<Document> documents() {
  std::vector<Document> out;
  for (const File& file : files()) {
    const Json schema = Json::parse(file.text);
    out.push_back({std::string(file.name), schema.at("title"), schema.at("description")});
  }
  return out;
}

Result<std::string> schema_of(std::string_view name) {
  const auto file = std::ranges::find(files(), short_name(name), &File::name);
  std::vector<std::string> known;
  for (const File& each : files()) known.emplace_back(each.name);
  if (file == files().end()) {
    const std::string near = did_you_mean(short_name(name), known);
    return Error{"there is no schema " + std::string(name), "", near.empty() ? "see parcast schema" : near};
  }
  Json schema = Json::parse(file->text);
  if (name.starts_with(kPrefix) && schema.at("title") != name)
    return Error{
        "this version of Parcast has " + schema.at("title").get<std::string>() + ", not " + std::string(name),
        "", "see parcast schema"};
  if (Json definitions = definitions_for(schema); !definitions.empty())
    schema["$defs"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

std::string documents_to_json(const std::vector<Document>& all) {
  Json out{{"schema", "parcast.schemas/1"}, {"schemas", Json::array()}};
  for (const Document& each : all)
    out["schemas"].push_back(
        {{"name", each.name}, {"schema", each.schema}, {"description", each.description}});
  return out.dump(2) + "\n";
}

}  // namespace parcast::schemas
