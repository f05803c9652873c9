// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of terms and a power law, each under every relation of errors: one small least squares problem after the other, of which
// only coefficients and weight are kept. What a mixture needs besides is made for the few that stay, and what turns out to weigh
// next to nothing is left halfway.

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
  std::size_t sum = kPowerLaw;              // which sum of terms
  std::size_t relation = 0;
  std::size_t parameters = 0;
  std::array<double, kMostTerms> coefficients{};  // of the terms; of a power law the logarithm of its coefficient, and exponents
  double log_determinant = 0, cost = 0;
  double squares = 0;                       // of whitened residuals
  double weight = 0;                        // first the logarithm of the evidence; normalised 1 in all
  std::size_t residuals = 0;                // where the whitened ones of cells are kept
};

/// Logarithms of weights become weights that sum to one, the largest first; what could not matter goes. The logarithm of the sum is
/// returned.
double normalise(std::vector<Weighed>& hypotheses);

class Weighing {
 public:
  /// Everything given is only looked at, and outlives this.
  Weighing(const Values& values, const PointSet& set, const ShapesOn& on, std::span<const Sum> sums, const Prior& prior);

  /// Rows are relative to these from now on; nothing weighed before may be asked for.
  void relative_to(std::span<const double> expected);
  /// Sums of terms, and power laws where they are wanted, under each relation that has a whitening. What weighs less than normalise would
  /// keep may be missing.
  std::vector<Weighed> weigh(std::span<const std::shared_ptr<const Whitening>> whitenings, bool power_laws);

  /// The hypothesis's value on each point.
  void values_of(const Weighed& weighed, std::span<double> values) const { values_of(weighed, 0, rows_, values); }
  /// All that a mixture needs of a hypothesis that was weighed.
  Mixture::Part part(const Weighed& weighed, const Whitening& whitening, Detail detail);

 private:
  void whiten_members(std::size_t relation, const Whitening& whitening);
  std::span<const double> whitened(std::size_t relation, std::size_t term) const;
  void sums_of_terms(std::size_t relation, const Whitening& whitening, std::span<const std::size_t> which, std::vector<Weighed>& out);
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
  bool sampled_;  // the shapes have rows of some points only
  std::span<const Sum> sums_;
  std::vector<std::size_t> order_;           // of sums, so that those that begin alike follow each other
  std::size_t rows_;
  statistics::GrowthOptions options_;
  statistics::growth::Evidence evidence_;
  std::vector<std::size_t> member_;          // per term: its place among those that sums have, or none
  std::vector<double> shape_;                // of each member on the points, one after the other
  std::vector<double> relative_, scale_;     // the same relative to the expected values at unit root mean square
  std::vector<double> ratio_;                // values / expected
  std::array<std::vector<double>, kRelations.size()> columns_, target_;  // whitened
  std::vector<double> logs_, work_;
  std::vector<double> residuals_;            // whitened, of cells, of each hypothesis that may matter
  std::vector<double> trials_;               // whitened, of the hypotheses that are being weighed
  double least_ = 0;                         // weight below which a hypothesis does not matter
  std::span<const std::size_t> varied_;      // arguments of the power law; empty: there is none
  double middle_ = 0;                        // of the logarithms of values
  Orthogonal basis_;
};

}  // namespace parcast::fit
