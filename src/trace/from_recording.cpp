// SPDX-License-Identifier: Apache-2.0
#include "trace/from_recording.h"

#include <utility>

#include "trace/builder.h"
#include "trace/communicators.h"
#include "trace/left_out.h"
#include "trace/rank_events.h"

namespace parcast::trace {
namespace {

void count(const recording::RankRecording& rank, LeftOut& left_out) {
  if (!rank.complete) ++left_out.unfinished;
  if (rank.processor_share != 1) ++left_out.shares;
  left_out.dropped += rank.dropped_events;
  for (const recording::UnfollowedCall& call : rank.unfollowed) left_out.unfollowed += call.count;
}

}  // namespace

Result<FromRecording> from_recording(const recording::Recording& recording, Matching matching) {
  if (recording.processes < 1 || std::cmp_not_equal(recording.ranks.size(), recording.processes))
    return Error{"of " + std::to_string(recording.processes) + " processes " + std::to_string(recording.ranks.size()) + " are recorded",
                 recording.program, "gather what the nodes recorded (parcast record --gather), or record again"};
  Builder builder(recording.program, recording.processes);
  Communicators communicators(recording, builder);
  LeftOut left_out;
  for (const recording::RankRecording& rank : recording.ranks) {
    count(rank, left_out);
    PARCAST_TRY(RankEvents(recording, rank, communicators, builder, left_out, matching).walk());
  }
  for (const std::string& sentence : recording.outside) builder.assume(sentence);
  for (std::string& sentence : assumptions(left_out)) builder.assume(std::move(sentence));
  std::vector<std::string> uncounted = warnings(left_out, false);
  for (std::string& sentence : assumptions(left_out, false)) uncounted.push_back(std::move(sentence));
  return FromRecording{builder.finish(), warnings(left_out), std::move(uncounted), std::move(left_out.alone)};
}

}  // namespace parcast::trace
