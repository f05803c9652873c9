// SPDX-License-Identifier: Apache-2.0
#pragma once
// Events one by one, whether or not they were folded. Those that were get the times that all executions took on average,
// stretched so that a chapter lasts as long as it did; Event::estimated says so. Memory does not grow with their number.

#include <functional>
#include <span>

#include "recording/recording.h"

namespace parcast::recording {

using EventVisitor = std::function<void(const Event&, std::span<const Completion>)>;

/// Visits a rank's events in order of entry. The number of events that have none: their order was given up.
std::uint64_t for_each_event(const RankRecording& rank, const std::vector<Call>& calls, const EventVisitor& visit);

}  // namespace parcast::recording
