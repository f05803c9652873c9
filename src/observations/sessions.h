// SPDX-License-Identifier: Apache-2.0
#pragma once
// Number of sessions in which runs were recorded, and the deviation between sessions that the recordings do
// not show. docs/models/intervals.md, "Runs".

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/model.h"
#include "observations/run.h"
#include "recording/recording.h"

namespace parcast::program {

/// Recordings that start farther apart, in seconds, belong to two sessions.
inline constexpr double kSessionGap = 600;
/// From this number of sessions at one point on, their deviation is known; below it, part of it is assumed.
inline constexpr std::size_t kEnoughSessions = 4;
/// Relative standard deviation of computing between sessions on a virtual machine, assumed.
inline constexpr double kVirtualDeviation = 0.15;

struct Sessions {
  // Largest number of sessions of one point; 0 if no recording has its start time.
  std::size_t most = 0;
  double seconds = 0;       // from the first recording's start to the last one's
  bool on_virtual = false;  // some recordings were made on a virtual machine
};
/// Counts the sessions; `runs` are the points of the recordings.
Sessions sessions(const std::vector<recording::Recording>& recordings, std::span<const Run> runs);

/// Returns the relative standard deviation between sessions that the recordings do not show. On virtual
/// machines kVirtualDeviation, which falls in equal steps to 0 at kEnoughSittings; 0 elsewhere.
double unseen_deviation(const Sessions& sessions);

/// Returns the notice "one-sitting" if there is an unseen deviation.
std::optional<Notice> unseen_notice(const Sessions& sessions, std::size_t recordings);

}  // namespace parcast::program
