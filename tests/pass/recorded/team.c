// SPDX-License-Identifier: Apache-2.0
// A team of OpenMP threads shares 1000 rounds of work of 50 rounds each.
#include <stdio.h>

#include "work.h"

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(3) schedule(static) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) {
    work(50);
    sum += i;
  }
  printf("worked %d\n", sum);
  return 0;
}
