// SPDX-License-Identifier: Apache-2.0
// The last block calls a function that may not return: by an exception, a long jump or the process's end.
// run with: 0; 1; 2; 3; 4; 5; 40
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static std::jmp_buf back;
static int wanted, depth_seen;
using Last = int (*)(int);

__attribute__((noinline)) int last(int n) {
  if (n == 1 && wanted == 1) throw std::runtime_error("last");
  if (n == 2 && wanted == 2) std::longjmp(back, 3);
  if (n == 3 && wanted == 3) std::exit(7);
  if (n == 0 && wanted == 4) std::exit(9);
  return n * 3 + wanted;
}
volatile Last pointed = last;

// One block that calls and returns, alone or after others.
__attribute__((noinline)) int handed_on(int n) { return pointed(n); }
__attribute__((noinline)) int worked_on(int n) { return pointed(n) * 5 + 1; }
__attribute__((noinline)) int twice(int n) { return pointed(n) + pointed(n / 2); }
__attribute__((noinline)) int one_of_two(int n) {
  if (n % 2) return handed_on(n) - 1;
  return worked_on(n / 2);
}
__attribute__((noinline)) void behind_a_loop(int n, int* sums) {
  for (int i = 0; i < n; ++i) sums[i % 4] += i ^ n;
  if (sums[0] % 3 == 1) sums[1] += handed_on(n % 5);
  else sums[2] += sums[3];
  sums[3] += worked_on(n);
}
__attribute__((noinline)) int chosen(int n) {
  switch (n % 5) {
    case 0: return handed_on(n);
    case 1: return worked_on(n / 3);
    case 3: return one_of_two(n + 1);
    default: return n;
  }
}
__attribute__((noinline)) int recursive(int n) {
  ++depth_seen;
  if (n <= 0) return handed_on(n);
  return recursive(n - 1) + worked_on(n);
}

struct Guard {  // something is done when an exception passes
  int* where;
  ~Guard() { *where += 1; }
};
__attribute__((noinline)) int guarded(int n, int* passed) {
  const Guard guard{passed};
  return twice(n);
}

int main(int argc, char** argv) {
  wanted = argc > 1 ? std::atoi(argv[1]) : 0;
  volatile int passed = 0, rounds = 0;
  int sums[4] = {}, guarding = 0;
  for (int n = 12; n >= 0; --n) {
    if (setjmp(back) != 0) {
      passed = passed + 100;
      continue;
    }
    try {
      rounds = rounds + 1;
      sums[n % 4] += guarded(n, &guarding) + one_of_two(n) + chosen(n + wanted);
      behind_a_loop(n, sums);
      if (n < 5) sums[0] += recursive(n);
    } catch (const std::exception& error) {
      passed = passed + 1;
    }
  }
  std::printf("%d %d %d %d %d %d\n", static_cast<int>(passed), static_cast<int>(rounds), guarding, depth_seen, sums[0] ^ sums[1], sums[2] + sums[3]);
  return 0;
}
