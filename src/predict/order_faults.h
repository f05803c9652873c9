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

/// Returns why this trace, unrolled from the order of a recorded program, is no run: "at p = 64 the order of
/// operations found has messages without a receive, or receives without a message: 112". Empty: it may be
/// one. Messages that may come from any rank, or with any tag, are compared as sums by receiver.
std::string unmatched_messages(const trace::Trace& trace);

/// Returns "at p = 64 the order of operations found has 24,048 messages, and the model counts 14,448"; empty
/// if the two are within 10 %, if a run of this point was recorded, with which the order was compared, or
/// beyond 256 processes.
std::string other_message_count(const program::Model& model, const program::Point& point,
                                const trace::Trace& trace);

}  // namespace parcast::predict
