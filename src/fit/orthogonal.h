// SPDX-License-Identifier: Apache-2.0
#pragma once
// A least squares problem of at most kMostTerms columns, built a column at a time: Gram-Schmidt, repeated if
// a column nearly vanishes. Its memory is reused for the thousands of problems of a fit.

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "fit/dot.h"
#include "fit/search.h"
#include "statistics/matrix.h"

namespace parcast::fit {

class Orthogonal {
 public:
  void begin(std::span<const double> target);
  /// Adds a column. Returns false, and changes nothing, if at most `dependent` of the column's squared length
  /// is independent of the columns before.
  bool add(std::span<const double> column, double dependent = 1e-12);
  /// Drops all but the first columns, as if the others had never been added.
  void keep(std::size_t columns) { size_ = columns; }

  std::size_t size() const { return size_; }
  std::array<double, kMostTerms> coefficients() const;
  std::span<const double> residual() const { return std::span(residuals_).subspan(size_ * rows_, rows_); }
  double residual_squares() const { return dot(residual().data(), residual().data(), rows_); }
  double log_determinant() const { return log_determinants_[size_]; }  // of the triangle
  double triangle(std::size_t row, std::size_t column) const { return triangle_[column][row]; }
  std::span<const double> unit(std::size_t column) const {
    return std::span(unit_).subspan(column * rows_, rows_);
  }
  double projection(std::size_t column) const { return projection_[column]; }
  statistics::Matrix inverse_triangle() const;

 private:
  std::size_t size_ = 0, rows_ = 0;
  std::array<double, kMostTerms + 1> log_determinants_{};  // by number of columns
  std::vector<double> residuals_;  // the target's residuals by number of columns, one after the other
  std::vector<double> unit_;       // orthonormal columns, one after the other
  std::array<std::array<double, kMostTerms>, kMostTerms> triangle_{};  // [column][row]
  std::array<double, kMostTerms> projection_{};
};

}  // namespace parcast::fit
