// words: N 12
// loops: constant
// The command line is moved on through a pointer to it; recorded at one size it does not even have to be executed.
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
