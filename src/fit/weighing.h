// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of terms and a power law, each under every relation of errors: one small least squares problem after the other, of which
// only coefficients and weight are kept. What a mixture needs besides is made for the few that stay.

#include <array>
#include <span>
#include <vector>

#include "fit/mixture.h"
#include "fit/orthogonal.h"
#include "statistics/growth_search.h"

namespace parcast::fit {

/// A hypothesis under one relation of errors.
struct Weighed {
  static constexpr std::size_t kPowerLaw = static_cast<std::size_t>(-1);
  std::size_t sum = kPowerLaw;              // which sum of terms
  std::size_t relation = 0;
  std::size_t parameters = 0;
  std::array<double, kMostTerms> coefficients{};  // of the terms; of a power law the logarithm of its coefficient, and exponents
  double log_determinant = 0, cost = 0;
  double squares = 0;                       // of whitened residuals
  double weight = 0;                        // first the logarithm of the evidence; normalised 1 in all
};

/// Logarithms of weights become weights that sum to one, the largest first; what could not matter goes. The logarithm of the sum is
/// returned.
double normalise(std::vector<Weighed>& hypotheses);

class Weighing {
 public:
  /// Rows are relative to `expected`. Everything given is only looked at, and outlives this.
  Weighing(const Observed& observed, const PointSet& set, const Shapes& shapes, std::span<const Sum> sums, const Prior& prior,
           std::span<const double> expected);

  void sums_of_terms(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out);
  void power_law(std::size_t relation, const Whitening& whitening, std::vector<Weighed>& out);

  /// The hypothesis's value on each point.
  void values_of(const Weighed& weighed, std::span<double> values) const;
  /// All that a mixture needs of a hypothesis that was weighed.
  Mixture::Part part(const Weighed& weighed, const Whitening& whitening);

 private:
  void whiten_members(std::size_t relation, const Whitening& whitening);
  std::span<const double> whitened(std::size_t relation, std::size_t term) const;
  bool begin_power_law(const Whitening& whitening);
  bool logarithms_of(const Weighed& weighed, std::vector<double>& out) const;
  void finish(std::span<Weighed> some, const Whitening& whitening, std::vector<double>& logarithms) const;

  const Observed& observed_;
  const PointSet& set_;
  const Shapes& shapes_;
  std::span<const Sum> sums_;
  std::span<const double> expected_;
  std::size_t rows_;
  statistics::GrowthOptions options_;
  statistics::growth::Evidence evidence_;
  std::vector<std::size_t> member_;          // per term: its place among those that sums have, or none
  std::vector<double> raw_, scale_;          // columns of members relative to the expected values at unit root mean square
  std::array<std::vector<double>, kRelations.size()> columns_, target_;  // the same whitened
  std::vector<double> logs_, work_, column_;
  std::vector<std::size_t> varied_;          // arguments of the power law; empty: there is none
  double middle_ = 0;                        // of the logarithms of values
  Orthogonal basis_;
};

}  // namespace parcast::fit
