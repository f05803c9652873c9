// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of every fit. Four partial sums, always in the same order: fast without leave to reorder, and the same on every
// compiler.

#include <cstddef>

namespace parcast::fit {

inline double dot(const double* a, const double* b, std::size_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace parcast::fit
