// SPDX-License-Identifier: Apache-2.0
#include "build_model/off_processor.h"

#include <algorithm>

#include "recording/process_time.h"

namespace parcast::program {

std::vector<double> off_processor_shares(const std::vector<recording::Recording>& recordings,
                                         const Traces& traces) {
  std::vector<double> off(recordings.size()), all(recordings.size());
  for (const Trace& trace : traces.traces) {
    const recording::Recording& recording = recordings[trace.run];
    const auto rank = std::ranges::find(recording.ranks, trace.rank, &recording::RankRecording::rank);
    if (recording.oversubscribed() || rank == recording.ranks.end() || rank->processor_share < 1 ||
        recording::threads_of(*rank) != recording::Threads::one)
      continue;
    double on = 1e-9 * static_cast<double>(rank->total_compute) + rank->own_seconds;
    for (const auto& [key, of] : trace.calls)
      if (const auto kind = traces.keys[static_cast<std::size_t>(key)].call_class;
          kind != recording::CallClass::initialise && kind != recording::CallClass::finalise)
        on += of.seconds;
    const double wall = 1e-9 * static_cast<double>(rank->wall);
    off[trace.run] += std::max(0.0, wall - on), all[trace.run] += wall;
  }
  if (getenv("OFFP"))
    for (std::size_t run = 0; run < off.size(); ++run)
      fprintf(stderr, "%s %d %g %g %g\n", recordings[run].ranks.size() == 1 ? "1" : "2", 0, all[run],
              off[run] / all[run], 0.0);
  for (std::size_t run = 0; run < off.size(); ++run) off[run] = all[run] > 0 ? off[run] / all[run] : 0;
  return off;
}

}  // namespace parcast::program
