// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/calls_text.h"

namespace parcast::report {

using Json = nlohmann::ordered_json;

namespace {

Json place_json(const recording::SourceLine& where) {
  return where.line > 0 ? Json{{"file", where.file}, {"line", where.line}} : Json();
}

}  // namespace

std::string calls_to_json(const recording::ProgramCalls& calls) {
  Json json{{"schema", "parcast.calls/1"},
            {"program", calls.program},
            {"classes", Json::array()},
            {"functions", Json::array()}};
  for (const recording::ProgramClass& each : calls.classes)
    json["classes"].push_back({{"name", each.name},
                               {"bases", each.bases},
                               {"methods", each.methods},
                               {"at", place_json(each.where)}});
  std::vector<Json> callers(calls.functions.size(), Json::array());
  for (const recording::ProgramFunction& function : calls.functions)
    for (const recording::CalledFunction& called : function.calls)
      callers[called.function].push_back(function.name);
  for (std::size_t i = 0; i < calls.functions.size(); ++i) {
    const recording::ProgramFunction& function = calls.functions[i];
    Json row{{"name", function.name},         {"at", place_json(function.where)},
             {"library", !function.has_code}, {"calls", Json::array()},
             {"called_by", callers[i]},       {"unknown_calls", function.indirect}};
    for (const recording::CalledFunction& called : function.calls)
      row["calls"].push_back({{"name", calls.functions[called.function].name},
                              {"at", place_json(called.where)},
                              {"sites", called.sites}});
    json["functions"].push_back(std::move(row));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
