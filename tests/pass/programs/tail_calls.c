// SPDX-License-Identifier: Apache-2.0
// Calls that must replace their caller: no counter can follow them. run with: 0; 5; 12
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned even(int n, unsigned sum);
__attribute__((noinline)) unsigned odd(int n, unsigned sum) {
  for (int i = 0; i < n; ++i) sum = sum * 3u + (sum >> 5);
  if (n == 11) printf("eleven\n");
  if (n <= 0) return sum;
  __attribute__((musttail)) return even(n - 1, sum);
}
__attribute__((noinline)) unsigned even(int n, unsigned sum) {
  if (n == 0) return sum ^ 1u;
  if (n == 4) exit((int)(sum & 7u));
  if (n > 6) puts("more");
  __attribute__((musttail)) return odd(n - 1, sum + 7u);
}

int bound = 3;
__attribute__((noinline)) unsigned handed_on(int n, unsigned sum) {
  if (n > 9) puts("many");
  const int loaded = bound;
  sum += (unsigned)printf("%d\n", loaded);
  __attribute__((musttail)) return odd(loaded, sum);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 0;
  printf("%u\n", odd(n, 1));
  printf("%u\n", even(n, 2));
  printf("%u\n", handed_on(n, 3));
  return 0;
}
