// words: N 12
// loops: constant
// A pointer advances the command line; with recordings of one size the code need not even be executed.
#include "../program.h"

__attribute__((noinline)) static void strip(int* argc, char*** argv) { ++*argv; --*argc; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 2) strip(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
