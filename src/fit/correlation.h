// SPDX-License-Identifier: Apache-2.0
#pragma once
// The correlation of errors of neighbouring points. A formula is an approximation: its error at one size is
// about the same as at the next. So the errors of a fit are noise, which is independent for each point, and
// discrepancy, whose correlation decays with the distance in doublings:
//
//   K = (1 - share) diag(noise) + share C                                                (docs/models/fit.md)
//
// C is rough, exp(-d / range): steps that stay. Or it is smooth, the product over arguments of (1 + a)
// exp(-a) with a = sqrt(3) d / range (Matern 3/2): a bend that continues.

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fit/shapes.h"

namespace parcast::fit {

/// A correlation of errors: none, or one of three kinds, each with its prior weight.
struct Relation {
  double share = 0;  // of discrepancy in the variance
  bool smooth = false;
  double range = 0;  // in doublings; beyond it discrepancies are hardly correlated
  double weight = 1;
};
inline constexpr std::array<Relation, 4> kRelations{Relation{0, false, 8, 0.3}, Relation{0.9, false, 8, 0.3},
                                                    Relation{0.9, true, 8, 0.2},
                                                    Relation{0.99, true, 8, 0.2}};

/// Returns the first relation with the same correlations as relation `k`: the two differ at most in the
/// share.
constexpr std::size_t form_of(std::size_t k) {
  std::size_t form = 0;
  while (kRelations[form].smooth != kRelations[k].smooth || kRelations[form].range != kRelations[k].range)
    ++form;
  return form;
}

/// The correlation of the discrepancies at two points. Distances are differences of base 2 logarithms,
/// separate for each argument. An argument that can be zero is offset by its smallest positive value.
class Correlation {
 public:
  explicit Correlation(const Points& points);
  double operator()(const Relation& relation, std::span<const double> a, std::span<const double> b) const;
  /// Returns the base 2 logarithm of a coordinate as used for distances, 0 if there is none; and the inverse.
  double doublings(std::size_t argument, double coordinate) const;
  double coordinate(std::size_t argument, double doublings) const;

 private:
  std::vector<double> offset_;  // added to a coordinate before its logarithm
};

/// Returns the correlations between all points, row by row.
std::vector<double> correlations(const Points& points, const Correlation& correlation,
                                 const Relation& relation);

/// Groups of points; the points of a group share their discrepancy (cells.h).
struct Cells {
  std::vector<std::size_t> of;  // the cell of each point
  Points places;                // the location of each cell: its points' mean logarithms

  std::size_t count() const { return places.size(); }
  bool single() const { return of.size() == places.size(); }  // each point is its own cell
};

/// A matrix W with W' W = K^-1, and quantities derived from it. `noise` is each point's variance, near one.
/// If each point is its own cell, W is the inverse of the lower triangle L of K = L L'.
///
/// Otherwise K = (1 - share) diag(noise) + share Z C Z', with C between cells and Z their points. In a cell,
/// each point but the first is replaced by its distance from the mean of those before it, which is free of
/// the discrepancy. The first is replaced by the mean of all, and these means are treated as points. Means
/// weight points by 1 / noise. This is exact: T K T' is block diagonal for this T, whose determinant is 1.
class Whitening {
 public:
  Whitening(std::span<const double> correlation, std::span<const double> noise, double share);
  /// `correlation` is between cells.
  Whitening(std::shared_ptr<const Cells> cells, std::span<const double> correlation,
            std::span<const double> noise, double share);

  double share() const { return share_; }
  double log_determinant() const { return log_determinant_; }  // of W^-1
  /// Replaces x by W x.
  void apply(std::span<double> x) const;
  /// Does the same for several columns, one after the other in memory: faster than one by one.
  void apply_each(std::span<double> columns) const;
  /// Returns whether apply_rows supports a part of the rows.
  bool by_rows() const { return !cells_ || share_ == 0; }
  /// Whitens some rows of several columns, after the rows before them; all rows unless by_rows().
  void apply_rows(std::span<double* const> columns, std::size_t first, std::size_t last) const;

  /// Returns the number of entries of W x that depend on discrepancies, and these entries: one per cell; none
  /// for independent errors.
  std::size_t cells() const { return share_ == 0 ? 0 : cells_ ? cells_->count() : size_; }
  std::vector<double> of_cells(std::span<const double> whitened) const;
  /// Replaces x by L^-1 x or L'^-1 x, where L L' is the covariance of the cells' means. For covariances k
  /// with cells, k' K^-1 x is the product of L^-1 k and the cells' entries of W x.
  void apply_to_cells(std::span<double> x) const;
  void apply_transposed(std::span<double> x) const;

 private:
  void factorise(std::span<const double> correlation, std::span<const double> noise);
  std::vector<double> take_means(std::span<const double> noise);
  void whiten_cells(double* x) const;
  void rows_of_triangle(std::span<double* const> columns, std::size_t first, std::size_t last) const;

  double share_;
  std::size_t size_;
  std::shared_ptr<const Cells> cells_;  // null if each point is its own cell
  std::vector<std::size_t> first_;      // the first point of each cell
  std::vector<double> gain_,
      scale_;  // for each point: its effect on its cell's mean, and 1 / standard deviation of its distance
  std::vector<double> triangle_;  // of cells, rows one after the other, of increasing length
  std::vector<double> inverse_;   // of the diagonal
  double log_determinant_ = 0;
};

}  // namespace parcast::fit
