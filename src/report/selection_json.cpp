// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/selection_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json estimate_json(const predict::Estimate& of) {
  return {{"value", of.value}, {"low", of.low},   {"high", of.high},
          {"level", of.level}, {"unit", of.unit}, {"origin", to_string(of.origin)}};
}

Json machine_json(const predict::Prediction& of, const explain::Choice& choice) {
  Json out = {{"machine", of.machine},
              {"probability_best", choice.probability_best},
              {"slower", choice.slower},
              {"seconds", estimate_json(of.seconds)},
              {"node_hours", estimate_json(of.node_hours)},
              {"memory_per_node", of.memory_per_node ? estimate_json(*of.memory_per_node) : Json(nullptr)},
              {"nodes", of.nodes},
              {"ranks_per_node", of.ranks_per_node},
              {"within_limit", of.within_limit ? Json(*of.within_limit) : Json(nullptr)},
              {"warnings", Json::array()}};
  for (const predict::Warning& warning : of.warnings)
    out["warnings"].push_back({{"code", warning.code}, {"text", warning.text}, {"hint", warning.hint}});
  return out;
}

}  // namespace

std::string selection_to_json(const std::vector<predict::Prediction>& predictions,
                              const explain::Selection& selection) {
  const predict::Prediction& any = predictions.front();
  Json parameters = {{"p", any.question.point.processes}};
  for (const auto& [name, value] : any.question.point.parameters) parameters[name] = value;
  Json out = {{"schema", "parcast.selection/1"},
              {"program", any.program},
              {"engine", any.engine},
              {"parameters", std::move(parameters)},
              {"threads", any.question.threads},
              {"errors", selection.shared ? "program-shared" : "independent"},
              {"machines", Json::array()}};
  for (const explain::Choice& choice : selection.choices)
    out["machines"].push_back(machine_json(predictions[choice.prediction], choice));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
