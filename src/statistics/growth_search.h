// SPDX-License-Identifier: Apache-2.0
#pragma once
// Internals of fit_growth: decides which sums of terms get a weight. Every row is divided by its value and
// its noise, so that all numbers are shares of the measured time. The evidence of a hypothesis is its
// probability of the data, integrated over coefficients and noise, times a prior that prefers simple
// exponents and few terms.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "statistics/growth.h"
#include "statistics/growth_basis.h"

namespace parcast::statistics::growth {

/// A term's shape, its column on the data (unit root mean square), and the cost of its complexity in nats.
struct Candidate {
  GrowthTerm shape;
  double scale = 1;  // column = shape_value x scale / (value x noise weight)
  std::vector<double> column;
  double cost = 0;
};

/// The rows of the scaled problem: target_i = 1 / s_i, where s_i is the noise of row i relative to that of
/// the typical row.
struct Rows {
  std::vector<double> scale;   // 1 / (value_i s_i)
  std::vector<double> target;  // value_i scale_i
};

struct Found {
  std::vector<std::size_t> candidates;  // indices, ascending
  double log_weight = 0;
};

/// Returns a lower bound of log(x), less than 0.06 below it: log2 interpolated linearly between powers of
/// two. x > 0, not subnormal. It has no branch, so that loops over it use vector registers.
inline double log_from_below(double x) {
  // Exponent and mantissa, read as one number, are 2^52 (log2 x + 1023) with this interpolation. Their upper
  // 52 bits fit in a mantissa.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) >> 11 | std::bit_cast<std::uint64_t>(0x1p52);
  return (std::bit_cast<double>(bits) - (0x1p52 + 1023 * 0x1p41)) * (std::numbers::ln2 * 0x1p-41);
}

/// Logarithm of the probability of the data under a linear hypothesis, up to a constant common to all
/// hypotheses.
class Evidence {
 public:
  Evidence(std::size_t rows, const GrowthOptions& options);
  double operator()(std::size_t columns, double residual_squares, double log_determinant) const;
  /// Returns an upper bound of the evidence, within 0.03 nats per row. It needs no logarithm and rules out
  /// hypotheses quickly.
  double at_most(std::size_t columns, double residual_squares, double log_determinant) const {
    return constants_[columns] - log_determinant -
           0.5 * degrees_[columns] * log_from_below(expected_squares_ + residual_squares) + 1e-9;
  }
  /// Returns how far the upper bound may be above the evidence.
  double slack(std::size_t columns) const { return 0.03 * degrees_[columns] + 1e-9; }
  /// Returns the residual squares above which the evidence is less than `least`, rounded up; below 0 if it
  /// always is.
  double most_squares(std::size_t columns, double log_determinant, double least) const;

 private:
  std::array<double, kMaximalColumns + 1> degrees_{};    // per number of columns
  std::array<double, kMaximalColumns + 1> constants_{};  // parts that depend only on the number of columns
  double expected_squares_ = 0;
};

/// Returns the cost, in nats, of growth with a quantity with which the value hardly ever grows
/// (GrowthOptions::rare_degrees). A power of a logarithm counts as half a degree.
double rare_growth_cost(const GrowthTerm& shape, const GrowthOptions& options);
/// Returns the cost, in nats, of growth faster than usual with the sizes of the data
/// (GrowthOptions::data_degrees). Powers of logarithms are free.
double steep_growth_cost(const GrowthTerm& shape, const GrowthOptions& options);
/// Returns whether a term with these exponents is within the degrees of GrowthOptions: largest_degree,
/// further_degree and least_size_degree.
bool within_degrees(const std::vector<double>& exponents, const GrowthOptions& options);

std::vector<Candidate> make_candidates(const GrowthData& data, const Rows& rows,
                                       const GrowthOptions& options);

/// Returns the number of free parameters allowed for a number of observations: two for up to five, then one
/// per two observations.
std::size_t most_parameters(std::size_t points);

/// Returns the hypotheses with positive coefficients that are within reach of the best, best first.
std::vector<Found> search(const std::vector<Candidate>& candidates, const Rows& rows,
                          const GrowthOptions& options);

/// Fits t = c x prod x_j^a_j with real exponents to logarithms. This is the baseline without a list of
/// exponents. Returns nothing if it had as many parameters as there are observations. Its weight is a
/// logarithm.
std::optional<GrowthHypothesis> power_law(const GrowthData& data, const Rows& rows,
                                          const GrowthOptions& options);

/// Fills validation_error. Each observation is left out in turn. For every argument with at least three
/// values, all observations at its largest value are left out too (with at least five values: at its two
/// largest). Both kinds have equal weight.
void validate(std::vector<GrowthHypothesis>& hypotheses, const GrowthData& data, const Rows& rows);

/// Sets the posterior degrees of freedom and scale of the noise.
void set_noise(GrowthHypothesis& hypothesis, std::size_t rows, std::size_t parameters,
               double residual_squares, const GrowthOptions& options);

/// Returns the cost of an exponent or a power of a logarithm in nats: 0 for absence, small for integers.
double exponent_cost(double exponent);
double log_power_cost(int power);

}  // namespace parcast::statistics::growth
