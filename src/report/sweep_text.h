// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sweep as a table for a terminal, as CSV, JSON, and as a plot. All points answer questions about one program on one machine, or on several that
// follow each other at every point; then their standings say how they do there.
//
//   p   N      seconds  interval (90 %)  speedup  compute  messages  waiting
//   1   4096     91.20   88.4 .. 94.1      1.00x     100%        0%       0%

#include <string>
#include <vector>

#include "explain/selection.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// With a column for the probability of ending within the limit where one was given, and of several machines a row each.
std::string sweep_text(const std::vector<predict::Prediction>& points, const Style& style, const explain::Standings& standings = {});
/// Warnings of all points, a line each; those that differ in numbers alone are one line with the ranges. What is not said of all of several machines
/// begins with their names.
std::string sweep_warnings(const std::vector<predict::Prediction>& points, const Style& style);
/// Every parameter a column (the machine's in base units), then seconds, low, high, level, origin, the parts, node_hours, where a limit was given
/// limit and within_limit (a probability), of several machines probability_best and slower, and the codes of warnings.
std::string sweep_csv(const std::vector<predict::Prediction>& points, const explain::Standings& standings = {});
/// parcast.sweep/1
std::string sweep_to_json(const std::vector<predict::Prediction>& points, const explain::Standings& standings = {});
/// Time over the parameter with the most values (p where several have as many), with the interval as a band,
/// both axes logarithmic; other parameters that vary, programs and machines give a curve each.
std::string sweep_svg(const std::vector<predict::Prediction>& points);

}  // namespace parcast::report
