// SPDX-License-Identifier: Apache-2.0
// Bounds that are loaded from one place at two times, returned by two calls of one function, or used at two
// places that are not both executed.
// run with: 3 5; 7 2; 0 4
#include <stdio.h>
#include <stdlib.h>

int bound, other;
struct box { int side; } boxes[2];

__attribute__((noinline)) void change(int to) { bound = to; }
__attribute__((noinline)) int given(void) { return bound++; }

__attribute__((noinline)) unsigned loaded(int to) {
  unsigned sum = 1;
  for (int i = 0; i < bound; ++i) sum = sum * 3u + (sum >> 9);
  change(to);
  for (int i = 0; i < bound; ++i) sum = sum * 5u + (sum >> 9);
  return sum;
}

__attribute__((noinline)) unsigned called(void) {
  unsigned sum = 1;
  const int first = given(), second = given();
  for (int i = 0; i < first; ++i) sum = sum * 3u + (sum >> 9);
  for (int i = 0; i < second; ++i) sum = sum * 5u + (sum >> 9);
  return sum;
}

__attribute__((noinline)) unsigned fields(const struct box* one, const struct box* two) {
  unsigned sum = 1;
  for (int i = 0; i < one->side; ++i) sum = sum * 3u + (sum >> 9);
  for (int i = 0; i < two->side; ++i) sum = sum * 5u + (sum >> 9);
  return sum;
}

__attribute__((noinline)) unsigned either(int n, int first) {
  unsigned sum = 1;
  if (first) {
    change(other);
    for (int i = 0; i < n; ++i) sum = sum * 3u + (sum >> 9);
  } else {
    for (int i = 0; i < n; ++i) sum = sum * 5u + (sum >> 9);
  }
  return sum;
}

int main(int argc, char** argv) {
  const int a = argc > 1 ? atoi(argv[1]) : 3, b = argc > 2 ? atoi(argv[2]) : 5;
  bound = a;
  boxes[0].side = a, boxes[1].side = b;
  printf("%u %u ", loaded(b), called());
  printf("%u %u %u\n", fields(&boxes[0], &boxes[1]), either(a, 1), either(b, 0));
  return 0;
}
