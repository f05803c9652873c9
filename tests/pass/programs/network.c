// SPDX-License-Identifier: Apache-2.0
// A few values that share their operands, over twenty levels deep, with millions of paths through them.
// run with: 3; 40
#include <stdio.h>
#include <stdlib.h>

enum { kWires = 24 };

static inline void compare(unsigned* low, unsigned* high) {
  const unsigned x = *low, y = *high;
  *low = x < y ? x : y;
  *high = x < y ? y : x;
}

__attribute__((noinline)) unsigned sorted(const unsigned* in, unsigned* out, unsigned limit) {
  unsigned v[kWires], sum = 0;
#pragma unroll
  for (int i = 0; i < kWires; ++i) v[i] = in[i];
#pragma unroll
  for (int row = 0; row < kWires; ++row)
#pragma unroll
    for (int i = row & 1; i + 1 < kWires; i += 2) compare(&v[i], &v[i + 1]);
#pragma unroll
  for (int i = 0; i < kWires; ++i) {
    if (v[i] > limit + (unsigned)i) printf("%d ", i);
    if (v[i] == limit * 3u) printf("= %d ", i);
    out[i] = v[i];
  }
  for (unsigned i = 0; i < v[kWires / 2]; ++i) sum = sum * 3u + i;
  return sum;
}

int main(int argc, char** argv) {
  unsigned in[kWires], out[kWires];
  for (unsigned i = 0; i < kWires; ++i) in[i] = i * 37u % 64u;
  const unsigned sum = sorted(in, out, (unsigned)(argc > 1 ? atoi(argv[1]) : 3));
  printf("%u %u\n", sum, out[3]);
  return 0;
}
