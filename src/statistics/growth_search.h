// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of fit_growth: which sums of terms are worth a weight. Every row is divided by its value and its
// noise, so that all numbers are shares of the measured time; a hypothesis's evidence is its probability of
// the data, integrated over coefficients and noise, times a prior that prefers simple exponents and few
// terms.

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

/// A term's shape, its column on the data (unit root mean square), and what its complexity costs, in nats.
struct Candidate {
  GrowthTerm shape;
  double scale = 1;  // column = shape_value x scale / (value x noise weight)
  std::vector<double> column;
  double cost = 0;
};

/// The rows of the scaled problem: target_i = 1 / s_i, where s_i is row i's relative noise against the
/// typical row's.
struct Rows {
  std::vector<double> scale;   // 1 / (value_i s_i)
  std::vector<double> target;  // value_i scale_i
};

struct Found {
  std::vector<std::size_t> candidates;  // indices, ascending
  double log_weight = 0;
};

/// At most log(x), by less than 0.06: log2 in straight lines between powers of two. x > 0, not subnormal. Without a branch, so that
/// loops over it run in vector registers.
inline double log_from_below(double x) {
  // Exponent and mantissa, read as one number, are 2^52 (log2 x + 1023) with such lines; the upper 52 bits of them fit a mantissa.
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) >> 11 | std::bit_cast<std::uint64_t>(0x1p52);
  return (std::bit_cast<double>(bits) - (0x1p52 + 1023 * 0x1p41)) * (std::numbers::ln2 * 0x1p-41);
}

/// log of the probability of the data under a linear hypothesis, up to a constant that all hypotheses share.
class Evidence {
 public:
  Evidence(std::size_t rows, const GrowthOptions& options);
  double operator()(std::size_t columns, double residual_squares, double log_determinant) const;
  /// What it is at most, within 0.03 nats per row: without a logarithm, to leave out what cannot matter.
  double at_most(std::size_t columns, double residual_squares, double log_determinant) const {
    return constants_[columns] - log_determinant - 0.5 * degrees_[columns] * log_from_below(expected_squares_ + residual_squares) + 1e-9;
  }
  /// How far above the evidence that is at most.
  double slack(std::size_t columns) const { return 0.03 * degrees_[columns] + 1e-9; }
  /// Residual squares beyond which it is less than `least`, rounded up; below 0: it always is.
  double most_squares(std::size_t columns, double log_determinant, double least) const;

 private:
  std::array<double, kMaximalColumns + 1> degrees_{};    // per number of columns
  std::array<double, kMaximalColumns + 1> constants_{};  // what depends on that number alone
  double expected_squares_ = 0;
};

/// Whether a term with these exponents stays within GrowthOptions::largest_degree and least_size_degree.
bool within_degrees(const std::vector<double>& exponents, const GrowthOptions& options);

std::vector<Candidate> make_candidates(const GrowthData& data, const Rows& rows,
                                       const GrowthOptions& options);

/// How many free parameters so many observations may decide on: two up to five of them, then one for every
/// two.
std::size_t most_parameters(std::size_t points);

/// Hypotheses with positive coefficients, best first, those within reach of the best.
std::vector<Found> search(const std::vector<Candidate>& candidates, const Rows& rows,
                          const GrowthOptions& options);

/// t = c x prod x_j^a_j with real exponents, fitted to logarithms: the baseline that knows no list of
/// exponents. Nothing where it would have as many parameters as there are observations. Its weight is the
/// logarithm.
std::optional<GrowthHypothesis> power_law(const GrowthData& data, const Rows& rows,
                                          const GrowthOptions& options);

/// Fills validation_error: each observation left out in turn, and for every argument of at least three values
/// all observations at its largest value (of at least five: at its two largest). Both kinds count alike.
void validate(std::vector<GrowthHypothesis>& hypotheses, const GrowthData& data, const Rows& rows);

/// Degrees of freedom and scale of the noise, after the data.
void set_noise(GrowthHypothesis& hypothesis, std::size_t rows, std::size_t parameters,
               double residual_squares, const GrowthOptions& options);

/// The cost of an exponent or a power of a logarithm, in nats: 0 for absence, little for whole numbers.
double exponent_cost(double exponent);
double log_power_cost(int power);

}  // namespace parcast::statistics::growth
