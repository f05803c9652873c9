// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "counting.h"
#include "sums.h"

int main() {
  double x[300];
  unsigned char bits[300];
  for (int i = 0; i < 300; ++i) x[i] = i * 7 % 300, bits[i] = i % 2;
  std::printf("%g %g %ld\n", largest(x, 300), there(x, 200), every(bits, 300));
}
