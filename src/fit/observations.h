// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a kernel as it was measured to what can be fitted: which parameters tell anything, one value per point, and how far
// repetitions of a point scatter.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/measurements.h"
#include "fit/shapes.h"

namespace parcast::fit {

/// The values to explain, > 0, on the points of a design.
struct Observed {
  Points points;
  std::vector<double> values;
  std::vector<double> relative_errors;  // standard error of each value / value; empty: nothing was repeated
};

/// Which number stands for the repetitions of a point.
enum class Statistic { mean, median, minimum, maximum };
double of(Statistic statistic, std::span<const double> repetitions);

/// The parameters that a fit can use, and a sentence for each that it cannot.
struct Arguments {
  std::vector<std::size_t> used;   // columns of the points
  std::vector<std::string> names;
  /// Of each parameter that is not used: its only value, or nothing where it moves together with one that is.
  std::vector<std::optional<double>> fixed;  // per parameter; of a used one nothing
  std::vector<std::string> notes;

  std::vector<double> coordinates(const std::vector<double>& point) const;
};

/// A parameter that never varies, or that others determine (its logarithm depends linearly on theirs, or its values go with
/// theirs one by one), is left out. `parameters` names the columns.
Arguments usable_arguments(const Points& points, const std::vector<std::string>& parameters);

struct Observations {
  Observed observed;
  bool zero = false;            // every value is 0
  double run_error = 0;         // relative standard deviation of one repetition at a typical value; 0: nothing was repeated
  std::size_t repetitions = 0;  // the most at a point
  double worst = 1;             // the largest repetition / its point's mean, at the point where this is largest
  std::vector<std::string> notes;
};

/// Points of values that are not positive are left out, with a sentence; so are points outside of what arguments may be.
Observations observe(const Kernel& kernel, const Arguments& arguments, Statistic statistic);

}  // namespace parcast::fit
