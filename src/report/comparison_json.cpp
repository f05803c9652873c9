// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/comparison_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const ComparedRun& run) {
  return {
      {"path", run.path}, {"program", run.program}, {"processes", run.processes}, {"seconds", run.seconds}};
}

Json class_json(const ComparedRun& run, const recording::EventClass& of) {
  const double mean = run.processes > 0 ? of.seconds / run.processes : 0;
  return {{"count", of.count},
          {"seconds", mean},
          {"share", run.seconds > 0 ? Json(mean / run.seconds) : Json(nullptr)}};
}

}  // namespace

std::string comparison_to_json(const Comparison& comparison) {
  Json out{{"schema", "parcast.comparison/1"},
           {"predicted", run_json(comparison.predicted)},
           {"measured", run_json(comparison.measured)},
           {"classes", Json::array()}};
  for (const recording::ClassPair& row : comparison.classes)
    out["classes"].push_back({{"region", row.region},
                              {"call", row.call.empty() ? Json(nullptr) : Json(row.call)},
                              {"predicted", class_json(comparison.predicted, row.a)},
                              {"measured", class_json(comparison.measured, row.b)}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
