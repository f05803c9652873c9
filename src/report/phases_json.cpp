// SPDX-License-Identifier: Apache-2.0
#include "report/phases_json.h"

#include <nlohmann/json.hpp>

#include "report/phases_text.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;

/// Uses the names of the columns of a table of runs by phase (docs/formats/phases.md).
void add(const recording::PhaseUsage& usage, Json& out) {
  out["page_faults"] = usage.minor_faults;
  out["major_faults"] = usage.major_faults;
  out["context_switches"] = usage.voluntary_switches + usage.involuntary_switches;
  out["voluntary_switches"] = usage.voluntary_switches;
  if (usage.cycles) out["cycles"] = *usage.cycles;
  if (usage.instructions) out["instructions"] = *usage.instructions;
  if (usage.cache_misses) out["cache_misses"] = *usage.cache_misses;
}

}  // namespace

nlohmann::ordered_json phases_json(const std::vector<recording::PhaseSum>& sums) {
  Json out = Json::array();
  for (const recording::PhaseSum& sum : sums) {
    out.push_back({{"kind", name_of(sum.kind)},
                   {"name", sum.name},
                   {"executions", sum.executions},
                   {"seconds", sum.seconds},
                   {"operations", sum.operations},
                   {"quantums", sum.quantums}});
    if (sum.usage) add(*sum.usage, out.back());
  }
  return out;
}

nlohmann::ordered_json time_line_json(const recording::RankRecording& rank) {
  Json out = Json::array();
  const auto seconds = [](std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); };
  for (const recording::Phase& phase : rank.phases)
    out.push_back({{"kind", name_of(phase.kind)},
                   {"name", rank.phase_names[phase.name]},
                   {"begin", seconds(phase.begin)},
                   {"end", seconds(phase.end)},
                   {"operations", phase.operations},
                   {"quantums", phase.quantums}});
  for (const recording::PhaseSample& sample : rank.phase_samples) add(sample.usage, out[sample.phase]);
  return out;
}

}  // namespace parcast::report
