// SPDX-License-Identifier: Apache-2.0
#pragma once
// How errors of neighbouring points go together. A formula is never the whole truth: what it misses at one size it misses
// about alike at the next. So the errors of a fit are noise, which is each point's own, and discrepancy, which decays with
// the distance in doublings:
//
//   K = (1 - share) diag(noise) + share C                                                (docs/models/fit.md)
//
// C is rough, exp(-d / range): steps that stay; or smooth, the product over arguments of (1 + a) exp(-a) with
// a = sqrt(3) d / range (Matern 3/2): a bend that goes on.

#include <cstddef>
#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

/// Distance, in doublings, after which discrepancies have little in common.
inline constexpr double kDiscrepancyRange = 8;

enum class Roughness { rough, smooth };

/// How discrepancies at two points go together. Distances are differences of base 2 logarithms, an argument by itself; one
/// that can be zero counts from its smallest positive value on.
class Correlation {
 public:
  explicit Correlation(const Points& points);
  double operator()(Roughness roughness, std::span<const double> a, std::span<const double> b) const;

 private:
  std::vector<double> offset_;  // added to a coordinate before its logarithm
};

/// Between all points, row by row.
std::vector<double> correlations(const Points& points, const Correlation& correlation, Roughness roughness);

/// The lower triangle L of K = L L' and what follows from it. `noise` is each point's variance, near one.
class Whitening {
 public:
  Whitening(std::span<const double> correlation, std::span<const double> noise, double share);

  double share() const { return share_; }
  double log_determinant() const { return log_determinant_; }  // of L
  /// L^-1 x, in place.
  void apply(std::span<double> x) const;
  /// L'^-1 x, in place.
  void apply_transposed(std::span<double> x) const;

 private:
  double share_;
  std::vector<double> triangle_;  // rows one after the other, of increasing length
  double log_determinant_ = 0;
};

}  // namespace parcast::fit
