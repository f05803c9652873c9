// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the source and tag of messages received by a rank's nonblocking wildcard receives (any source or any
// tag). A recording has them at the event that completes the receive; a trace needs them where the receive
// begins. So the rank's events are read once in advance.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "recording/recording.h"
#include "trace/folding.h"
#include "trace/trace.h"

namespace parcast::trace {

class Arrivals {
 public:
  struct Arrival {
    std::int32_t source = 0, tag = 0;
  };

  /// Returns whether the receive that this event begins has a wildcard and must be looked up.
  static bool open(const recording::Event& event);

  /// Reads the rank's events, if any of them begins a wildcard receive.
  Arrivals(const recording::RankRecording& rank, const std::vector<recording::Call>& calls);
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// Returns the source and tag for the next wildcard receive, in order of the events; nothing when no
  /// message came.
  std::optional<Arrival> next(std::uint32_t request);

 private:
  struct Waiting {
    std::uint32_t request = 0;
    std::optional<std::uint64_t> word;  // set once the receive is complete
  };
  void begun(std::uint32_t request);
  void completed(const recording::Completion& completion);
  void take_complete(std::size_t most);

  Folding folding_;  // one word per receive, in order: 1 + source and tag, or 0: look in late_
  Sequence sequence_;
  Walker walker_;
  std::deque<Waiting> waiting_;
  std::uint64_t first_waiting_ = 0;                           // number of receives before those in waiting_
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;  // request -> number of a receive in waiting_
  // request -> word, for receives that took very long
  std::unordered_map<std::uint32_t, std::uint64_t> late_;
};

}  // namespace parcast::trace
