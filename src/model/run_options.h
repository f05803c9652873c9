// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small runs near the recorded ones, candidates for a proposed run.

#include <cstdint>
#include <string>
#include <vector>

#include "model/binding.h"

namespace parcast::program {

/// The process counts with which a program probably runs. Many programs need a square, a cube or a power of
/// two, and stop at another count.
class ProcessRule {
 public:
  /// Of at least two recorded counts that are all cubes or all squares, only such counts are allowed; of at
  /// least four that are all powers of two, only these. Otherwise all are.
  explicit ProcessRule(const std::vector<Point>& runs);
  bool allows(std::int32_t processes) const;

 private:
  enum class Kind { any, cube, square, power_of_two };
  static bool is_of(Kind kind, std::int32_t processes);
  Kind kind_ = Kind::any;
};

/// Returns the smallest set of parameters whose product is the number of processes in all runs, as of the
/// sides of a process grid. Empty if all runs had the same number of processes.
std::vector<bool> process_grid(const std::vector<std::string>& parameters, const std::vector<Point>& runs);

/// Makes the product of the grid's sides equal to the point's processes, if it is not. If `changed` is a
/// side, the process count changes; otherwise the sides change.
void fit_to_grid(Point& point, const std::vector<std::string>& parameters, const std::vector<bool>& grid,
                 const std::string& changed);

/// Returns points on up to 16 processes, in ascending order of cost. They have the first recorded value of
/// each parameter, or another value of one parameter. The product of the grid's sides is the process count of
/// each point. If there is a grid, parameters that were always 1 stay 1, since they may be sides, too.
/// `known`: the recorded values of each parameter, ascending; `whole`: parameters that may take other values;
/// `grid`: sides of the process grid.
std::vector<Point> runs_by_price(const std::vector<std::string>& parameters,
                                 const std::vector<std::vector<double>>& known,
                                 const std::vector<bool>& whole, const std::vector<bool>& grid);

/// Returns the ranks at which a point is sampled: the first and last ones, and some between.
std::vector<std::int32_t> sampled_ranks(std::int32_t processes);

/// Returns text such as "p = 6, n = 48".
std::string point_text(const Point& point, const std::vector<std::string>& parameters);

}  // namespace parcast::program
