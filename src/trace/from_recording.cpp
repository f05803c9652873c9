// SPDX-License-Identifier: Apache-2.0
#include "trace/from_recording.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/builder.h"
#include "trace/communicators.h"
#include "trace/lanes.h"
#include "trace/left_out.h"
#include "trace/missing.h"
#include "trace/rank_events.h"
#include "trace/rehearsal.h"

namespace parcast::trace {
namespace {

void count(const recording::RankRecording& rank, LeftOut& left_out) {
  if (!rank.complete) ++left_out.unfinished;
  if (rank.processor_share != 1) ++left_out.shares;
  left_out.dropped += rank.dropped_events;
  for (const recording::UnfollowedCall& call : rank.unfollowed) left_out.unfollowed += call.count;
}

/// A trace before its order is final.
struct Raw {
  FromRecording made;
  std::vector<RankLanes> lanes;  // one per rank
  bool several_threads = false;
};

Result<void> walk(const recording::Recording& recording, const recording::RankRecording& rank,
                  Communicators& communicators, Builder& builder, LeftOut& left_out, Matching matching,
                  RankLanes& lanes) {
  if (!has_lanes(rank, recording.calls)) {
    RankBuilder words(builder, rank.rank);
    PARCAST_TRY(RankEvents(recording, rank, communicators, builder, left_out, matching, words).walk());
    return words.finish();
  }
  LaneWords words(builder, lanes);
  PARCAST_TRY(RankEvents(recording, rank, communicators, builder, left_out, matching, words, &words).walk());
  words.finish();
  return {};
}

Result<Raw> raw_trace(const recording::Recording& recording, Matching matching) {
  Raw out;
  out.lanes.resize(recording.ranks.size());
  Builder builder(recording.program, recording.processes);
  Communicators communicators(recording, builder);
  LeftOut left_out;
  for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
    count(recording.ranks[rank], left_out);
    PARCAST_TRY(
        walk(recording, recording.ranks[rank], communicators, builder, left_out, matching, out.lanes[rank]));
    out.several_threads = out.several_threads || !out.lanes[rank].lanes.empty();
  }
  for (const std::string& sentence : recording.outside) builder.assume(sentence);
  for (std::string& sentence : assumptions(left_out)) builder.assume(std::move(sentence));
  std::vector<std::string> uncounted = warnings(left_out, false);
  for (std::string& sentence : assumptions(left_out, false)) uncounted.push_back(std::move(sentence));
  out.made = {builder.finish(), warnings(left_out), std::move(uncounted), std::move(left_out.alone), {}};
  return out;
}

}  // namespace

bool leaves_open(const Trace& trace) {
  return std::ranges::any_of(trace.operations, [](const Operation& each) {
    return looks_for_envelope(each.kind) && (each.peer == kAny || each.tag == kAny);
  });
}

Result<FromRecording> from_recording(const recording::Recording& recording, Matching matching,
                                     Rehearsed rehearsed) {
  if (recording.processes < 1 || std::cmp_not_equal(recording.ranks.size(), recording.processes))
    return Error{"of " + std::to_string(recording.processes) + " processes " +
                     std::to_string(recording.ranks.size()) + " are recorded",
                 recording.program,
                 "gather what the nodes recorded (parcast record --gather), or record again"};
  PARCAST_ASSIGN(Raw raw, raw_trace(recording, matching));
  if (rehearsed == Rehearsed::threads && !raw.several_threads) return std::move(raw.made);
  std::optional<Raw> as_it_came;  // used because it names the sender of every received message
  if (leaves_open(raw.made.trace)) {
    PARCAST_ASSIGN(as_it_came, raw_trace(recording, Matching::recorded));
  }
  const Raw& of = as_it_came ? *as_it_came : raw;
  Rehearsal found = rehearse(of.made.trace, of.lanes);
  raw.made.missing = describe_missing(recording, of.made.trace, found.missing);
  if (raw.several_threads || !found.missing.empty()) {
    PARCAST_ASSIGN(raw.made.trace, as_rehearsed(raw.made.trace, raw.lanes, found));
  }
  return std::move(raw.made);
}

}  // namespace parcast::trace
