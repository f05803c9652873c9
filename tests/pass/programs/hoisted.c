// SPDX-License-Identifier: Apache-2.0
// run with: 0 3; 7 0; 7 3; 7 20
// Inner loops whose total rounds are known before the outer loop; not if some of its rounds skip them.
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void always(double* x, int n, int m) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k) x[k] += x[k + 1] * i;
}

__attribute__((noinline)) static void in_odd_ones(double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (i % 2)
      for (int k = 0; k < 10; ++k) x[k] += x[k + 1] * i;
}

__attribute__((noinline)) static void up_to_a_limit(double* x, int n, int m) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 10; ++k) x[k] += x[k + 1] * i;
    if (i == m) break;
    for (int k = 0; k < 11; ++k) x[k] += x[k + 2];
  }
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int n = atoi(words[1]), m = atoi(words[2]);
  double x[32];
  for (int i = 0; i < 32; ++i) x[i] = i;
  always(x, n, m);
  in_odd_ones(x, n);
  up_to_a_limit(x, n, m);
  printf("%g\n", x[0]);
  return 0;
}
