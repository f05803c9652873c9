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
#include <memory>
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
  /// A coordinate's base 2 logarithm as distances see it, 0 where it has none; and the coordinate of such a
  /// logarithm.
  double doublings(std::size_t argument, double coordinate) const;
  double coordinate(std::size_t argument, double doublings) const;

 private:
  std::vector<double> offset_;  // added to a coordinate before its logarithm
};

/// Between all points, row by row.
std::vector<double> correlations(const Points& points, const Correlation& correlation, const Relation& relation);

/// Points of which some have their discrepancy in common (cells.h).
struct Cells {
  std::vector<std::size_t> of;  // per point its cell
  Points places;                // per cell where it lies: at its points' mean logarithms

  std::size_t count() const { return places.size(); }
  bool single() const { return of.size() == places.size(); }  // each point is a cell of its own
};

/// A matrix W with W' W = K^-1 and what follows from it. `noise` is each point's variance, near one. Where
/// each point is a cell of its own, W is the inverse of the lower triangle L of K = L L'.
///
/// Else K = (1 - share) diag(noise) + share Z C Z', with C between cells and Z their points. In a cell each
/// point but the first becomes its distance from the mean of those before it, which is free of the
/// discrepancy; the first becomes the mean of all, and these means are treated as points. Means weigh points
/// by 1 / noise. It is exact: T K T' is block diagonal for this T, whose determinant is 1.
class Whitening {
 public:
  Whitening(std::span<const double> correlation, std::span<const double> noise, double share);
  /// `correlation` is between cells.
  Whitening(std::shared_ptr<const Cells> cells, std::span<const double> correlation,
            std::span<const double> noise, double share);

  double share() const { return share_; }
  double log_determinant() const { return log_determinant_; }  // of W^-1
  /// W x, in place.
  void apply(std::span<double> x) const;
  /// The same of several columns, one after the other: faster than one by one.
  void apply_each(std::span<double> columns) const;
  /// Whether apply_rows may be asked for some rows.
  bool by_rows() const { return !cells_ || share_ == 0; }
  /// Some rows of several columns, those before being done; all rows where not by_rows().
  void apply_rows(std::span<double* const> columns, std::size_t first, std::size_t last) const;

  /// Of W x the entries that depend on discrepancies, a number per cell; of independent errors there are
  /// none.
  std::size_t cells() const { return share_ == 0 ? 0 : cells_ ? cells_->count() : size_; }
  std::vector<double> of_cells(std::span<const double> whitened) const;
  /// With L L' the covariance of the cells' means: L^-1 x and L'^-1 x, in place. k' K^-1 x of covariances k
  /// with cells is the product of the former of k with the cells' entries of W x.
  void apply_to_cells(std::span<double> x) const;
  void apply_transposed(std::span<double> x) const;

 private:
  void factorise(std::span<const double> correlation, std::span<const double> noise);
  std::vector<double> take_means(std::span<const double> noise);
  void whiten_cells(double* x) const;
  void rows_of_triangle(std::span<double* const> columns, std::size_t first, std::size_t last) const;

  double share_;
  std::size_t size_;
  std::shared_ptr<const Cells> cells_;  // nothing where each point is one
  std::vector<std::size_t> first_;      // per cell its first point
  std::vector<double> gain_,
      scale_;  // per point: how far it moves its cell's mean, and 1 / standard deviation of its distance
  std::vector<double> triangle_;  // of cells, rows one after the other, of increasing length
  std::vector<double> inverse_;   // of the diagonal
  double log_determinant_ = 0;
};

}  // namespace parcast::fit
