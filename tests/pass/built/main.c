// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "sums.h"

int main(void) {
  static unsigned char bits[1000];
  for (int i = 0; i < 1000; ++i) bits[i] = i % 7 == 2;
  const long all = every(bits, 1000) + every(bits, 500);
  printf("%ld %ld\n", all, third(bits, 1000));
  return 5;
}
