// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sweep as a table for a terminal, as CSV, JSON, and as a plot. All points belong to one program on one
// machine, or on several machines that follow each other at every point. In the latter case `standings` rank
// the machines at each point.
//
//   p   N      seconds  interval (90 %)  speedup  compute  messages  waiting
//   1   4096     91.20   88.4 .. 94.1      1.00x     100%        0%       0%

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/selection.h"
#include "predict/prediction.h"
#include "report/style.h"

namespace parcast::report {

/// Returns the table. With a limit it has a column for the probability of ending within it. With several
/// machines each has a row.
std::string sweep_text(const std::vector<predict::Prediction>& points, const Style& style,
                       const explain::Standings& standings = {});
/// Returns the warnings of all points, a line each. Warnings that differ only in numbers share a line with
/// the ranges. A warning that does not concern all machines begins with the names of those it concerns.
std::string sweep_warnings(const std::vector<predict::Prediction>& points, const Style& style);
/// Returns a column for every parameter (the machine's in base units), then seconds, low, high, level,
/// origin, the parts, node_hours. With a limit, limit and within_limit (a probability) follow; with several
/// machines, probability_best and slower; last the codes of warnings.
std::string sweep_csv(const std::vector<predict::Prediction>& points,
                      const explain::Standings& standings = {});
/// Returns the sweep as parcast.sweep/1.
std::string sweep_to_json(const std::vector<predict::Prediction>& points,
                          const explain::Standings& standings = {}, bool with_regions = false);
/// What a plot shows: the time, the speedup over the first point of each curve, or that per process.
enum class Quantity { time, speedup, efficiency };
std::optional<Quantity> quantity_named(std::string_view name);

/// Returns a plot over the parameter with the most values (p in a tie; of speedup and efficiency always p),
/// with the interval as a band. Other varied parameters, programs and machines give a curve each. The plot
/// marks perfect scaling, recorded runs and the end of the recorded values; the legend is at its right.
std::string sweep_svg(const std::vector<predict::Prediction>& points, Quantity quantity = Quantity::time);

}  // namespace parcast::report
