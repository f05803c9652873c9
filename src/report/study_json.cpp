// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "predict/prediction_file.h"
#include "report/study_text.h"
#include "study/answer.h"

namespace parcast::report {
namespace {

using Json = nlohmann::ordered_json;
using study::Outcome;

Json measured(double seconds) {
  return {{"value", seconds}, {"low", seconds}, {"high", seconds},
          {"level", 0},       {"unit", "s"},    {"origin", "measured"}};
}

Json estimate(const predict::Estimate& e) {
  return {{"value", e.value}, {"low", e.low},   {"high", e.high},
          {"level", e.level}, {"unit", e.unit}, {"origin", to_string(e.origin)}};
}

Json run_json(const study::Run& run) {
  Json out{{"name", run.name},
           {"kind", study::to_string(run.kind)},
           {"parameters", run.values},
           {"repeat", run.repeat},
           {"done", run.is_done}};
  if (run.is_done)
    out["processes"] = run.processes, out["seconds"] = measured(run.seconds),
    out["launch_seconds"] = run.launch_seconds, out["crowded"] = run.is_crowded,
    out["damaged"] = run.is_damaged;
  else
    out["exit_code"] = run.exit_code, out["fault"] = run.fault, out["hint"] = run.hint;
  return out;
}

Json check_json(const study::Checked& checked) {
  Json out{{"parameters", checked.values},
           {"machine", checked.prediction.machine},
           {"predicted", estimate(checked.prediction.seconds)},
           {"run", checked.run ? run_json(*checked.run) : Json(nullptr)}};
  const bool done = checked.run && checked.run->is_done && checked.run->seconds > 0;
  out["error"] = done ? Json(checked.prediction.seconds.value / checked.run->seconds - 1) : Json(nullptr);
  out["within_interval"] = done ? Json(checked.holds()) : Json(nullptr);
  return out;
}

Json dominant_json(const Outcome& outcome) {
  Json out = Json::array();
  const double total = outcome.prediction.seconds.value;
  for (const predict::RegionTime& region : outcome.prediction.regions)
    out.push_back({{"path", region.path},
                   {"where", region.where},
                   {"seconds", estimate(region.seconds)},
                   {"share", total > 0 ? region.seconds.value / total : 0}});
  return out;
}

Json limits_json(const Outcome& outcome) {
  Json out = Json::array();
  if (!outcome.explanation) return out;
  for (const explain::Advice& advice : outcome.explanation->advice)
    out.push_back({{"code", advice.code}, {"text", advice.text}, {"share", advice.gain}});
  return out;
}

}  // namespace

std::string study_to_json(const Outcome& outcome, const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  Json out{{"schema", "parcast.study/1"},
           {"study", name},
           {"program", outcome.prediction.program},
           {"asked", outcome.design.ask}};
  out["answer"] = Json::parse(predict::to_json(outcome.prediction));
  out["precision_percent"] = study::precision_of(outcome.prediction.seconds);
  out["dominates"] = dominant_json(outcome);
  out["limits"] = limits_json(outcome);
  out["runs"] = Json::array();
  for (const study::Run& run : outcome.runs) out["runs"].push_back(run_json(run));
  out["failed"] = Json::array();
  for (const study::Run& run : outcome.failed) out["failed"].push_back(run_json(run));
  out["not_made"] = outcome.not_made;
  out["spent"] = measured(outcome.spent);
  out["stop"] = {{"code", study::to_string(outcome.stop)}, {"text", outcome.stop_reason}};
  out["checks"] = Json::array();
  for (const study::Checked& checked : outcome.checks) out["checks"].push_back(check_json(checked));
  out["graph"] = outcome.graph.empty() ? Json(nullptr) : Json::parse(predict::sweep_to_json(outcome.graph));
  out["notes"] = outcome.notes;
  out["files"] = Json::object();
  for (const auto& [what, file] : files) out["files"][what] = file;
  const NextCommand next = next_command(outcome, name);
  out["next"] = {{"command", next.command}, {"purpose", next.purpose}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::report
