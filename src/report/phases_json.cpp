// SPDX-License-Identifier: Apache-2.0
#include "report/phases_json.h"

#include <nlohmann/json.hpp>

#include "report/phases_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

nlohmann::ordered_json phases_json(const std::vector<recording::PhaseSum>& sums) {
  Json out = Json::array();
  for (const recording::PhaseSum& sum : sums)
    out.push_back({{"kind", name_of(sum.kind)}, {"name", sum.name}, {"executions", sum.executions}, {"seconds", sum.seconds},
                   {"operations", sum.operations}, {"quantums", sum.quantums}});
  return out;
}

nlohmann::ordered_json time_line_json(const recording::RankRecording& rank) {
  Json out = Json::array();
  const auto seconds = [](std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); };
  for (const recording::Phase& phase : rank.phases)
    out.push_back({{"kind", name_of(phase.kind)}, {"name", rank.phase_names[phase.name]}, {"begin", seconds(phase.begin)},
                   {"end", seconds(phase.end)}, {"operations", phase.operations}, {"quantums", phase.quantums}});
  return out;
}

}  // namespace parcast::report
