// SPDX-License-Identifier: Apache-2.0
#pragma once
// From whom, and with what tag, the messages came that a rank's nonblocking receives would have taken from anybody, or with any
// tag: a recording tells it where they are complete, a trace needs it where they begin. So the events are read once before.

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

  /// Whether a receive that such an event begins must be looked up.
  static bool open(const recording::Event& event);

  /// Reads a rank's events where any of them begins such a receive.
  Arrivals(const recording::RankRecording& rank, const std::vector<recording::Call>& calls);
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// Of the next such receive, in order of the events; nothing where no message came.
  std::optional<Arrival> next(std::uint32_t request);

 private:
  struct Waiting {
    std::uint32_t request = 0;
    std::optional<std::uint64_t> word;  // once it is complete
  };
  void begun(std::uint32_t request);
  void completed(const recording::Completion& completion);
  void take_complete(std::size_t most);

  Folding folding_;                 // a word for each receive in order: 1 + source and tag, 0: look in late_
  Sequence sequence_;
  Walker walker_;
  std::deque<Waiting> waiting_;
  std::uint64_t first_waiting_ = 0;                          // the number of receives before them
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;  // request -> number of a receive in waiting_
  std::unordered_map<std::uint32_t, std::uint64_t> late_;     // request -> word, of those that took very long
};

}  // namespace parcast::trace
