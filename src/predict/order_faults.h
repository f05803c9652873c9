// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares the order of operations that was found in recordings with what every run must do. Rules that hold
// for all recordings may be wrong elsewhere: with more processes a rule may send a message that no rank
// receives, or more messages than the model counts. docs/models/agreement.md.

#include <string>

#include "model/binding.h"
#include "model/model.h"
#include "trace/trace.h"

namespace parcast::predict {

/// Returns why this trace, unrolled from the order of a recorded program, is not a run of the program at this
/// point: "at p = 64 the order of operations found has 112 messages that no rank receives". Empty: nothing
/// was found. Messages that may come from any rank, or with any tag, are compared as sums by receiver.
std::string fault_of_order(const program::Model& model, const program::Point& point,
                           const trace::Trace& trace);

}  // namespace parcast::predict
