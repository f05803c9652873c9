// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run with one process: it computes what the model's segments give, and exchanges with itself what the
// rules leave. docs/models/structure.md.

#include "model/binding.h"
#include "trace/trace.h"

namespace parcast::program {

/// Seconds that the segments of the model give for the only rank. An error names a segment's expression
/// without a value.
Result<double> computing_alone(const Model& model, const Point& point);

/// Whether the only rank sends messages there, by the model's counts.
bool sends_alone(const Model& model, const Point& point);

/// A trace of one rank that computes for so many seconds, and does nothing else.
trace::Trace trace_of_computing(const std::string& program, double seconds);

/// Makes the computing of a trace of one rank that long, its parts in proportion. Where there is none, it
/// comes first.
void set_computing(trace::Trace& trace, double seconds);

}  // namespace parcast::program
