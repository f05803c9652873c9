// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/interpretation_text.h"
#include "report/simulated_numbers.h"
#include "report/waiting_json.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using interpret::Statistics;
using program::ApplicationUnit;

Json number_json(const predict::Estimate& of) {
  return {{"value", of.value}, {"low", of.low},   {"high", of.high},
          {"level", of.level}, {"unit", of.unit}, {"origin", std::string(to_string(of.origin))}};
}

/// Returns sums in integer picoseconds, of one rank or of all ranks.
Json statistics_json(const Statistics& sum) {
  return {{"executions", sum.executions},
          {"picoseconds", sum.time()},
          {"compute", sum.compute},
          {"communication", sum.startup + sum.transfer},
          {"startup", sum.startup},
          {"transfer", sum.transfer},
          {"idle", sum.wait},
          {"messages", sum.messages},
          {"bytes", sum.bytes}};
}

Json rows_json(const predict::Interpreted& of, const UnitsShown& shown) {
  Json rows = Json::array();
  for (const UnitRow& row : unit_rows(of, shown)) {
    const ApplicationUnit& unit = of.program.graph.units[row.unit];
    Json out{{"unit", unit.id},     {"path", unit.path},
             {"label", unit.label}, {"class", std::string(to_string(unit.kind))},
             {"where", unit.where}, {"detail", unit.detail}};
    if (row.rank >= 0)
      out["rank"] = row.rank;
    else if (!of.estimates.empty() && of.result.waiting.empty())
      out["seconds"] = number_json(of.estimates[unit.id]);
    out["sum"] = statistics_json(row.sum);
    rows.push_back(std::move(out));
  }
  return rows;
}

}  // namespace

std::string interpretation_to_json(const InterpretationShown& shown, const UnitsShown& units) {
  const predict::Interpreted& of = shown.of;
  Json out{{"schema", "parcast.interpretation/1"},
           {"program", of.program.graph.program},
           {"machine", of.machine},
           {"map", machine::to_string(of.map)},
           {"ranks", of.result.ranks},
           {"parameters", shown.parameters}};
  const bool hangs = !of.result.waiting.empty();
  out["hangs"] = hangs && !shown.has_ended;
  out["by_choice"] = of.result.by_choice;
  out["seconds"] = hangs                  ? Json(nullptr)
                   : of.estimates.empty() ? Json(seconds(of.result.makespan))
                                          : number_json(of.estimates.front());
  out["evaluated"] = of.result.evaluated, out["folded"] = of.result.folded;
  out["ends"] = Json::array();
  for (const interpret::Time end : of.result.ends) out["ends"].push_back(seconds(end));
  out["units"] = rows_json(of, units);
  out["waiting"] = Json::array();
  for (const trace::Waiting& waiting : of.result.waiting)
    out["waiting"].push_back(waiting_json(of.program.trace, waiting));
  out["fewest"] = of.result.fewest;
  out["assumptions"] = of.program.trace.assumptions;
  for (const std::string& sentence : of.assumptions) out["assumptions"].push_back(sentence);
  out["warnings"] = Json::array();
  for (const predict::Warning& warning : of.warnings)
    out["warnings"].push_back({{"code", warning.code}, {"text", warning.text}, {"hint", warning.hint}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string mappings_to_json(const std::vector<predict::Interpreted>& all) {
  Json out{{"schema", "parcast.mappings/1"}, {"mappings", Json::array()}};
  for (const predict::Interpreted& each : all) {
    const UnitRow whole = unit_rows(each, {.pattern = "", .depth = 0}).front();
    out["mappings"].push_back({{"map", machine::to_string(each.map)},
                               {"seconds", each.estimates.empty() ? Json(seconds(each.result.makespan))
                                                                  : number_json(each.estimates.front())},
                               {"sum", statistics_json(whole.sum)}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string graph_to_json(const program::ApplicationGraph& graph) {
  Json out{{"schema", "parcast.application-graph/1"},
           {"program", graph.program},
           {"units", Json::array()},
           {"edges", Json::array()}};
  for (const ApplicationUnit& unit : graph.units)
    out["units"].push_back({{"id", unit.id},
                            {"parent", unit.parent == program::kNoUnit ? Json(nullptr) : Json(unit.parent)},
                            {"class", std::string(to_string(unit.kind))},
                            {"label", unit.label},
                            {"path", unit.path},
                            {"where", unit.where},
                            {"detail", unit.detail},
                            {"origin", std::string(to_string(unit.origin))},
                            {"children", unit.children}});
  for (const program::ApplicationEdge& edge : graph.edges)
    out["edges"].push_back(
        {{"from", edge.from}, {"to", edge.to}, {"messages", edge.messages}, {"bytes", edge.bytes}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string animation_to_json(const predict::Interpreted& of,
                              const std::vector<interpret::Evaluated>& evaluated) {
  struct Change {
    interpret::Time at;
    bool red;
    std::int32_t rank;
    std::uint32_t unit;
  };
  std::vector<Change> changes;
  for (const interpret::Evaluated& each : evaluated) {
    changes.push_back({each.tau, false, each.rank, each.unit});
    changes.push_back({each.tau + each.delta, true, each.rank, each.unit});
  }
  std::ranges::stable_sort(changes, {},
                           [](const Change& change) { return std::pair(change.at, change.rank); });
  Json out{{"schema", "parcast.animation/1"}, {"program", of.program.graph.program},
           {"ranks", of.result.ranks},        {"unit", "ps"},
           {"units", Json::array()},          {"changes", Json::array()}};
  for (const ApplicationUnit& unit : of.program.graph.units) out["units"].push_back(unit.path);
  for (const Change& change : changes)
    out["changes"].push_back({{"time", change.at},
                              {"rank", change.rank},
                              {"unit", change.unit},
                              {"colour", change.red ? "red" : "active"}});
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
