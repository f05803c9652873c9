// SPDX-License-Identifier: Apache-2.0
// Loops whose rounds are known in advance, and others. run with: 1; 2; 13; 100
#include <stdio.h>
#include <stdlib.h>

static double a[200][200];

int triangular(int n) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) s += (a[i][j] > 0.5);
  return s;
}

double strided(double* x, int n, int k) {
  double s = 0;
  for (int i = 0; i < n; i += k) s += x[i];
  return s;
}

double downward(double* x, long n) {
  double s = 0;
  for (long i = n; i-- > 3;) s = s * 0.5 + x[i];
  return s;
}

int geometric(int n) {
  int c = 0;
  for (int i = 1; i < n; i *= 2) ++c;
  return c;
}

double guarded(double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0.3) s += x[i] * 2;
  return s;
}

double searched(double* x, int n, double limit) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    if (s > limit) return s;
  }
  return -s;
}

void cubes(int n, long* total) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = j; k < n; k += 3) *total += k ^ j;
}

unsigned char wraps(unsigned char from, int rounds) {
  unsigned char steps = 0;
  for (unsigned char i = from; i != 3; i += 5)
    if (++steps == rounds) break;
  return steps;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i][j] = (double)rand() / RAND_MAX;
  long total = 0;
  cubes(n, &total);
  printf("%d %g %g %d %g %g %ld %d\n", triangular(n), strided(a[0], n, 3), downward(a[1], n), geometric(n), guarded(a[2], n),
         searched(a[3], n, n / 3.0), total, wraps((unsigned char)n, 200));
  if (n == 13) exit(3);
  return 0;
}
