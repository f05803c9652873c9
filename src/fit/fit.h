// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formulas for measured values alone, and what they say beyond the data (docs/models/fit.md).
//
//   main->solve   2.1e-4 + 3.02e-8 n^2 p^-1   fitted, 2.1 % where points were left out   p = 1024: 41.3 s, 37.0 .. 46.8
//
// An answer is the median of a mixture of formulas with its interval for a new measurement; the formula shown is the one
// that is closest to it.

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

struct Options {
  Points asked;              // points to predict, a column per parameter of the measurements; all values >= 0
  double level = 0.9;        // of the intervals, between 0 and 1
  Statistic statistic = Statistic::mean;
  bool factored = true;      // a time may be fitted as a count times a cost
  unsigned threads = 0;      // 0: as many as there are processors; results do not depend on it
};

/// How much wider intervals have to be beyond a parameter's largest value, by the distance: what checks of one and of two values
/// left out asked for, and at which distance, in doublings.
struct Reach {
  double near = 1, near_width = 1;
  double far = 1, far_width = 1;

  /// Between the two distances in proportion; outside of them as at the nearer one.
  double at(double doublings) const;
};

/// What all kernels of one metric have in common: how noisy they are, and by how much intervals missed when their largest points
/// were predicted from the smaller ones.
struct Calibration {
  Prior prior;
  double continued = 0.3;    // weight of the last points' growth beside the mixture, in logarithms
  double width = 1;          // of intervals, in logarithms, times this
  std::size_t checks = 0;    // points that both rest on
  std::map<std::size_t, Reach> reaches = {};  // by parameter; of one without any the width is that of all
};

struct Range {
  double value = 0, low = 0, high = 0;
};

struct Predicted {
  std::vector<double> point;  // as asked
  double value = 0, low = 0, high = 0;
  double distance = 0;        // doublings beyond the data
  bool unidentified = false;  // a parameter has a value of which the data say nothing
  bool cut = false;           // a number lay outside of what is computed with, and is that range's end (base/number_range.h)
  std::optional<Range> largest = {};  // of any rank, where the value is a mean over ranks: what a run waits for
};

/// One formula of the mixture.
struct Formula {
  std::string text;
  double weight = 0;  // of the mixture
};

/// From `from` on, a parameter's growth is another than before.
struct Break {
  std::string parameter;
  double last_before = 0, first_after = 0;  // the break lies between these two values
  double slope_before = 0, slope_after = 0; // exponents of power laws on both sides
  double p_value = 1;
  bool followed = false;                    // predictions from `first_after` on rest on the points there alone
  std::size_t missing = 0;                  // values beyond the break that would be needed for that
};

struct KernelFit {
  std::string callpath, metric, unit;
  std::string largest_of = {};           // the metric of which this is the largest of any rank; empty: of none
  std::string largest = {};              // the metric that is the largest of any rank of this one
  std::string expression;                // of the measurements' parameters
  Origin tier = Origin::unknown;         // exact, ambiguous, fitted, constant; unknown: nothing to fit
  std::string count;                     // the metric that a factored fit divides by; else empty
  /// Root mean square of relative errors of predicting each parameter's largest points from the rest; nothing where fewer than
  /// four values of every parameter are known.
  std::optional<double> validation_error;
  double relative_noise = 0;             // of a point around the formulas
  double run_error = 0;                  // of one repetition, relative; 0: nothing was repeated
  double worst_repetition = 1;           // the largest repetition over its point's mean
  std::vector<Formula> formulas;         // with some weight, the largest first
  std::vector<Predicted> predictions;    // as asked
  std::optional<Break> regime;           // a change of growth within the data
  std::vector<std::string> warnings;
};

struct Fits {
  std::vector<std::string> parameters;
  std::vector<KernelFit> kernels;        // in the order of the measurements
  std::vector<std::string> warnings;     // of all kernels together
  double level = 0.9;
};

/// Fails where rows and columns disagree or an asked point is negative or not finite. A kernel that cannot be fitted says why.
Result<KernelFit> fit_kernel(const Kernel& kernel, const std::vector<std::string>& parameters, const Options& options,
                             const Calibration& calibration = {});

/// All kernels, with what kernels of one metric have in common.
Result<Fits> fit_all(const Measurements& measurements, const Options& options);

}  // namespace parcast::fit
