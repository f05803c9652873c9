// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derives from a column's name whether it is a metric, and its unit.

#include <string>
#include <string_view>

namespace parcast::interchange {

/// Returns the unit that the name of a metric ends in: "s" for solve_seconds and time_s, "us" for t_avg_us
/// and latency_usec, "B" for sent_bytes, "GB/s" for copy_gbytes_per_s. Returns "" for names without a unit,
/// such as `time`. Upper and lower case are the same.
std::string unit_of_metric(std::string_view name);

/// Returns whether a column of this name holds measured values: the name gives a unit of time or a rate, or
/// is a usual name of such columns: time, runtime, time_max, visits, flops, PAPI_FP_OPS, ... A size in bytes
/// does not count, because it may be a parameter.
bool names_metric(std::string_view name);

}  // namespace parcast::interchange
