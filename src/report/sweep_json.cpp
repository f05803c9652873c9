// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "predict/prediction_file.h"
#include "report/sweep_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string sweep_to_json(const std::vector<predict::Prediction>& points, const explain::Standings& standings,
                          bool with_regions) {
  const std::string plain = predict::sweep_to_json(points, with_regions);
  if (standings.each.empty()) return plain + "\n";
  const Json of_one = Json::parse(plain);
  Json out{{"schema", of_one.at("schema")},
           {"errors", standings.shared ? "program-shared" : "independent"},
           {"points", of_one.at("points")}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    out["points"][i]["probability_best"] = standings.each[i].probability_best;
    out["points"][i]["slower"] = standings.each[i].slower;
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
