// SPDX-License-Identifier: Apache-2.0
#include "report/recording_sums.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "recording/process_time.h"
#include "report/phases_text.h"

namespace parcast::report {
namespace {

using recording::CallClass;
using recording::RankRecording;
using recording::Recording;

constexpr double kLeastOff = 0.01;  // of the time, that is shown as off the processor

bool is_collective(const recording::Call& call) {
  return call.kind == CallClass::collective || call.kind == CallClass::start_collective ||
         call.kind == CallClass::communicator;
}

/// For these calls the caller itself causes the incoming data, not another rank.
bool moves_both_ways(CallClass kind) {
  return kind == CallClass::one_sided || kind == CallClass::input_output;
}

/// Returns the first call of the same name. A recording distinguishes starts of sends and of receives;
/// readers do not.
std::vector<std::size_t> first_of_name(const std::vector<recording::Call>& calls) {
  std::vector<std::size_t> first(calls.size());
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < calls.size(); ++i) first[i] = seen.try_emplace(calls[i].name, i).first->second;
  return first;
}

}  // namespace

bool is_region(const recording::Call& call) {
  return call.kind == CallClass::region_begin || call.kind == CallClass::region_end;
}

RankTimes times_of(const Recording& recording, const RankRecording& rank, std::optional<double> computing) {
  const bool alone = recording::threads_of(rank) == recording::Threads::one;
  if (!computing && !alone) computing = 1e-9 * recording::computing_of(recording, rank);
  const double own = 1e-9 * static_cast<double>(rank.total_compute);
  RankTimes times{1e-9 * static_cast<double>(rank.wall), alone ? own : *computing};
  const auto sums = recording::first_thread_by_call(rank, recording.calls);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const recording::Call& call = recording.calls[i];
    if (is_region(call) || call.kind == CallClass::initialise || call.kind == CallClass::finalise) continue;
    const bool one_sided = call.kind == CallClass::one_sided || call.kind == CallClass::epoch;
    double& share = is_collective(call)                    ? times.collectives
                    : one_sided                            ? times.one_sided
                    : call.kind == CallClass::input_output ? times.files
                                                           : times.point_to_point;
    share += sums[i].inside * 1e-9;
  }
  return times;
}

RunTimes times_of(const Recording& recording) {
  RunTimes out;
  double most = -1;
  for (const RankRecording& rank : recording.ranks) {
    const RankTimes times = times_of(recording, rank);
    const double share = 1.0 / static_cast<double>(recording.ranks.size());
    out.mean.wall += share * times.wall;
    out.mean.compute += share * times.compute;
    out.mean.point_to_point += share * times.point_to_point;
    out.mean.collectives += share * times.collectives;
    out.mean.one_sided += share * times.one_sided;
    out.mean.files += share * times.files;
    out.slowest_wall = std::max(out.slowest_wall, times.wall);
    out.events += recording::event_count(rank);
    out.overhead = std::max(out.overhead, recording::recording_share(rank));
    if (times.in_calls() > most) most = times.in_calls(), out.waits_most = rank.rank;
  }
  return out;
}

bool has_phases_alone(const RankRecording& rank) {
  return !rank.phases.empty() && recording::event_count(rank) == 0;
}

bool has_phases_alone(const Recording& recording) {
  return !recording.ranks.empty() && std::ranges::all_of(recording.ranks, [](const RankRecording& rank) {
    return has_phases_alone(rank);
  });
}

std::vector<TimePart> time_parts(const Recording& recording, const RunTimes& times) {
  const RankTimes& mean = times.mean;
  std::vector<TimePart> out;
  if (has_phases_alone(recording)) {
    std::map<recording::PhaseKind, double> kinds;
    for (const recording::PhaseSum& sum : recording::phase_sums(recording))
      kinds[sum.kind] += sum.seconds / static_cast<double>(recording.ranks.size());
    for (const auto& [kind, amount] : kinds) out.push_back({std::string(name_of(kind)), amount});
    return out;
  }
  const double accelerated = std::min(recording.accelerator_seconds, mean.compute);
  out.push_back({"compute", mean.compute - accelerated});
  if (accelerated > 0) out.push_back({"accelerator calls", accelerated});
  if (mean.point_to_point > 0) out.push_back({"point to point", mean.point_to_point});
  if (mean.collectives > 0) out.push_back({"collectives", mean.collectives});
  if (mean.one_sided > 0) out.push_back({"one-sided", mean.one_sided});
  if (mean.files > 0) out.push_back({"files", mean.files});
  const double rest = mean.wall - mean.compute - mean.in_calls();
  if (rest > kLeastOff * mean.wall) out.push_back({"off the processor", rest});
  return out;
}

std::vector<CallTotals> totals_of(const Recording& recording) {
  std::vector<CallTotals> totals(recording.calls.size());
  const std::vector<std::size_t> row = first_of_name(recording.calls);
  for (const RankRecording& rank : recording.ranks) {
    const auto sums = recording::sums_by_call(rank, recording.calls);
    std::vector<std::uint64_t> events(totals.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      CallTotals& total = totals[row[i]];
      events[row[i]] += sums[i].events;
      total.count += sums[i].events;
      total.seconds += sums[i].inside * 1e-9;
      total.bytes += sums[i].sent_bytes;
      if (moves_both_ways(recording.calls[i].kind)) total.bytes += sums[i].received_bytes;
    }
    for (std::size_t i = 0; i < totals.size(); ++i) {
      totals[i].fewest = std::min(totals[i].fewest, events[i]);
      totals[i].most = std::max(totals[i].most, events[i]);
    }
  }
  std::vector<CallTotals> out;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].count == 0 || is_region(recording.calls[i])) continue;
    totals[i].name = recording.calls[i].name;
    out.push_back(totals[i]);
  }
  return out;
}

}  // namespace parcast::report
