// SPDX-License-Identifier: Apache-2.0
#pragma once
// The critical path of a recorded run: the chain of computing and calls that ends with the last rank. Where a
// call waited, the chain goes on at the rank that it waited for. docs/models/timeline.md.

#include "timeline/matching.h"

namespace parcast::timeline {

/// A call that waited for another lane.
struct Wait {
  Time resumed = 0;  // when its own lane went on: the cause, or for a message the end of the call
  Cause cause;
};

/// `waits`: by lane, in order of time. `ends`: by lane. Returns the steps in order of time; they cover the
/// run from its first event to `ends` of the last lane, without gaps: a message under way belongs to the
/// sender.
std::vector<Step> critical_path(const std::vector<std::vector<Wait>>& waits, const std::vector<Time>& ends);

/// What the critical path consists of.
struct PathPart {
  Activity activity = Activity::computing;
  bool is_message = false;             // under way from one rank to another
  std::uint32_t name = 0, region = 0;  // as in Span
  Time time = 0;
};
/// Returns the parts, longest first.
std::vector<PathPart> path_parts(const Timeline& timeline);

}  // namespace parcast::timeline
