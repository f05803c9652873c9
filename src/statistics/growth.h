// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a positive time grows with its arguments: sums of few products of powers and logarithms with
// nonnegative coefficients, judged by how well they extrapolate. The answer is never one formula alone: all
// hypotheses that the data cannot rule out keep a weight, and a prediction's interval spans them.
// docs/models/growth.md has the equations.
//
//   t(n, p) = 1.8e-06 + 2.31e-11 n^2 p^-1     weight 0.83, validation error 2.1 %
//   t(n, p) = 8.9e-12 n^2 p^-1 log2(n)        weight 0.09, validation error 2.8 %

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "statistics/matrix.h"

namespace parcast::statistics {

/// Observations of one quantity. Arguments are >= 0 (derived ones, such as local extents, are further
/// columns).
struct GrowthData {
  std::vector<std::string> arguments;
  std::vector<std::vector<double>> points;  // a row per observation, a column per argument
  std::vector<double> values;               // > 0
  std::vector<double> relative_errors;      // standard error of each value / value; may be empty
};

/// coefficient x product over arguments of x^exponent log2(x)^log_power. No entry differs from 0: a constant.
struct GrowthTerm {
  double coefficient = 0;
  std::vector<double> exponents;
  std::vector<int> log_powers;
};

struct GrowthHypothesis {
  std::vector<GrowthTerm> terms;
  double weight = 0;
  /// Root mean square relative error of predicting points that were left out: each in turn, and the largest
  /// ones.
  double validation_error = 0;
  /// The exponents of the one term were fitted as well (a power law), so the parameters are its logarithm's.
  bool fitted_exponents = false;
  /// The parameters' covariance is (relative noise)^2 factor factor'; a row per parameter.
  Matrix factor;
  double relative_noise = 0;
  double degrees_of_freedom = 0;
};

/// What the observations cover of one argument.
struct ArgumentRange {
  double lowest = 0;
  double highest = 0;
  std::size_t distinct = 0;  // 1: nothing is known of this argument's effect
  bool given = false;        // but what it is, other than by the observations: the value grows in proportion
};

struct GrowthPrediction {
  double value = 0;  // the median over the hypotheses
  double low = 0;
  double high = 0;
  double distance = 0;        // doublings beyond the observations, root of the sum of squares over arguments
  bool unidentified = false;  // an argument differs from the only value that was observed of it
};

struct GrowthModel {
  std::vector<std::string> arguments;
  /// Weights sum to 1. First the most typical: of those with some weight the one that stays closest to the median of
  /// all at four times the largest arguments; then by weight.
  std::vector<GrowthHypothesis> hypotheses;
  /// Natural logarithm of the evidence for these arguments, all hypotheses together: compares fits of the same values
  /// against different arguments.
  double log_evidence = 0;
  double residual_relative_error = 0;        // of the hypotheses, by weight
  /// Relative standard deviation per doubling beyond the data that stands for what no hypothesis knows.
  double relative_error_per_doubling = 0;
  std::vector<ArgumentRange> ranges;

  /// The value of the best hypothesis: what the formula shown to people gives.
  double predict(std::span<const double> point) const;
  /// The expected value with its interval, over all hypotheses.
  GrowthPrediction predict(std::span<const double> point, double level) const;
};

struct GrowthOptions {
  /// Candidates per argument; empty, or an empty entry: the default list for the number of observations.
  std::vector<std::vector<double>> exponents;
  /// Degree of each argument in what lies behind it, and the largest degree of a term, negative exponents apart: an
  /// argument that is itself a square does not grow by another cube, nor a square times a cube. Empty: no limit.
  std::vector<double> degrees;
  double largest_degree = 3;
  /// Degree of each argument in sizes of the problem, and the least of a term, all exponents together: what falls faster than the inverse of a size is no
  /// growth, and without bound below the sizes seen. Empty: no limit.
  std::vector<double> size_degrees;
  double least_size_degree = -1;
  /// Largest power of log2 per argument; empty: 1 with up to 12 observations, else 2.
  std::vector<int> largest_log_power;
  std::size_t maximal_terms = 3;  // besides the constant; fewer with few observations
  bool constant_allowed = true;
  /// The relative noise expected before any data are seen, and how many observations that opinion weighs.
  double expected_relative_noise = 0.015;
  double expected_noise_weight = 0.5;
  /// See GrowthModel::relative_error_per_doubling.
  double relative_error_per_doubling = 0.003;
};

/// Fails without observations, on sizes that disagree, on a value that is not positive, on a negative
/// argument.
Result<GrowthModel> fit_growth(const GrowthData& data, const GrowthOptions& options = {});

/// A model without arguments, of a value that is known to grow in proportion to one that was `at` (> 0) in all of its
/// observations.
GrowthModel in_proportion(GrowthModel constant, std::string argument, double at, double relative_error_per_doubling);

/// The term's value without its coefficient.
double shape_value(const GrowthTerm& term, std::span<const double> point);
double evaluate(const GrowthHypothesis& hypothesis, std::span<const double> point);

/// "1.8e-06 + 2.31e-11 n^2 p^-1"
std::string to_string(const GrowthHypothesis& hypothesis, std::span<const std::string> arguments);

}  // namespace parcast::statistics
