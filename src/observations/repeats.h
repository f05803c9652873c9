// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether runs with equal parameters made the same calls.

#include <optional>

#include "observations/inputs.h"
#include "observations/traces.h"

namespace parcast::program {

/// Returns whether equal runs make a call of this class equally often. False for calls that a program repeats
/// until something has arrived.
bool deterministic(recording::CallClass kind);

/// Returns the notice "unlike-repeats" for the first complete runs of one point that differ in their calls or
/// amounts of data, summed over ranks. No parameter represents their difference.
std::optional<Notice> unlike_repeats(const Inputs& inputs, const Traces& traces);

}  // namespace parcast::program
