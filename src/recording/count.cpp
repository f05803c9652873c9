// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "recording/recording.h"

namespace parcast::recording {
namespace {

bool sends(CallClass kind) {
  return kind == CallClass::send || kind == CallClass::send_receive || kind == CallClass::start_send;
}

bool marks_region(CallClass kind) { return kind == CallClass::region_begin || kind == CallClass::region_end; }

bool is_collective(CallClass kind) { return kind == CallClass::collective || kind == CallClass::start_collective; }

bool communicates(CallClass kind) {
  switch (kind) {
    case CallClass::none:
    case CallClass::initialise:
    case CallClass::finalise:
    case CallClass::region_begin:
    case CallClass::region_end: return false;
    default: return true;
  }
}

RankCounts count_rank(const RankRecording& rank, const std::vector<Call>& calls) {
  RankCounts counts;
  counts.rank = rank.rank;
  double compute = 0, communication = 0;  // nanoseconds; of a damaged file they may be more than an integer holds
  for (const Event& event : rank.events) {
    const Call& call = calls[event.call];
    if (!event.continued && !marks_region(call.kind)) counts.calls[call.name] += event.repeats;
    if (sends(call.kind) && event.message.peer != kNoPeer) {
      ++counts.messages_sent;
      counts.bytes_sent += event.message.bytes;
    }
    if (is_collective(call.kind)) counts.collective_bytes += collective_volume(event, call.pattern);
    if (call.kind == CallClass::one_sided) counts.put_bytes += event.message.bytes, counts.got_bytes += event.received.bytes;
    if (call.kind == CallClass::input_output) counts.written_bytes += event.message.bytes, counts.read_bytes += event.received.bytes;
    if (communicates(call.kind)) communication += static_cast<double>(event.exit - event.enter);
    compute += static_cast<double>(event.compute);
  }
  for (const UnfollowedCall& call : rank.unfollowed) counts.calls[call.name] += call.count;
  counts.compute_seconds = compute * 1e-9;
  counts.communication_seconds = communication * 1e-9;
  counts.events = rank.events.size();
  return counts;
}

}  // namespace

bool Recording::oversubscribed() const {
  std::map<std::string, double> processors_on;
  int told = 0;
  for (const RankRecording& rank : ranks)
    if (!rank.host.empty() && rank.cores > 0) processors_on[rank.host] += rank.processor_share, ++told;
  if (told < processes) return cores_per_host > 0 && processes > cores_per_host;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](const RankRecording& rank) { return processors_on[rank.host] > rank.cores; });
}

std::uint64_t collective_volume(const Event& event, Pattern pattern) {
  if (pattern == Pattern::broadcast) return std::max(event.message.bytes, event.received.bytes);
  if (pattern == Pattern::scatter) return event.received.bytes;
  return event.message.bytes;
}

std::vector<RankCounts> count(const Recording& recording) {
  std::vector<RankCounts> counts;
  counts.reserve(recording.ranks.size());
  for (const RankRecording& rank : recording.ranks) counts.push_back(count_rank(rank, recording.calls));
  return counts;
}

}  // namespace parcast::recording
