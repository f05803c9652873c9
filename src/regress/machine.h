// SPDX-License-Identifier: Apache-2.0
#pragma once
// Converts costs to a machine, as far as a machine has parameters for them. A message's startup and bytes
// become those of the link; page faults and first touches of pages have their own parameters. Computing that
// was counted in seconds of another machine gives the core's speed. Notes name the other costs.

#include <string>

#include "machine/machine.h"
#include "regress/costs.h"

namespace parcast::regress {

/// Counts that have a machine parameter, by name.
inline constexpr const char* kMessages = "messages";       // links.network.latency
inline constexpr const char* kBytes = "bytes";             // links.network.gap_per_byte
inline constexpr const char* kPageFaults = "page_faults";  // page_fault
inline constexpr const char* kPages = "pages";             // first_touch
inline constexpr const char* kComputing = "computing";     // seconds on the machine `recorded`: core_speed

/// Returns the machine. Fails if its link cannot be described: the cost of messages or bytes is missing,
/// negative, or not identified separately.
Result<machine::Machine> machine_of(const Costs& costs, const std::string& name,
                                    const machine::Machine* recorded);

}  // namespace parcast::regress
