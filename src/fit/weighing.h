// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fits and weighs sums of terms and a power law under every relation of errors. Each is a small least squares
// problem, of which only coefficients and weight are kept. The further data of a mixture is computed only for
// the few that remain. Hypotheses with negligible weight are abandoned early.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "fit/mixture.h"
#include "fit/orthogonal.h"
#include "statistics/growth_search.h"

namespace parcast::fit {

/// A hypothesis under one relation of errors.
struct Weighed {
  static constexpr std::size_t kPowerLaw = static_cast<std::size_t>(-1);
  std::size_t sum = kPowerLaw;  // index of the sum of terms
  std::size_t relation = 0;
  std::size_t parameters = 0;
  // of the terms; for a power law the logarithm of its coefficient, and exponents
  std::array<double, kMostTerms> coefficients{};
  double log_determinant = 0, cost = 0;
  double squares = 0;         // of whitened residuals
  double weight = 0;          // first the logarithm of the evidence; after normalise() the sum is 1
  std::size_t residuals = 0;  // index of the whitened residuals of cells
};

/// Returns the prior with the noise of repetitions added.
statistics::GrowthOptions options_of(std::span<const double> relative_errors, const Prior& prior);

/// The largest number of hypotheses with a weight: in general, and of processes crossed with sizes, whose
/// many kinds of messages are alike.
inline constexpr std::size_t kMostSums = 32, kMostSumsCrossed = 96;

/// Converts logarithms of weights to weights that sum to one, the largest first, and drops negligible ones
/// and all but the first `most`. Returns the logarithm of the sum.
double normalise(std::vector<Weighed>& hypotheses, std::size_t most = kMostSums);

class Weighing {
 public:
  /// Keeps references to all arguments, which must outlive this.
  Weighing(const Values& values, const PointSet& set, const ShapesOn& on, std::span<const Sum> sums,
           const Prior& prior);

  /// Makes rows relative to these values; hypotheses weighed before become invalid.
  void relative_to(std::span<const double> expected);
  /// Weighs sums of terms, and power laws if requested, under each relation that has a whitening. Hypotheses
  /// that normalise() would drop may be missing.
  std::vector<Weighed> weigh(std::span<const std::shared_ptr<const Whitening>> whitenings, bool power_laws);

  /// Returns the hypothesis's value at each point.
  void values_of(const Weighed& weighed, std::span<double> values) const {
    values_of(weighed, 0, rows_, values);
  }
  /// Returns all that a mixture needs of a weighed hypothesis.
  Mixture::Part part(const Weighed& weighed, const Whitening& whitening, Detail detail);

 private:
  void whiten_members(std::size_t relation, const Whitening& whitening);
  std::span<const double> whitened(std::size_t relation, std::size_t term) const;
  void sums_of_terms(std::size_t relation, const Whitening& whitening, std::span<const std::size_t> which,
                     std::vector<Weighed>& out);
  void power_law(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out);
  bool begin_power_law(const Whitening& whitening);
  void values_of(const Weighed& weighed, std::size_t first, std::size_t last, std::span<double> values) const;
  bool logarithms_of(const Weighed& weighed, std::size_t first, std::size_t last, double* out) const;
  void finish(std::span<Weighed> some, const Whitening& whitening, std::vector<Weighed>& out);
  void add_sum(Mixture::Part& part, const Weighed& weighed, const Whitening& whitening, Detail detail);
  void add_power_law(Mixture::Part& part, const Weighed& weighed, const Whitening& whitening, Detail detail);

  const Values values_;
  const PointSet& set_;
  const Shapes& shapes_;
  bool sampled_;  // the shapes have rows of only some points
  std::span<const Sum> sums_;
  std::vector<std::size_t> order_;  // of sums, so that those with the same first terms are adjacent
  std::size_t rows_;
  statistics::GrowthOptions options_;
  statistics::growth::Evidence evidence_;
  std::vector<std::size_t> member_;       // per term: its index among those used by sums, or none
  std::vector<double> shape_;             // of each member at the points, one after the other
  std::vector<double> relative_, scale_;  // the same relative to the expected values at unit root mean square
  std::vector<double> ratio_;             // values / expected
  std::array<std::vector<double>, kRelations.size()> columns_, target_;  // whitened
  std::vector<double> logs_, work_;
  std::vector<double> residuals_;        // whitened, of cells, of each hypothesis that may matter
  std::vector<double> trials_;           // whitened, of the hypotheses being weighed
  double least_ = 0;                     // hypotheses with a smaller weight do not matter
  std::span<const std::size_t> varied_;  // arguments of the power law; empty: there is none
  double middle_ = 0;                    // of the logarithms of values
  Orthogonal basis_;
};

}  // namespace parcast::fit
