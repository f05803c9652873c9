// SPDX-License-Identifier: Apache-2.0
// A loop inside a cycle with two entries, inside a loop. run with: 0 3; 1 4; 2 5; 3 0
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned circle(int at, int n, int times) {
  unsigned sum = 1;
  int o = 0;
  do {
    int turns = 0, i = 0;
    if (at & 1) goto second;
  first:
    i = 0;
    do {
      sum = sum * 5u + (sum >> 7);
    } while (++i < n);
    if (turns >= 3) continue;
  second:
    ++turns;
    sum ^= (unsigned)turns << 3;
    goto first;
  } while (++o < times);
  return sum;
}

int main(int argc, char** argv) {
  const int at = argc > 1 ? atoi(argv[1]) : 0, n = argc > 2 ? atoi(argv[2]) : 3;
  printf("%u %u\n", circle(at, n + 1, 4), circle(at >> 1, 2, n));
  return 0;
}
