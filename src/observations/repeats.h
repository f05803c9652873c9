// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether runs that the parameters cannot tell apart did the same.

#include <optional>

#include "observations/inputs.h"
#include "observations/traces.h"

namespace parcast::program {

/// Whether a program calls it as often in every run alike: not what it asks again and again until something has come.
bool deterministic(recording::CallClass kind);

/// Code "unlike-repeats", of the first complete runs of one point that do not make the same calls with the same amounts of data, all ranks
/// together: what they differ in is no parameter of theirs.
std::optional<Notice> unlike_repeats(const Inputs& inputs, const Traces& traces);

}  // namespace parcast::program
