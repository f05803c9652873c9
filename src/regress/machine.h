// SPDX-License-Identifier: Apache-2.0
#pragma once
// Costs as a machine, as far as a machine has places for them: a message's startup and its bytes are those of its link, a page fault and
// a page touched first are their own, and computing that was counted in seconds of another machine gives the core's speed. Notes name what has no place.

#include <string>

#include "machine/machine.h"
#include "regress/costs.h"

namespace parcast::regress {

/// Counts that have a place, by name.
inline constexpr const char* kMessages = "messages";       // links.network.latency
inline constexpr const char* kBytes = "bytes";             // links.network.gap_per_byte
inline constexpr const char* kPageFaults = "page_faults";  // page_fault
inline constexpr const char* kPages = "pages";             // first_touch
inline constexpr const char* kComputing = "computing";     // seconds on the machine `recorded`: core_speed

/// Fails where a link cannot be described: no cost of messages or bytes, one that is negative, or not told apart from others.
Result<machine::Machine> machine_of(const Costs& costs, const std::string& name, const machine::Machine* recorded);

}  // namespace parcast::regress
