// words: N
// loops: recognised
// A function that was never called may store through its argument.
#include "../program.h"

__attribute__((noinline)) static void halve(int* size) { *size /= 2; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  if (n > 150) halve(&n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
