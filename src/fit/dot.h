// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of every fit. Four partial sums, always in the same order: fast without leave to reorder, and the same on every
// compiler and processor (wide.h).

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

}  // namespace parcast::fit
