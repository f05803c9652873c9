// SPDX-License-Identifier: Apache-2.0
#pragma once
// Describes how a positive time grows with its arguments: sums of a few products of powers and logarithms
// with nonnegative coefficients, assessed by their extrapolation. The model is never a single formula. All
// hypotheses that the data cannot rule out keep a weight, and a prediction's interval covers them.
// docs/models/growth.md has the equations.
//
//   t(n, p) = 1.8e-06 + 2.31e-11 n^2 p^-1     weight 0.83, validation error 2.1 %
//   t(n, p) = 8.9e-12 n^2 p^-1 log2(n)        weight 0.09, validation error 2.8 %

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "statistics/matrix.h"

namespace parcast::statistics {

/// Observations of one quantity. Arguments are >= 0. Derived arguments, such as local extents, are further
/// columns.
struct GrowthData {
  std::vector<std::string> arguments;
  std::vector<std::vector<double>> points;  // a row per observation, a column per argument
  std::vector<double> values;               // > 0
  std::vector<double> relative_errors;      // standard error of each value / value; may be empty
};

/// coefficient x product over arguments of x^exponent log2(x)^log_power. If all entries are 0, the term is a
/// constant.
struct GrowthTerm {
  double coefficient = 0;
  std::vector<double> exponents;
  std::vector<int> log_powers;
};

struct GrowthHypothesis {
  std::vector<GrowthTerm> terms;
  double weight = 0;
  /// Root mean square relative error of predictions of left-out points: each point in turn, and the largest
  /// points.
  double validation_error = 0;
  /// The exponents of the single term are fitted too (a power law). The parameters are then those of its
  /// logarithm.
  bool fitted_exponents = false;
  /// The covariance of the parameters is (relative noise)^2 factor factor', with one row per parameter.
  Matrix factor;
  double relative_noise = 0;
  double degrees_of_freedom = 0;
};

/// The range of one argument in the observations.
struct ArgumentRange {
  double lowest = 0;
  double highest = 0;
  std::size_t distinct = 0;  // 1: the effect of this argument is unknown
  bool given = false;        // its effect is known otherwise: the value grows in proportion
};

struct GrowthPrediction {
  double value = 0;  // median over the hypotheses
  double low = 0;
  double high = 0;
  double distance = 0;  // doublings beyond the observations: root of the sum of squares over the arguments
  bool unidentified = false;  // an argument differs from its only observed value
};

struct GrowthModel {
  std::vector<std::string> arguments;
  /// Weights sum to 1. The first hypothesis is the most typical one. Among those with some weight it is the
  /// one closest to the median of all at four times the largest arguments. The others follow by weight.
  std::vector<GrowthHypothesis> hypotheses;
  /// Natural logarithm of the evidence for these arguments over all hypotheses. It compares fits of the same
  /// values against different arguments.
  double log_evidence = 0;
  double residual_relative_error = 0;  // mean over the hypotheses, by weight
  /// Relative standard deviation per doubling beyond the data, for effects that no hypothesis contains.
  double relative_error_per_doubling = 0;
  std::vector<ArgumentRange> ranges;

  /// Returns the value of the first hypothesis, whose formula is shown to the user.
  double predict(std::span<const double> point) const;
  /// Returns the expected value with its interval, over all hypotheses.
  GrowthPrediction predict(std::span<const double> point, double level) const;
};

struct GrowthOptions {
  /// Exponents to try per argument; those of a power law lie between them. If the list or an entry is empty,
  /// the default for the number of observations is used.
  std::vector<std::vector<double>> exponents;
  /// Degree of each argument in its underlying quantities, and the largest degree of a term without negative
  /// exponents. An argument that is itself a square is not combined with another cube, nor a square with a
  /// cube. Empty: no limit.
  std::vector<double> degrees;
  double largest_degree = 3;
  /// Degree of a term's second steepest size that largest_degree does not limit: with 1, n^3 x steps is
  /// allowed.
  double further_degree = 0;
  /// Degree of each argument in problem sizes, and the least degree of a term over all exponents. A term that
  /// falls faster than the inverse of a size is no growth, and it is unbounded below the observed sizes.
  /// Empty: no limit.
  std::vector<double> size_degrees;
  double least_size_degree = -1;
  /// Degree of each argument in a quantity with which the value hardly ever grows, such as the number of
  /// processes, and the nats that a term costs for each such degree above 0 or below the least. Empty: none.
  std::vector<double> rare_degrees;
  double nats_per_rare_degree = 0;
  double least_rare_degree = -INFINITY;
  /// Degree of each argument in sizes of the data, the degree that a term may have at no cost (of several
  /// arguments the largest counts), and the nats for each degree beyond. Empty: none.
  std::vector<double> data_degrees, usual_degrees;
  double nats_per_steep_degree = 0;
  /// Largest power of log2 per argument; empty: 1 for up to 12 observations, otherwise 2.
  std::vector<int> largest_log_power;
  std::size_t maximal_terms = 3;  // in addition to the constant; fewer for few observations
  bool constant_allowed = true;
  /// The relative noise expected before the data, and its weight as a number of observations.
  double expected_relative_noise = 0.015;
  double expected_noise_weight = 0.5;
  /// See GrowthModel::relative_error_per_doubling.
  double relative_error_per_doubling = 0.003;
  /// Evidence that the fit has to reach to be of use. A fit whose first search stays far below it ends there,
  /// without hypotheses and with the evidence of that search.
  double least_log_evidence = -INFINITY;
};

/// Fails without observations, if sizes disagree, if a value is not positive, or if an argument is negative.
Result<GrowthModel> fit_growth(const GrowthData& data, const GrowthOptions& options = {});

/// Returns a model without arguments as one in `argument`. The value is known to grow in proportion to the
/// argument, which was `at` (> 0) in all observations.
GrowthModel in_proportion(GrowthModel constant, std::string argument, double at,
                          double relative_error_per_doubling);

/// Observations whose scale is uncertain, such as runs with more processes than cores.
struct RoughGroup {
  std::vector<std::vector<double>> points;  // as in GrowthData
  std::vector<double> values;               // > 0
};
/// Relative errors of rough observations: one that a group shares, and one of each value.
struct RoughErrors {
  double shared = 0;
  double own = 0;
};

/// Weighs the hypotheses again by rough observations and adds to log_evidence what these show. The errors
/// have Student's distribution with 4 degrees of freedom, so that no group overrules many good observations.
/// The coefficients stay. Without hypotheses or groups nothing changes.
void weigh_by_rough(GrowthModel& model, std::span<const RoughGroup> groups, RoughErrors errors);

/// Returns the model with all its values multiplied by a factor (> 0). Relative errors stay.
GrowthModel scaled(GrowthModel model, double factor);

/// Returns the term's value without its coefficient.
double shape_value(const GrowthTerm& term, std::span<const double> point);
double evaluate(const GrowthHypothesis& hypothesis, std::span<const double> point);

/// Returns a text like "1.8e-06 + 2.31e-11 n^2 p^-1".
std::string to_string(const GrowthHypothesis& hypothesis, std::span<const std::string> arguments);

}  // namespace parcast::statistics
