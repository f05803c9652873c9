// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small least squares problems for fit_growth, thousands per model: few columns, added one at a time.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/matrix.h"

namespace parcast::statistics::growth {

inline constexpr std::size_t kMaximalColumns = 4;  // the constant and three terms

/// A least squares problem of at most kMaximalColumns columns that grows by one column at a time. It uses
/// Gram-Schmidt, repeated where a column nearly vanishes. This is as accurate as Householder reflections, and
/// an extension costs one pass.
class Basis {
 public:
  explicit Basis(std::span<const double> target) : residual_(target.begin(), target.end()) {
    q_.reserve(kMaximalColumns * target.size());
  }

  /// Adds a column. Returns false, and changes nothing, if the column depends on the previous ones.
  bool add(std::span<const double> column);

  /// Computes the result of adding the column without adding it. Returns nothing if `add` would refuse it or
  /// if a coefficient would not be positive. `scratch` must have room for a column.
  struct Trial {
    double residual_squares = 0;
    double log_determinant = 0;
  };
  std::optional<Trial> with(std::span<const double> column, std::span<double> scratch) const;

  std::size_t size() const { return size_; }
  /// The orthonormal columns, and what they leave of the target.
  std::span<const double> unit(std::size_t k) const {
    return {q_.data() + k * residual_.size(), residual_.size()};
  }
  std::span<const double> residual() const { return residual_; }
  /// By column; entries from size() on are 0.
  using Columns = std::array<double, kMaximalColumns>;
  Columns coefficients() const;
  double residual_squares() const;
  double log_determinant() const;  // of the triangle: sum of the logarithms of its diagonal
  Matrix inverse_triangle() const;

 private:
  /// The part of the column orthogonal to the previous ones, at unit length, and its column of the triangle.
  struct Next {
    Columns r{};
    double length = 0;
    double projection = 0;  // of the residual onto it
  };
  std::optional<Next> orthogonalise(std::span<double> column) const;

  std::vector<double> residual_;
  std::vector<double> q_;  // the orthonormal columns, one after another
  std::size_t size_ = 0;
  std::array<Columns, kMaximalColumns> r_{};  // per column
  Columns lengths_{}, logs_{};                // of the columns, and their logarithms
  Columns projections_{};
};

}  // namespace parcast::statistics::growth
