// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long a process computed. Of several threads, those that compute at the same time take one time, not the sum of theirs:
// at each moment the process computes as fast as that thread of it which has most of a processor (docs/models/recording.md,
// Threads).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::recording {

/// How the computing of a process's threads becomes that of the process.
enum class Threads : std::uint8_t {
  one,                // the first thread alone has events
  beside_each_other,  // what threads compute at the same time counts once
  busiest_for_all,    // the order of some events was given up, or there are too many: the thread that computes most stands for all
};
Threads threads_of(const RankRecording& rank);
/// The thread whose computing counts; 0 of one thread. Of several beside each other it has no meaning.
std::uint16_t thread_that_counts(const RankRecording& rank);

/// Nanoseconds that a process computed up to an event. Of one thread both are Event::compute.
struct Computed {
  double since = 0;  // since the entry of the event that was visited before, of whichever thread
  double share = 0;  // since the thread's event before: the thread's part of what the process computed meanwhile
};

using ComputedVisitor = std::function<void(const Event&, std::span<const Completion>, const Computed&)>;

/// Visits a rank's events as for_each_event does. The sum of `since` and that of `share` are the process's computing: never
/// more than from MPI_Init's return to MPI_Finalize's entry.
std::uint64_t for_each_computed(const Recording& recording, const RankRecording& rank, const ComputedVisitor& visit);

/// Nanoseconds from MPI_Init's return to MPI_Finalize's entry, also of events whose order was given up.
double computing_of(const Recording& recording, const RankRecording& rank);

/// Of the calls on the first thread, whose times do not overlap; by index of `calls`.
std::vector<CallSums> first_thread_by_call(const RankRecording& rank, const std::vector<Call>& calls);

/// The part of its threads' time that recording took.
double recording_share(const RankRecording& rank);

/// What becomes of threads in a recording's times, in a sentence; empty where no process has several.
std::string said_of_threads(const Recording& recording);

}  // namespace parcast::recording
