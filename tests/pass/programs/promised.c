// SPDX-License-Identifier: Apache-2.0
// A function of another file, declared so that calls may be merged or moved. It counts, so they are not.
// run with: 3; 20
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned rounds(int n) {
  unsigned sum = 1;
  for (int i = 0; i < n; ++i) sum = sum * 3u + (unsigned)i;
  return sum;
}
__attribute__((noinline)) unsigned half(short n, unsigned a, unsigned b) { return (unsigned)n / 2u + a * b; }
__asm__(".globl promised\n.set promised, rounds\n.globl other\n.set other, half\n");  // the same, which the compiler does not see
__attribute__((const)) unsigned promised(int n);
unsigned other(short n, unsigned a, unsigned b);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 0;
  unsigned sum = 0;
  const int last = (-2 / (n + 1)) / (n + 3);
  for (short i = (short)(n + 7); i >= last; i -= 2) {
    sum = sum * 17u + other((short)((n > 6 ? n : 6) + (n / 5)), (unsigned)(2 / (n + 1)), (unsigned)(1 + (n >> 2)));
    sum = sum * 17u + promised(n + 2);
  }
  for (int i = 0; i < n; ++i) sum += (i & 1 ? promised(n) : promised(n + i));
  int k = 0;
  do sum = sum * 5u + promised(n / 2);
  while (++k < n);
  printf("%u\n", sum);
  return 0;
}
