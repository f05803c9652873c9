// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small runs near the recorded ones, of which one may be proposed.

#include <string>
#include <vector>

#include "program/binding.h"

namespace parcast::program {

/// On up to 16 processes, with the first recorded value of each parameter, or another of one of them; cheapest first.
/// `known`: of each parameter the recorded values, ascending; `whole`: those that may take other ones.
std::vector<Point> runs_by_price(const std::vector<std::string>& parameters, const std::vector<std::vector<double>>& known, const std::vector<bool>& whole);

/// The ranks at which a point is looked at: the ends, and some between.
std::vector<std::int32_t> sampled_ranks(std::int32_t processes);

/// "p = 6, n = 48"
std::string point_text(const Point& point, const std::vector<std::string>& parameters);

}  // namespace parcast::program
