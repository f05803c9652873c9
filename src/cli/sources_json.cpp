// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/sources.h"

namespace parcast::cli {
namespace {

using Json = nlohmann::ordered_json;

Json write(const SourcePlace& place) {
  Json out{{"path", place.path}};
  if (!place.excerpt) return out;
  const report::html::Excerpt& excerpt = *place.excerpt;
  out["first"] = excerpt.first, out["marked"] = excerpt.marked, out["last_marked"] = excerpt.last_marked;
  out["lines"] = excerpt.lines;
  return out;
}

}  // namespace

std::string with_sources(const std::string& json, const SourcePlaces& places) {
  Json out = Json::parse(json);
  out["sources"] = Json::object();
  for (const auto& [place, source] : places) out["sources"][place] = write(source);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::cli
