// SPDX-License-Identifier: Apache-2.0
#pragma once
// At how many sittings runs were recorded, and what may differ between sittings that nobody saw. docs/models/intervals.md, "Runs".

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "model/model.h"
#include "observations/run.h"
#include "recording/recording.h"

namespace parcast::program {

/// Recordings that begin farther apart, in seconds, were made at two sittings.
inline constexpr double kSittingGap = 600;
/// Of so many sittings at one point what they differ by is known; of fewer it is assumed in part.
inline constexpr std::size_t kEnoughSittings = 4;
/// Relative standard deviation of computing between sittings on a virtual machine, assumed.
inline constexpr double kVirtualDeviation = 0.15;

struct Sittings {
  std::size_t most = 0;    // at which one point was recorded; 0 where no recording says when
  double seconds = 0;      // from the first recording's start to the last one's
  bool on_virtual = false; // some on a virtual machine
};
/// `runs`: the points of the recordings.
Sittings sittings(const std::vector<recording::Recording>& recordings, std::span<const Run> runs);

/// Relative standard deviation between sittings that `recordings` do not show: on virtual machines kVirtualDeviation, less in equal steps down to
/// none at kEnoughSittings; 0 elsewhere.
double unseen_deviation(const Sittings& sittings);

/// Code "one-sitting", where there is an unseen deviation.
std::optional<Notice> unseen_notice(const Sittings& sittings, std::size_t recordings);

}  // namespace parcast::program
