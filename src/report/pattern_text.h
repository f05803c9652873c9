// SPDX-License-Identifier: Apache-2.0
#pragma once
// A machine's training set: the formula of each pattern, every measured point with the values of the formula
// and of the message model, and their plot (figure 13.10 of the chapter on the static performance estimator,
// for any machine).
//
//   allreduce on here, measured on 2, 3, 4 processes from 8 B to 1.05 MB
//
//     from      a call of m bytes on p > 1 processes
//     0 B       1.20 us ceil(log2 p) + m 0.300 ns/B
//     65.5 kB   ...
//
//     p  size     measured        fit    off  messages   off
//     2  8 B       1.22 us    1.20 us  -1.6 %   1.9 us  +56 %

#include <span>
#include <string>
#include <vector>

#include "machine/curves.h"
#include "report/style.h"

namespace parcast::report {

/// A row: a size on a number of processes.
struct PatternPoint {
  std::int32_t processes = 0;
  double bytes = 0;
  std::optional<machine::CostPoint> measured;  // nothing: not measured, only requested
  double fitted = 0;
  std::optional<double> from_messages;
  double beyond_processes = 1, beyond_bytes = 1;  // factors beyond the measured ranges
};

/// The error of the formula or of messages against measurements: |value / measured - 1|, median and 95th
/// percentile.
struct PatternMisfit {
  double median = 0, p95 = 0;
};

struct PatternView {
  std::string name;
  const machine::PatternCost* table = nullptr;
  machine::MeasuredRange measured;
  // by processes and size; then the requested process counts that were not measured
  std::vector<PatternPoint> points;
  std::optional<PatternMisfit> fit, messages;
};

/// Returns the view of a pattern. `asked`: additional process counts to evaluate, at the measured sizes.
PatternView pattern_view(const machine::PatternCurve& curve, std::span<const std::int32_t> asked);

std::string pattern_text(const std::string& machine, const PatternView& view, const Style& style);
/// Returns the views as parcast.machine-patterns/1.
std::string patterns_to_json(const std::string& machine, const std::vector<PatternView>& views);

/// Returns a plot with a panel for each pattern: measured points with their 95 % intervals, the fit solid in
/// the measured range and dashed beyond it, breaks dotted, messages thin.
std::string patterns_svg(const std::string& machine, const std::vector<machine::PatternCurve>& curves,
                         std::span<const std::int32_t> asked);

}  // namespace parcast::report
