// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of every fit. It has four partial sums, always in the same order. So it is fast without
// reordering by the compiler, and gives the same result on every compiler and processor (wide.h).

#include <cstddef>
#include <cstring>

namespace parcast::fit {

inline double dot(const double* a, const double* b, std::size_t n) {
  using Four = double __attribute__((vector_size(32)));
  Four sums{}, x, y;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    std::memcpy(&x, a + i, sizeof x);
    std::memcpy(&y, b + i, sizeof y);
    sums += x * y;
  }
  double first = sums[0];
  for (; i < n; ++i) first += a[i] * b[i];
  return (first + sums[1]) + (sums[2] + sums[3]);
}

/// Returns the products of one vector with four, with the same results as dot(); the one vector is loaded
/// once.
inline void dots(const double* a, const double* const* b, std::size_t n, double* out) {
  using Four = double __attribute__((vector_size(32)));
  Four sums[4] = {}, x, y;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    std::memcpy(&x, a + i, sizeof x);
    for (int k = 0; k < 4; ++k) {
      std::memcpy(&y, b[k] + i, sizeof y);
      sums[k] += x * y;
    }
  }
  for (int k = 0; k < 4; ++k) {
    double first = sums[k][0];
    for (std::size_t rest = i; rest < n; ++rest) first += a[rest] * b[k][rest];
    out[k] = (first + sums[k][1]) + (sums[k][2] + sums[k][3]);
  }
}

}  // namespace parcast::fit
