// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the name of a metric tells: that it is one, and its unit.

#include <string>
#include <string_view>

namespace parcast::interchange {

/// "s" of seconds, solve_seconds and time_s, "us" of t_avg_us and latency_usec, "B" of sent_bytes, "GB/s" of
/// copy_gbytes_per_s; empty where the name tells none, as `time`. Upper and lower case are the same.
std::string unit_of_metric(std::string_view name);

/// Whether a column of that name holds measured values: its name tells a unit of time or a rate, or is one that such columns
/// have: time, runtime, time_max, visits, flops, PAPI_FP_OPS, ... A size in bytes alone may be a parameter, and is none.
bool names_metric(std::string_view name);

}  // namespace parcast::interchange
