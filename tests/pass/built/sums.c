// SPDX-License-Identifier: Apache-2.0
// Compiled twice with different names and steps: the body is executed ceil(n / STEP) times.
#include "sums.h"

long NAME(const unsigned char* bits, long n) {
  long s = 0;
  for (long i = 0; i < n; i += STEP)
    if (bits[i]) s += i;
  return s;
}
