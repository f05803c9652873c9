// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/repeats_text.h"
#include "statistics/summary.h"

namespace parcast::report {

std::string repeats_to_json(const Repeats& repeats) {
  using Json = nlohmann::ordered_json;
  const auto summary = statistics::summarize(repeats.seconds);
  Json out{{"schema", "parcast.repeats/1"},
           {"program", repeats.program},
           {"machine", repeats.machine},
           {"processes", repeats.ranks},
           {"first_seed", repeats.first_seed}};
  out["mean"] = summary ? Json(summary->mean) : Json(nullptr);
  out["standard_deviation"] = summary ? Json(summary->standard_deviation) : Json(nullptr);
  out["quantiles"] = Json::array();
  for (const RepeatsQuantile& quantile : repeats_quantiles())
    out["quantiles"].push_back(
        {{"at", quantile.at}, {"seconds", statistics::quantile(repeats.seconds, quantile.at)}});
  out["seconds"] = repeats.seconds;
  out["assumptions"] = repeats.assumptions;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
