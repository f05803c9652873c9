// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prepares a measured kernel for a fit: selects the usable parameters, reduces repetitions to one value per
// point, and estimates the scatter of repetitions.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/measurements.h"
#include "fit/shapes.h"

namespace parcast::fit {

/// The values to explain, > 0, at the points of a design.
struct Observed {
  Points points;
  std::vector<double> values;
  std::vector<double> relative_errors;  // standard error of each value / value; empty: no repetitions
};

/// The statistic that summarizes the repetitions of a point.
enum class Statistic { mean, median, minimum, maximum };
double of(Statistic statistic, std::span<const double> repetitions);

/// The parameters that a fit can use, and a sentence for each that it cannot use.
struct Arguments {
  std::vector<std::size_t> used;  // columns of the points
  std::vector<std::string> names;
  /// For each unused parameter: its only value, or nothing if it varies together with a used one.
  std::vector<std::optional<double>> fixed;  // per parameter; nothing for a used one
  std::vector<std::string> notes;

  std::vector<double> coordinates(const std::vector<double>& point) const;
};

/// Selects the parameters. A parameter is left out if it never varies or if others determine it: its
/// logarithm depends linearly on theirs, or its values correspond to theirs one to one. `parameters` names
/// the columns.
Arguments usable_arguments(const Points& points, const std::vector<std::string>& parameters);

struct Observations {
  Observed observed;
  bool zero = false;  // every value is 0
  // relative standard deviation of one repetition at a typical value; 0: no repetitions
  double run_error = 0;
  std::size_t repetitions = 0;  // the largest number at a point
  double worst = 1;  // the largest repetition / its point's mean, at the point where this is largest
  std::vector<std::string> notes;
};

/// Returns the observations. Points with values that are not positive are left out, with a note; so are
/// points outside of the range of arguments.
Observations observe(const Kernel& kernel, const Arguments& arguments, Statistic statistic);

}  // namespace parcast::fit
