// SPDX-License-Identifier: Apache-2.0
// The only file of this folder that uses JSON. See docs/formats/store.md.
#include "store/entries_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/json_nesting.h"
#include "base/number_range.h"
#include "base/text.h"

namespace parcast::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExport = "parcast.store-export/1";

struct Member {
  const char* name;
  std::variant<std::string Entry::*, std::int64_t Entry::*, double Entry::*> member;
};

/// All members except kind, parameters, sources and tags.
const std::vector<Member>& members() {
  static const std::vector<Member> all{
      {"digest", &Entry::digest},
      {"stored_at", &Entry::stored_at},
      {"tool_version", &Entry::tool_version},
      {"program", &Entry::program},
      {"machine", &Entry::machine},
      {"path", &Entry::path},
      {"processes", &Entry::processes},
      {"nodes", &Entry::nodes},
      {"ranks_per_node", &Entry::ranks_per_node},
      {"threads", &Entry::threads},
      {"seconds", &Entry::seconds},
      {"low", &Entry::low},
      {"high", &Entry::high},
      {"level", &Entry::level},
      {"engine", &Entry::engine},
      {"model_digest", &Entry::model_digest},
      {"machine_digest", &Entry::machine_digest},
      {"began", &Entry::began},
      {"content", &Entry::content},
  };
  return all;
}

Json entry_json(const Entry& entry) {
  Json out{{"kind", to_string(entry.kind)}};
  for (const Member& each : members())
    std::visit(
        [&](auto member) {
          if (entry.*member != Entry{}.*member) out[each.name] = entry.*member;
        },
        each.member);
  if (!entry.parameters.empty()) out["parameters"] = entry.parameters;
  if (!entry.sources.empty()) out["sources"] = entry.sources;
  if (!entry.tags.empty()) out["tags"] = entry.tags;
  return out;
}

/// Reads one entry; `problem_` is the first problem found.
class EntryReader {
 public:
  Result<Entry> read(const Json& json, const std::string& where) {
    if (!json.is_object()) return Error{"the entry is not an object", where, ""};
    for (const auto& [name, value] : json.items())
      if (const auto taken = take(name, value); !taken)
        return Error{taken.error().what, where, taken.error().hint};
    if (!json.contains("kind") || entry_.digest.empty())
      return Error{"the entry has no kind or no digest", where, "export it again"};
    return std::move(entry_);
  }

 private:
  Result<void> take(const std::string& name, const Json& value) {
    if (name == "kind") return take_kind(value);
    if (name == "parameters") return take_parameters(value);
    if (name == "sources") return take_texts(name, value, entry_.sources);
    if (name == "tags") return take_texts(name, value, entry_.tags);
    std::vector<std::string> known{"kind", "parameters", "sources", "tags"};
    for (const Member& each : members()) {
      if (each.name == name)
        return std::visit([&](auto member) { return take_value(name, value, entry_.*member); }, each.member);
      known.push_back(each.name);
    }
    return Error{"member " + name + " is not known", "", did_you_mean(name, known)};
  }
  static Error wrong(const std::string& name, const std::string& wanted) {
    return {name + " is not " + wanted, "", ""};
  }

  Result<void> take_kind(const Json& value) {
    const auto kind = value.is_string() ? kind_from(value.get<std::string>()) : std::nullopt;
    if (!kind)
      return Error{"kind " + value.dump() + " is not known", "",
                   "one of recording, model, machine, prediction, measurement, calibration"};
    entry_.kind = *kind;
    return {};
  }
  Result<void> take_parameters(const Json& value) {
    if (!value.is_object()) return wrong("parameters", "an object");
    for (const auto& [name, number] : value.items())
      PARCAST_TRY(take_value("parameter " + name, number, entry_.parameters[name]));
    return {};
  }
  static Result<void> take_texts(const std::string& name, const Json& value, std::vector<std::string>& into) {
    if (!value.is_array()) return wrong(name, "a list of texts");
    for (const Json& each : value) PARCAST_TRY(take_value(name, each, into.emplace_back()));
    return {};
  }
  static Result<void> take_value(const std::string& name, const Json& value, std::string& into) {
    if (!value.is_string()) return wrong(name, "a text");
    into = value.get<std::string>();
    return {};
  }
  static Result<void> take_value(const std::string& name, const Json& value, double& into) {
    if (!value.is_number() || !is_in_range(value.get<double>()))
      return wrong(name, "a number: 0, or from 1e-30 to 1e30 in size");
    into = value.get<double>();
    return {};
  }
  static Result<void> take_value(const std::string& name, const Json& value, std::int64_t& into) {
    if (!value.is_number_integer() || value < 0 || value > std::int64_t{1} << 53)
      return wrong(name, "a whole number of at least 0");
    into = value.get<std::int64_t>();
    return {};
  }

  Entry entry_;
};

}  // namespace

Result<std::string> entries_to_json(const std::vector<Entry>& entries) {
  std::string out = Json{{"schema", kExport}, {"tool_version", PARCAST_VERSION}}.dump();
  out.back() = ',';
  out += "\n\"entries\": [";
  const char* before = "\n";
  for (const Entry& entry : entries) {
    try {
      out += before + entry_json(entry).dump();
    } catch (const nlohmann::json::type_error&) {
      return Error{std::string(to_string(entry.kind)) + " " + id_of(entry) +
                       " holds a name with bytes that are not UTF-8, which JSON cannot carry",
                   "", "carry it with parcast store merge"};
    }
    before = ",\n";
  }
  return out + "\n]}\n";
}

Result<std::vector<Entry>> entries_from_json(const std::string& text, const std::string& where) {
  PARCAST_TRY(check_json_nesting(text, where));
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    return Error{"the file is not JSON at byte " + std::to_string(problem.byte), where, "export it again"};
  } catch (const nlohmann::json::out_of_range&) {
    return Error{"the file has a number beyond the range of a double", where, "export it again"};
  }
  if (!json.is_object() || json.value("schema", Json()) != kExport || !json.contains("entries") ||
      !json["entries"].is_array())
    return Error{"the file is not an export of a store", where,
                 "parcast store export makes one; its schema is " + std::string(kExport)};
  std::vector<Entry> out;
  for (const Json& each : json["entries"]) {
    PARCAST_ASSIGN(Entry entry,
                   EntryReader().read(each, where + ", entry " + std::to_string(out.size() + 1)));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace parcast::store
