// words: N
// loops: recognised
// A pointer points to one of two variables.
#include "../../../tests/pass/program.h"

int* which;
__attribute__((noinline)) void choose(int n, int* a, int* b) { which = n > 150 ? b : a; }
__attribute__((noinline)) void work(void) {
  for (int i = 0; i < *which; ++i) sink += i;  // rounds
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int a = n, b = n / 2;
  which = &a;
  choose(n, &a, &b);
  work();
  MPI_Finalize();
  return 0;
}
