// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scales the computing of a generated trace to the total of the model's segments. The trace takes its
// computing times from separate fits, which keep disturbances of the recordings; segments do not keep them
// (docs/models/segments.md). docs/models/agreement.md, "Equal computing".

#include "predict/prediction.h"
#include "trace/trace.h"

namespace parcast::predict {

struct ComputingScale {
  double factor = 1;       // multiplies each computing time of the trace
  double in_trace = 0;     // seconds, sum over ranks before scaling
  double in_segments = 0;  // seconds, sum over ranks of the model's segments
  bool in_parts = false;   // the trace is of copies: only the proportions of its times are used
};

/// Changes a trace that program::generate() made from this model at this question's point, so that no rank's
/// computing differs from that of its segments by more than the factor kMostUneven beyond the common scale:
/// separate fits may grow differently for ranks at a side of a grid and in its middle. Nothing is changed
/// where the executions of segments are not identified for every rank.
///
/// Returns the common scale. Its factor is 1 for a program written by hand, whose trace and segments come
/// from one text, and when either sum is 0.
Result<ComputingScale> fit_to_segments(const program::Model& model, const Question& question,
                                       trace::Trace& trace);
constexpr double kMostUneven = 1.1;

/// Returns a warning when the sums differ by more than a quarter, and both are known.
std::optional<Warning> scale_warning(const ComputingScale& scale);

/// Returns the seconds of computing of all ranks together, with loops unrolled.
double computing_seconds(const trace::Trace& trace);

}  // namespace parcast::predict
