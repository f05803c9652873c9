// SPDX-License-Identifier: Apache-2.0
#pragma once
// Iterates over events one by one, folded or not. A folded event gets the mean times of all executions,
// scaled so that the chapter keeps its duration; Event::estimated marks it. Memory does not grow with the
// number of events.

#include <functional>
#include <memory>
#include <span>

#include "recording/recording.h"

namespace parcast::recording {

using EventVisitor = std::function<void(const Event&, std::span<const Completion>)>;

/// Visits a rank's events in order of entry. Returns the number of events that cannot be visited because
/// their order was not kept.
std::uint64_t for_each_event(const RankRecording& rank, const std::vector<Call>& calls,
                             const EventVisitor& visit);

/// Iterates over the events of one thread, in order. The rank and the calls must outlive it.
class ThreadEvents {
 public:
  /// `places`: indices into RankRecording::events of the thread's events that were not folded.
  ThreadEvents(const RankRecording& rank, const std::vector<Call>& calls, std::uint16_t thread,
               std::vector<std::size_t> places);
  ThreadEvents(ThreadEvents&&) noexcept;
  ~ThreadEvents();

  /// Returns the next event; null after the last one.
  const Event* at() const;
  void step();

 private:
  class Folded;
  std::unique_ptr<Folded> folded_;
  const RankRecording& rank_;
  std::vector<std::size_t> places_;
  std::size_t next_ = 0;  // index into places_
};

}  // namespace parcast::recording
