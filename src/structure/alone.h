// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run with one process: it computes as the model's segments give, and sends itself the messages that the
// rules leave. docs/models/structure.md.

#include "model/binding.h"
#include "trace/trace.h"

namespace parcast::program {

/// Returns the seconds that the model's segments give for the only rank. The error names a segment whose
/// expression has no value.
Result<double> computing_alone(const Model& model, const Point& point);

/// Returns whether the only rank sends messages at the point, by the model's counts.
bool sends_alone(const Model& model, const Point& point);

/// Returns a trace of one rank that computes for `seconds` and does nothing else.
trace::Trace trace_of_computing(const std::string& program, double seconds);

/// Scales the computing of a trace of one rank to `seconds`. If it has none, adds the computing at the start.
void set_computing(trace::Trace& trace, double seconds);

}  // namespace parcast::program
