// SPDX-License-Identifier: Apache-2.0
#include "build_model/off_processor.h"

#include <algorithm>

#include "recording/process_time.h"

namespace parcast::program {
namespace {

struct ProcessorTime {
  double off = 0, all = 0;  // seconds

  double share() const { return all > 0 ? off / all : 0; }
};

void add(const recording::Recording& recording, const Trace& trace, const std::vector<CallKey>& keys,
         ProcessorTime& to) {
  const auto rank = std::ranges::find(recording.ranks, trace.rank, &recording::RankRecording::rank);
  if (recording.oversubscribed() || rank == recording.ranks.end() || rank->processor_share < 1 ||
      recording::threads_of(*rank) != recording::Threads::one)
    return;
  double on = 1e-9 * static_cast<double>(rank->total_compute) + rank->own_seconds;
  for (const auto& [key, of] : trace.calls)
    if (const auto kind = keys[static_cast<std::size_t>(key)].call_class;
        kind != recording::CallClass::initialise && kind != recording::CallClass::finalise)
      on += of.seconds;
  const double wall = 1e-9 * static_cast<double>(rank->wall);
  to.off += std::max(0.0, wall - on), to.all += wall;
}

}  // namespace

std::vector<double> off_processor_shares(const std::vector<recording::Recording>& recordings,
                                         const Traces& traces) {
  std::vector<ProcessorTime> times(recordings.size());
  for (const Trace& trace : traces.traces) add(recordings[trace.run], trace, traces.keys, times[trace.run]);
  std::vector<double> out;
  for (const ProcessorTime& each : times) out.push_back(each.share());
  return out;
}

double off_processor_share(const recording::Recording& recording, const RunTotals& totals) {
  ProcessorTime time;
  for (const Trace& trace : totals.traces) add(recording, trace, totals.keys, time);
  return time.share();
}

}  // namespace parcast::program
