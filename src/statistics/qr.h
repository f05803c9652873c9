// SPDX-License-Identifier: Apache-2.0
#pragma once
// The only file that uses the linear algebra library: Householder QR with column pivoting, a = q r with the
// columns of `a` in the order `permutation`. Pivots are chosen on columns of unit length, so the order does
// not depend on units. The columns themselves are scaled only by powers of two, which is exact.

#include <cstddef>
#include <span>
#include <vector>

#include "statistics/matrix.h"

namespace parcast::statistics {

struct PivotedQr {
  std::size_t rank = 0;
  std::vector<std::size_t> permutation;  // position -> column of a; the first `rank` span the column space
  std::vector<double> scale;             // per column of a: the factorised column is a's column times this
  Matrix q;                              // rows x rank, orthonormal columns
  Matrix r;              // rank x columns, upper trapezoidal, of the scaled and permuted columns
  double condition = 0;  // 2-norm, of the first `rank` columns at unit length; infinite when the rank is 0
};

/// A column counts as dependent if its remainder is below `tolerance` of the largest one (all at unit
/// length).
PivotedQr pivoted_qr(const Matrix& a, double tolerance);

/// The least squares solution of a x = b for the columns kept by the rank (0 for the others), refined with
/// residuals in extended precision (Bjorck 1967); `residual` is b - a x.
struct QrSolution {
  std::vector<double> x;
  std::vector<double> residual;
};
QrSolution solve(const PivotedQr& qr, const Matrix& a, std::span<const double> b);

}  // namespace parcast::statistics
