// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums over a recorded run that several reports show: the time of ranks by activity, and the totals of calls.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace parcast::report {

/// Returns whether the call marks a region of the program: no call of MPI.
bool is_region(const recording::Call& call);

/// The time of a rank by activity, in seconds.
struct RankTimes {
  double wall = 0, compute = 0, point_to_point = 0, collectives = 0, one_sided = 0, files = 0;
  double in_calls() const { return point_to_point + collectives + one_sided + files; }
};

/// `computing`: of a process with several threads, if already known.
RankTimes times_of(const recording::Recording& recording, const recording::RankRecording& rank,
                   std::optional<double> computing = {});

/// The mean over ranks, and the rank that spent most in calls.
struct RunTimes {
  RankTimes mean;
  double slowest_wall = 0;
  std::int32_t waits_most = 0;
  double overhead = 0;  // fraction of the wall time, the largest of any rank
  std::uint64_t events = 0;
};
RunTimes times_of(const recording::Recording& recording);

/// Returns whether phases are all that is known of the time: no process called MPI or marked a region.
bool has_phases_alone(const recording::RankRecording& rank);
bool has_phases_alone(const recording::Recording& recording);

/// A part of the mean time of a rank.
struct TimePart {
  std::string name;  // "compute", "point to point", "off the processor"; with phases alone their kinds
  double seconds = 0;
};
/// Returns the parts that are not 0, computing first.
std::vector<TimePart> time_parts(const recording::Recording& recording, const RunTimes& times);

/// All calls of one name.
struct CallTotals {
  std::string name;
  std::uint64_t count = 0, bytes = 0;  // of all ranks; bytes sent, and of accesses those read as well
  std::uint64_t fewest = UINT64_MAX, most = 0;  // calls of a rank
  double seconds = 0;                           // of all ranks
};
/// Returns the calls that occur, in the order of the recording's table of calls; regions are no calls.
std::vector<CallTotals> totals_of(const recording::Recording& recording);

}  // namespace parcast::report
