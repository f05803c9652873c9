// SPDX-License-Identifier: Apache-2.0
#pragma once
// Events one by one, whether or not they were folded. Those that were get the times that all executions took on average,
// stretched so that a chapter lasts as long as it did; Event::estimated says so. Memory does not grow with their number.

#include <functional>
#include <memory>
#include <span>

#include "recording/recording.h"

namespace parcast::recording {

using EventVisitor = std::function<void(const Event&, std::span<const Completion>)>;

/// Visits a rank's events in order of entry. The number of events that have none: their order was given up.
std::uint64_t for_each_event(const RankRecording& rank, const std::vector<Call>& calls, const EventVisitor& visit);

/// Steps through the events of one thread, in their order. The rank and the calls must outlive it.
class ThreadEvents {
 public:
  /// `places`: of those of the thread's events that were not folded, in RankRecording::events.
  ThreadEvents(const RankRecording& rank, const std::vector<Call>& calls, std::uint16_t thread, std::vector<std::size_t> places);
  ThreadEvents(ThreadEvents&&) noexcept;
  ~ThreadEvents();

  /// The event that is next; null behind the last one.
  const Event* at() const;
  void step();

 private:
  class Folded;
  std::unique_ptr<Folded> folded_;
  const RankRecording& rank_;
  std::vector<std::size_t> places_;
  std::size_t next_ = 0;  // of these
};

}  // namespace parcast::recording
