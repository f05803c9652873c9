// SPDX-License-Identifier: Apache-2.0
#include "causes/probed_runs.h"

#include <algorithm>

#include "causes/recorded_runs.h"

namespace parcast::causes {
namespace {

using recording::PhaseKind;
using recording::RankRecording;
using recording::Recording;

Kind kind_of(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::computation:
      return Kind::computation;
    case PhaseKind::communication:
      return Kind::communication;
    case PhaseKind::idle:
      break;
  }
  return Kind::idle;
}

double given(double count) {
  return count > 0 ? count : kNotMeasured;
}

/// Returns the values in the order of the variables of probed_runs.
std::vector<double> values_of(const recording::PhaseSum& sum) {
  std::vector<double> values{given(sum.operations), given(sum.quantums), kNotMeasured,
                             kNotMeasured,          kNotMeasured,        kNotMeasured};
  if (!sum.usage) return values;
  values[2] = static_cast<double>(sum.usage->minor_faults);
  values[3] = static_cast<double>(sum.usage->major_faults);
  values[4] = static_cast<double>(sum.usage->voluntary_switches) +
              static_cast<double>(sum.usage->involuntary_switches);
  if (sum.usage->cache_misses) values[5] = static_cast<double>(*sum.usage->cache_misses);
  return values;
}

Result<Run> probed_run(const Recording& recording, std::vector<std::string>& notes) {
  PARCAST_TRY(check_whole(recording));
  Run run{recording.parameters, recording.processes, {}, {}};
  for (const RankRecording& rank : recording.ranks)
    for (const recording::PhaseSum& sum : recording::phase_sums(rank)) {
      const Kind kind = kind_of(sum.kind);
      run.phases.push_back(
          {rank.rank, kind, sum.name == to_string(kind) ? "" : sum.name, sum.seconds, values_of(sum)});
    }
  for (const auto& loss : recording.losses) notes.push_back(name_of(recording) + ": " + loss.what);
  return run;
}

}  // namespace

bool all_given_phases(const std::vector<Recording>& recordings) {
  return std::ranges::all_of(recordings, [](const Recording& recording) {
    return std::ranges::none_of(recording.ranks,
                                [](const RankRecording& rank) { return rank.phases.empty(); });
  });
}

Result<Runs> probed_runs(const std::vector<Recording>& recordings) {
  Runs runs{{{"operations", Role::work},
             {"quantums", Role::work},
             {"page_faults", Role::event},
             {"major_faults", Role::event},
             {"context_switches", Role::event},
             {"cache_misses", Role::event}},
            {},
            {}};
  for (const Recording& recording : recordings) {
    PARCAST_ASSIGN(Run run, probed_run(recording, runs.notes));
    runs.runs.push_back(std::move(run));
  }
  PARCAST_TRY(check(runs));
  return runs;
}

}  // namespace parcast::causes
