// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/variants_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json variant_json(const predict::Prediction& of, const explain::Choice& choice) {
  const predict::Estimate& s = of.seconds;
  Json out = {{"variant", of.program},
              {"seconds",
               {{"value", s.value},
                {"low", s.low},
                {"high", s.high},
                {"level", s.level},
                {"unit", s.unit},
                {"origin", to_string(s.origin)}}},
              {"probability_best", choice.probability_best},
              {"slower", choice.slower},
              {"parts",
               {{"compute", of.parts.compute.value},
                {"memory", of.parts.memory.value},
                {"message_startup", of.parts.message_startup.value},
                {"transfer", of.parts.transfer.value},
                {"wait", of.parts.wait.value}}},
              {"warnings", Json::array()}};
  for (const predict::Warning& warning : of.warnings)
    out["warnings"].push_back({{"code", warning.code}, {"text", warning.text}, {"hint", warning.hint}});
  return out;
}

Json point_json(const explain::VariantPoint& point) {
  const predict::Prediction& any = point.predictions.front();
  Json parameters = {{"p", any.question.point.processes}};
  for (const auto& [name, value] : any.question.point.parameters) parameters[name] = value;
  Json out = {
      {"parameters", std::move(parameters)}, {"variants", Json::array()}, {"difference", Json::array()}};
  for (const explain::Choice& choice : point.selection.choices)
    out["variants"].push_back(variant_json(point.predictions[choice.prediction], choice));
  const auto& choices = point.selection.choices;
  for (const auto& [part, seconds] : explain::differences(point.predictions[choices[0].prediction],
                                                          point.predictions[choices[1].prediction]))
    out["difference"].push_back({{"part", part}, {"seconds", seconds}});
  return out;
}

}  // namespace

std::string variants_to_json(const explain::VariantAnswer& answer) {
  const auto& first = answer.points.front();
  const predict::Prediction& any = first.predictions.front();
  Json out = {
      {"schema", "parcast.variants/1"}, {"machine", any.machine},
      {"engine", any.engine},           {"errors", first.selection.shared ? "machine-shared" : "independent"},
      {"points", Json::array()},        {"crossings", Json::array()}};
  for (const auto& point : answer.points) out["points"].push_back(point_json(point));
  for (const auto& [parameter, others, crossing] : answer.crossings)
    out["crossings"].push_back({{"parameter", parameter},
                                {"at", others},
                                {"before", first.predictions[crossing.before].program},
                                {"after", first.predictions[crossing.after].program},
                                {"last", crossing.last},
                                {"next", crossing.next},
                                {"located", crossing.located}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
