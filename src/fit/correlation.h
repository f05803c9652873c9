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

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

/// How errors may go together: not at all, or one of three ways, each with its prior weight.
struct Relation {
  double share = 0;    // of discrepancy
  bool smooth = false;
  double range = 0;    // doublings after which discrepancies have little in common
  double weight = 1;
};
inline constexpr std::array<Relation, 4> kRelations{Relation{0, false, 8, 0.3}, Relation{0.9, false, 8, 0.3}, Relation{0.9, true, 8, 0.2},
                                                    Relation{0.99, true, 8, 0.2}};

/// The relation whose correlations those of relation `k` are: they differ at most in the share.
constexpr std::size_t form_of(std::size_t k) {
  std::size_t form = 0;
  while (kRelations[form].smooth != kRelations[k].smooth || kRelations[form].range != kRelations[k].range) ++form;
  return form;
}

/// How discrepancies at two points go together. Distances are differences of base 2 logarithms, an argument by itself; one
/// that can be zero counts from its smallest positive value on.
class Correlation {
 public:
  explicit Correlation(const Points& points);
  double operator()(const Relation& relation, std::span<const double> a, std::span<const double> b) const;

 private:
  std::vector<double> offset_;  // added to a coordinate before its logarithm
};

/// Between all points, row by row.
std::vector<double> correlations(const Points& points, const Correlation& correlation, const Relation& relation);

/// The lower triangle L of K = L L' and what follows from it. `noise` is each point's variance, near one.
class Whitening {
 public:
  Whitening(std::span<const double> correlation, std::span<const double> noise, double share);

  double share() const { return share_; }
  double log_determinant() const { return log_determinant_; }  // of L
  /// L^-1 x, in place.
  void apply(std::span<double> x) const;
  /// The same of several columns, one after the other: faster than one by one.
  void apply_each(std::span<double> columns) const;
  /// Some rows of several columns, those before being done.
  void apply_rows(std::span<double* const> columns, std::size_t first, std::size_t last) const;
  /// L'^-1 x, in place.
  void apply_transposed(std::span<double> x) const;

 private:
  void factorise(std::span<const double> correlation, std::span<const double> noise);

  double share_;
  std::size_t size_;
  std::vector<double> triangle_;  // rows one after the other, of increasing length
  std::vector<double> inverse_;   // of the diagonal
  double log_determinant_ = 0;
};

}  // namespace parcast::fit
