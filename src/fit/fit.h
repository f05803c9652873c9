// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits formulas to measured values alone, and extrapolates them (docs/models/fit.md).
//
//   main->solve   2.1e-4 + 3.02e-8 n^2 p^-1   fitted, 2.1 % where points were left out
//                 p = 1024: 41.3 s, 37.0 .. 46.8
//
// An answer is the median of a mixture of formulas, with its interval for a new measurement. The displayed
// formula is the one closest to the answer.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/origin.h"
#include "base/result.h"
#include "fit/measurements.h"
#include "fit/observations.h"
#include "fit/search.h"

namespace parcast::fit {

/// A known change of a parameter's growth, such as the eager limit of a machine for bytes: the largest value
/// to which the law before applies.
struct Change {
  std::string parameter;
  double at = 0;
};

struct Options {
  Points asked;        // points to predict, a column per parameter of the measurements; all values >= 0
  double level = 0.9;  // of the intervals, between 0 and 1
  Statistic statistic = Statistic::mean;
  bool factored = true;              // a time may be fitted as a count times a cost
  std::vector<Change> changes = {};  // known ones; of several within the data the first one applies
  unsigned threads = 0;              // 0: as many as there are processors; results do not depend on it
};

/// The factor by which intervals have to be wider beyond a parameter's largest value, as a function of the
/// distance. Checks with one and with two left-out values give the two factors, at two distances in
/// doublings.
struct Reach {
  double near = 1, near_width = 1;
  double far = 1, far_width = 1;

  /// Interpolates between the two distances; outside of them returns the factor of the nearer one.
  double at(double doublings) const;
};

/// The weight of the last points' growth before any check.
inline constexpr double kUsualContinued = 0.3;

/// Properties shared by all kernels of one metric: their noise, and the errors of intervals when their
/// largest points are predicted from smaller ones.
struct Calibration {
  Prior prior;
  double continued = kUsualContinued;  // weight of the last points' growth against the mixture, in logarithms
  double width = 1;                    // factor for the width of intervals in logarithms
  std::size_t checks = 0;              // points that both rest on
  std::map<std::size_t, Reach> reaches = {};  // by parameter; the width above applies to other parameters
  std::vector<Change> changes = {};           // as in Options
};

struct Range {
  double value = 0, low = 0, high = 0;
};

struct Predicted {
  std::vector<double> point;  // as requested
  double value = 0, low = 0, high = 0;
  double distance = 0;        // doublings beyond the data
  bool unidentified = false;  // a parameter has a value about which the data contain no information
  // a number was out of range and was replaced by that end of the range (base/number_range.h)
  bool cut = false;
  std::optional<Range> largest = {};  // for a mean over ranks: the largest of any rank, on which a run waits
};

/// One formula of the mixture.
struct Formula {
  std::string text;
  double weight = 0;  // in the mixture
};

/// A change of a parameter's growth within the data.
struct Break {
  std::string parameter;
  double last_before = 0, first_after = 0;   // the break lies between these two values
  double slope_before = 0, slope_after = 0;  // exponents of power laws on both sides
  double p_value = 1;
  std::optional<double> given = {};  // known: the change is at this value
  bool followed = false;             // predictions from `first_after` on use only the points there
  std::size_t missing = 0;           // further values beyond the break that would be needed for that
};

struct KernelFit {
  std::string callpath, metric, unit;
  std::string largest_of = {};    // the metric of which this is the largest of any rank; empty: of none
  std::string largest = {};       // the metric that is the largest of any rank of this one
  std::string expression;         // in the measurements' parameters
  Origin tier = Origin::unknown;  // exact, ambiguous, fitted, constant; unknown: nothing to fit
  std::string count;              // the metric that a factored fit divides by; else empty
  /// Root mean square of the relative errors of predicting each parameter's largest points from the rest.
  /// Nothing if every parameter has fewer than four known values; three are enough where few numbers of
  /// processes are crossed with sizes.
  std::optional<double> validation_error;
  double relative_noise = 0;           // of a point around the formulas
  double run_error = 0;                // of one repetition, relative; 0: no repetitions
  double worst_repetition = 1;         // the largest repetition divided by its point's mean
  std::vector<Formula> formulas;       // those with some weight, the largest first
  std::vector<Predicted> predictions;  // as requested
  std::optional<Break> regime;         // a change of growth within the data
  std::vector<std::string> warnings;
};

struct Fits {
  std::vector<std::string> parameters;
  std::vector<KernelFit> kernels;     // in the order of the measurements
  std::vector<std::string> warnings;  // concerning all kernels together
  double level = 0.9;
};

/// Fits one kernel. Fails if rows and columns disagree, or if a requested point is negative or not finite. A
/// kernel that cannot be fitted has a warning with the reason.
Result<KernelFit> fit_kernel(const Kernel& kernel, const std::vector<std::string>& parameters,
                             const Options& options, const Calibration& calibration = {});

/// Fits all kernels, and uses the properties that kernels of one metric share.
Result<Fits> fit_all(const Measurements& measurements, const Options& options);

}  // namespace parcast::fit
