// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small runs near the recorded ones, of which one may be proposed.

#include <string>
#include <vector>

#include "model/binding.h"

namespace parcast::program {

/// The parameters that multiply to the number of processes in all runs, as the sides of a process grid do; the fewest that do so. None where all runs
/// had the same number of processes.
std::vector<bool> process_grid(const std::vector<std::string>& parameters, const std::vector<Point>& runs);

/// Makes the grid's sides multiply to the point's processes: as they are where they do, else the side that `changed` names, or its processes, stay.
void fit_to_grid(Point& point, const std::vector<std::string>& parameters, const std::vector<bool>& grid, const std::string& changed);

/// On up to 16 processes, with the first recorded value of each parameter, or another of one of them; cheapest first. Sides of a process grid multiply
/// to the processes of each, and where there is one, parameters that were 1 throughout stay so: they may be sides, too.
/// `known`: of each parameter the recorded values, ascending; `whole`: those that may take other ones; `grid`: sides of the process grid.
std::vector<Point> runs_by_price(const std::vector<std::string>& parameters, const std::vector<std::vector<double>>& known, const std::vector<bool>& whole,
                                 const std::vector<bool>& grid);

/// The ranks at which a point is looked at: the ends, and some between.
std::vector<std::int32_t> sampled_ranks(std::int32_t processes);

/// "p = 6, n = 48"
std::string point_text(const Point& point, const std::vector<std::string>& parameters);

}  // namespace parcast::program
