// SPDX-License-Identifier: Apache-2.0
#include "model/structure_json.h"
#include "model/structure_words.h"

namespace parcast::program {
namespace {

Json write(const Guard& guard) {
  Json json{{"kind", name_of(guard.kind)}};
  if (guard.kind == Guard::Kind::neighboured)
    json.update({{"dimensions", guard.dimensions},
                 {"shift", std::vector(guard.shift.begin(), guard.shift.begin() + guard.dimensions)}});
  else if (guard.kind == Guard::Kind::copied)
    json.update({{"of", guard.of}, {"remainder", guard.remainder}});
  else if (guard.dimensions > 0)
    json.update({{"dimensions", guard.dimensions}, {"dimension", guard.dimension}});
  return json;
}

Json write(const Partner& partner) {
  Json json{{"kind", name_of(partner.kind)}};
  if (partner.amount != 0) json["amount"] = partner.amount;
  if (partner.change != Change::none) json["change"] = name_of(partner.change);
  if (partner.kind != Partner::Kind::grid) return json;
  json["dimensions"] = partner.dimensions;
  json["shift"] = Json::array();
  for (std::size_t k = 0; k < static_cast<std::size_t>(partner.dimensions); ++k)
    json["shift"].push_back(static_cast<int>(partner.shift[k]));
  json["periodic"] = static_cast<int>(partner.periodic);
  return json;
}

Json write(const Members& members) {
  Json json{{"kind", name_of(members.kind)}};
  if (members.kind == Members::Kind::plane)
    json.update({{"dimensions", members.dimensions}, {"kept", static_cast<int>(members.kept)}});
  if (members.amount != 0) json["amount"] = members.amount;
  if (members.number != 0) json["number"] = members.number;
  return json;
}

Json write(const std::vector<ComputingPart>& parts) {
  Json list = Json::array();
  for (const ComputingPart& part : parts) {
    Json json{{"kind", name_of(part.kind)},
              {"label", part.label},
              {"where", part.where},
              {"executions", symbolic::to_text(part.executions)},
              {"seconds", symbolic::to_text(part.seconds)}};
    if (!part.parts.empty()) json["parts"] = write(part.parts);
    list.push_back(std::move(json));
  }
  return list;
}

Json write(const std::vector<Computing>& computing) {
  Json list = Json::array();
  for (const Computing& each : computing) {
    list.push_back({{"after", each.after},
                    {"loops", each.loops},
                    {"seconds", symbolic::to_text(each.seconds)},
                    {"origin", to_string(each.origin)}});
    if (!each.parts.empty()) list.back()["parts"] = write(each.parts);
  }
  return list;
}

Json write(const std::vector<Step>& steps);

void write_operation(const Step& step, Json& json) {
  json["operation"] = name_of(step.operation);
  if (step.mode != trace::Mode::standard) json["mode"] = name_of(step.mode);
  if (step.pattern != recording::Pattern::none) json["pattern"] = name_of(step.pattern);
  if (step.uneven) json["uneven"] = true;
  if (step.partner.kind != Partner::Kind::none) json["partner"] = write(step.partner);
  for (const auto& [guard, partner] : step.alternatives)
    json["rivals"].push_back({{"guard", write(guard)}, {"partner", write(partner)}});
  if (step.operation == trace::Kind::wait) {
    json["awaited"] = Json::array();
    for (const Awaited& each : step.awaited)
      json["awaited"].push_back({{"step", each.step}, {"which", name_of(each.which)}});
  } else {
    if (step.members != Members{}) json["members"] = write(step.members);
    json["bytes"] = write_count(step.bytes.count);
    if (step.bytes.change != Change::none) json["bytes_change"] = name_of(step.bytes.change);
    if (step.bytes.change == Change::up || step.bytes.change == Change::down)
      json["bytes_slope"] = write_count(step.bytes.slope);
    if (step.operation != trace::Kind::collective) {
      json["tag"] = {{"kind", name_of(step.tag.kind)}, {"amount", step.tag.amount}};
    } else {
      json["root"] = write_count(step.root);
      if (step.root_change != 0) json["root_change"] = step.root_change;
    }
  }
  if (!step.computing.empty()) json["computing"] = write(step.computing);
}

Json write(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps) {
    Json json{{"kind", name_of(step.kind)}};
    if (step.guard.kind != Guard::Kind::all) json["guard"] = write(step.guard);
    if (step.place != trace::kNowhere) json["place"] = step.place;
    if (step.kind == Step::Kind::operation) {
      write_operation(step, json);
    } else {
      if (step.kind == Step::Kind::every)
        json.update({{"every", step.every_of.empty() ? Json(step.every) : Json(step.every_of)},
                     {"offset", step.offset}});
      else
        json["rounds"] = write_count(step.rounds);
      json["body"] = write(step.body);
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json write_structure(const Structure& structure) {
  Json json = Json::object();
  if (!structure.found())
    json["missing"] = {{"what", structure.missing.what},
                       {"where", structure.missing.where},
                       {"hint", structure.missing.hint}};
  if (!structure.has_steps()) return json;
  if (structure.copied > 0) json["copied"] = structure.copied;
  json.update({{"processes", structure.processes},
               {"assumptions", structure.assumptions},
               {"places", Json::array()},
               {"steps", write(structure.steps)}});
  for (const trace::Place& place : structure.places)
    json["places"].push_back({{"region", place.region},
                              {"function", place.function},
                              {"file", place.file},
                              {"line", place.line},
                              {"call", place.call}});
  if (!structure.tail.empty()) json["tail"] = write(structure.tail);
  return json;
}

}  // namespace parcast::program
