// SPDX-License-Identifier: Apache-2.0
#pragma once
// Computes how long a process computed. Concurrent computing of several threads counts once, not as a sum. At
// each moment the process computes at the speed of its thread with the largest part of a processor
// (docs/models/recording.md, Threads).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

/// The way in which the computing of a process is derived from that of its threads.
enum class Threads : std::uint8_t {
  one,                // only the first thread has events
  beside_each_other,  // concurrent computing counts once
  // the order of some events was not kept, or there are too many events: the thread that computes most
  // represents all
  busiest_for_all,
};
Threads threads_of(const RankRecording& rank);
/// Returns the thread whose computing counts; 0 for a process with one thread. Has no meaning for
/// beside_each_other.
std::uint16_t thread_that_counts(const RankRecording& rank);

/// Nanoseconds that a process computed before an event. With one thread both equal Event::compute.
struct Computed {
  // since the entry of the previously visited event, of any thread
  double since = 0;
  // since the thread's previous event: the thread's share of the process's computing in that time
  double share = 0;
};

using ComputedVisitor = std::function<void(const Event&, std::span<const Completion>, const Computed&)>;

/// Visits a rank's events as for_each_event does. The sum of `since` and the sum of `share` both equal the
/// process's computing. They never exceed the time from MPI_Init's return to MPI_Finalize's entry.
std::uint64_t for_each_computed(const Recording& recording, const RankRecording& rank,
                                const ComputedVisitor& visit);

/// Returns the nanoseconds of computing from MPI_Init's return to MPI_Finalize's entry, including events
/// whose order was not kept.
double computing_of(const Recording& recording, const RankRecording& rank);

/// Returns the sums of calls on the first thread, whose times do not overlap, by index of `calls`.
std::vector<CallSums> first_thread_by_call(const RankRecording& rank, const std::vector<Call>& calls);

/// Returns the fraction of the threads' time that recording used.
double recording_share(const RankRecording& rank);

/// Returns a sentence on how the recording's times treat threads; empty when no process has several threads.
std::string said_of_threads(const Recording& recording);

}  // namespace parcast::recording
