// SPDX-License-Identifier: Apache-2.0
#pragma once
// A timeline in equal parts of time: how long each activity lasted in each part, on groups of lanes.

#include <array>
#include <vector>

#include "timeline/timeline.h"

namespace parcast::timeline {

using Sums = std::array<double, kActivities>;  // nanoseconds, of all lanes of a row together

struct Overview {
  std::size_t columns = 0, lanes_per_row = 1;
  std::vector<std::vector<Sums>> rows;  // by group of lanes, then part of time
};

/// Divides the time from 0 to `length`. Returns at most `most_rows` rows: neighbouring lanes share one.
Overview overview(const Timeline& timeline, Time length, std::size_t columns, std::size_t most_rows);

}  // namespace parcast::timeline
