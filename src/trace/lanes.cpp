// SPDX-License-Identifier: Apache-2.0
#include "trace/lanes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace parcast::trace {
namespace {

using recording::CallClass;

bool communicates(CallClass kind) {
  switch (kind) {
    case CallClass::none:
    case CallClass::initialise:
    case CallClass::finalise:
    case CallClass::region_begin:
    case CallClass::region_end:
    case CallClass::input_output:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool has_lanes(const recording::RankRecording& rank, const std::vector<recording::Call>& calls) {
  std::optional<std::uint16_t> first;
  const auto is_second = [&](std::uint16_t thread, std::uint32_t call) {
    if (call >= calls.size() || !communicates(calls[call].kind)) return false;
    if (!first) first = thread;
    return *first != thread;
  };
  for (const recording::Chapter& chapter : rank.chapters)
    for (const recording::FoldedKey& key : chapter.keys)
      if (is_second(chapter.thread, key.call)) return true;
  return std::ranges::any_of(
      rank.events, [&](const recording::Event& event) { return is_second(event.thread, event.call); });
}

void LaneWords::turn_to(const recording::Event& event) {
  lane_ = event.thread;
  if (open_.size() <= lane_) open_.resize(lane_ + 1), out_.lanes.resize(lane_ + 1);
  Open& lane = open_[lane_];
  if (lane.exit == 0 && lane.compute == 0)
    lane.since = std::max<std::int64_t>(0, event.enter - event.compute);
  lane.enter = event.enter;
  lane.exit = std::max(event.enter, event.exit);
}

void LaneWords::add_compute(Time time) {
  Open& lane = open_[lane_];
  lane.compute = std::min(kLongest + 1, lane.compute + std::clamp(time, Time{0}, kLongest + 1));
}

void LaneWords::put(LaneStep step, bool stays) {
  Open& lane = open_[lane_];
  step.since = std::min(lane.since, lane.enter), step.enter = lane.enter,
  step.exit = stays ? lane.exit : lane.enter;
  step.compute = std::exchange(lane.compute, 0);
  out_.lanes[lane_].push_back(step);
  lane.since = lane.exit;
}

void LaneWords::add(const Operation& operation) {
  LaneStep step{.operation = builder_.operation(operation)};
  if (begins_request(operation.kind)) step.first = ++begun_;
  put(step, stays(operation.kind));
}

void LaneWords::add_wait(std::span<const std::uint64_t> requests, std::uint32_t place) {
  if (requests.empty()) return;
  const std::size_t first = out_.requests.size();
  out_.requests.insert(out_.requests.end(), requests.begin(), requests.end());
  put({.operation = LaneStep::kWait,
       .place = place,
       .first = first,
       .count = static_cast<std::uint32_t>(requests.size())},
      true);
}

void LaneWords::finish() {
  for (lane_ = 0; lane_ < open_.size(); ++lane_) put({}, false);
}

Time ComputingOfLanes::begin(std::size_t lane) {
  const LaneStep& step = of_.lanes[lane][at_[lane]];
  Time computed = until(step.enter);
  // The span of this step is empty because its times are rounded or means. Its computing time must still
  // count.
  if (step.enter <= step.since) computed += step.compute - spent_[lane];
  at_hand_[lane] = true;
  return computed;
}

Time ComputingOfLanes::end(std::size_t lane) {
  const Time computed = until(of_.lanes[lane][at_[lane]].exit);
  at_hand_[lane] = false;
  spent_[lane] = 0;
  ++at_[lane];
  return computed;
}

Time ComputingOfLanes::until(std::int64_t time) {
  Time most = 0;
  for (std::size_t lane = 0; lane < at_.size(); ++lane) {
    if (at_hand_[lane] || at_[lane] == of_.lanes[lane].size()) continue;
    const LaneStep& next = of_.lanes[lane][at_[lane]];
    const std::int64_t from = std::max(given_, next.since), to = std::min(time, next.enter);
    if (to <= from) continue;
    const double part = static_cast<double>(to - from) / static_cast<double>(next.enter - next.since);
    const Time computed = std::min(next.compute - spent_[lane],
                                   static_cast<Time>(std::llround(part * static_cast<double>(next.compute))));
    spent_[lane] += computed;
    most = std::max(most, computed);
  }
  given_ = std::max(given_, time);
  return most;
}

}  // namespace parcast::trace
