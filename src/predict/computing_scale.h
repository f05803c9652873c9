// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines that follow a generated trace compute as long in all as the model's segments do. The trace places computing by fits of its own,
// which keep what disturbed a recording; segments do not (docs/models/segments.md). docs/models/agreement.md, "Equal computing".

#include "predict/prediction.h"
#include "trace/trace.h"

namespace parcast::predict {

struct ComputingScale {
  double factor = 1;      // by which each computing time of the trace is multiplied
  double in_trace = 0;    // seconds, the sum over ranks before that
  double in_segments = 0; // seconds, the sum over ranks that the model's segments give
};

/// Of a trace that program::generate() made of this model at this question's point. 1 for a program written by hand, whose trace and segments
/// are one text, and where either sum is 0.
Result<ComputingScale> computing_scale(const program::Model& model, const Question& question, const trace::Trace& trace);

/// Where both sums differ by more than a quarter; else none.
std::optional<Warning> scale_warning(const ComputingScale& scale);

/// Seconds of computing of all ranks together, loops unrolled.
double computing_seconds(const trace::Trace& trace);

}  // namespace parcast::predict
