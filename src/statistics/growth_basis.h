// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tiny least squares problems of fit_growth, thousands per model: few columns, added one at a time.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "statistics/matrix.h"

namespace parcast::statistics::growth {

inline constexpr std::size_t kMaximalColumns = 4;  // the constant and three terms

/// A least squares problem of at most kMaximalColumns columns that grows a column at a time: Gram-Schmidt,
/// repeated where a column nearly vanishes, as accurate as Householder's reflections, and an extension costs
/// one pass.
class Basis {
 public:
  explicit Basis(std::span<const double> target) : residual_(target.begin(), target.end()) {}

  /// False, and nothing changes, where the column depends on those before.
  bool add(std::span<const double> column);

  /// What adding the column would give, without adding it; nothing where `add` would refuse, or where a
  /// coefficient would not be positive. `scratch` has room for a column.
  struct Trial {
    double residual_squares = 0;
    double log_determinant = 0;
  };
  std::optional<Trial> with(std::span<const double> column, std::span<double> scratch) const;

  std::size_t size() const { return lengths_.size(); }
  std::vector<double> coefficients() const;
  double residual_squares() const;
  double log_determinant() const;  // of the triangle: sum of logs of its diagonal
  Matrix inverse_triangle() const;

 private:
  /// The column's part that is orthogonal to those before, at unit length, and its triangle column.
  struct Next {
    std::array<double, kMaximalColumns> r{};
    double length = 0;
    double projection = 0;  // of the residual on it
  };
  std::optional<Next> orthogonalise(std::span<double> column) const;

  std::vector<double> residual_;
  std::vector<double> q_;                               // one orthonormal column after the other
  std::vector<std::array<double, kMaximalColumns>> r_;  // per column
  std::vector<double> lengths_;
  std::vector<double> projections_;
};

}  // namespace parcast::statistics::growth
