// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recording/recording.h"
#include "recording/unfold.h"

namespace parcast::collections {

/// Returns "solve MPI_Get <-3 16" for each event of a rank, but those of regions.
inline std::vector<std::string> events_of(const recording::Recording& recording, int rank) {
  std::vector<std::string> out;
  const recording::RankRecording& of = recording.ranks.at(static_cast<std::size_t>(rank));
  recording::for_each_event(
      of, recording.calls, [&](const recording::Event& event, std::span<const recording::Completion>) {
        const recording::Call& call = recording.calls[event.call];
        if (call.kind == recording::CallClass::region_begin || call.kind == recording::CallClass::region_end)
          return;
        std::string text = of.regions.at(event.region) + " " + call.name;
        if (event.message.peer != recording::kNoPeer) text += " ->" + std::to_string(event.message.peer);
        if (event.message.bytes > 0) text += " " + std::to_string(event.message.bytes);
        if (event.received.peer != recording::kNoPeer) text += " <-" + std::to_string(event.received.peer);
        if (event.received.bytes > 0) text += " " + std::to_string(event.received.bytes);
        out.push_back(text);
      });
  return out;
}

}  // namespace parcast::collections
