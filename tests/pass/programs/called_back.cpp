// SPDX-License-Identifier: Apache-2.0
// A C library function that calls back, and never returns. run with: 0; 1; 2; 3
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
static int way, calls;
static std::jmp_buf place;
static int compare(const void* left, const void* right) {
  if (++calls == 40) {
    if (way == 1) throw 5;
    if (way == 2) std::longjmp(place, 1);
    if (way == 3) std::exit(4);
  }
  return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}
__attribute__((noinline)) int sort_some(int* x, int times) {
  int sum = 0;
  for (int i = 0; i < times; ++i) {
    std::qsort(x, 8, sizeof *x, compare);
    for (int k = 0; k < 8; ++k) sum = sum * 3 + (x[k] ^= i);
  }
  return sum;
}
int main(int argc, char** argv) {
  way = argc > 1 ? std::atoi(argv[1]) : 0;
  int x[8] = {3, 1, 4, 1, 5, 9, 2, 6}, sum = -1;
  if (setjmp(place) == 0) {
    try {
      sum = sort_some(x, 7);
    } catch (int thrown) {
      sum = thrown;
    }
  }
  std::printf("%d %d\n", sum, calls);
}
