// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/record_summary.h"
#include "recording/process_time.h"
#include "report/problems.h"
#include "report/recording_text.h"

namespace parcast::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Totals over all ranks: the slowest rank's wall time, the mean time per activity, the largest overhead.
struct Totals {
  double seconds = 0, compute = 0, communication = 0, overhead = 0;
  std::uint64_t events = 0;
};

Totals totals_of(const recording::Recording& recording) {
  Totals totals;
  const auto counts = recording::count(recording);
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(counts.size(), 1));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const recording::RankRecording& rank = recording.ranks[i];
    const double wall = 1e-9 * static_cast<double>(rank.wall);
    totals.seconds = std::max(totals.seconds, wall);
    totals.compute += share * counts[i].compute_seconds;
    totals.communication += share * counts[i].communication_seconds;
    totals.events += counts[i].events;
    totals.overhead = std::max(totals.overhead, recording::recording_share(rank));
  }
  return totals;
}

Json problems_json(const recording::Recording& recording) {
  Json problems = Json::array();
  for (const report::Problem& problem : report::problems_of(recording))
    problems.push_back(
        {{"rank", problem.rank ? Json(*problem.rank) : Json(nullptr)}, {"text", problem.text}});
  return problems;
}

Json warnings_json(const recording::Recording& recording, const std::vector<program::Notice>& more) {
  Json warnings = Json::array();
  const auto add = [&](const program::Notice& notice) {
    warnings.push_back({{"code", notice.code}, {"text", notice.text}, {"hint", notice.hint}});
  };
  if (recording.oversubscribed())
    add({"oversubscribed", "more processes than cores: the counts serve a model, the times little",
         "record p <= " + std::to_string(recording.cores_per_host) + " too"});
  if (const std::string pathless = report::without_path_text(recording); !pathless.empty())
    add({"without-path", pathless, "a model has these calls apart from those with a path"});
  for (const program::Notice& notice : record_notices(recording)) add(notice);
  for (const program::Notice& notice : more) add(notice);
  return warnings;
}

}  // namespace

std::string record_to_json(const recording::Recording& recording, const std::filesystem::path& path,
                           const std::vector<program::Notice>& more) {
  const Totals totals = totals_of(recording);
  Json parameters = Json::object();
  for (const auto& [name, value] : recording.parameters) parameters[name] = value;
  const Json out{{"schema", "parcast.record/1"},
                 {"path", path.string()},
                 {"program", recording.program},
                 {"processes", recording.processes},
                 {"parameters", parameters},
                 {"started", recording.started},
                 {"exit_code", recording.exit_code},
                 {"complete", recording.losses.empty()},
                 {"seconds", totals.seconds},
                 {"launch_seconds", recording.launch_seconds},
                 {"compute_seconds", totals.compute},
                 {"communication_seconds", totals.communication},
                 {"events", totals.events},
                 {"overhead", totals.overhead},
                 {"digest", recording.digest},
                 {"problems", problems_json(recording)},
                 {"warnings", warnings_json(recording, more)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parcast::cli
