// words: N
// loops: symbolic
// A call ends the process with success: the equation of the rounds holds, if the loop is reached.
#include "../program.h"

__attribute__((noinline)) static void check(int n) {
  if (n > 150) {
    MPI_Finalize();
    exit(0);
  }
  sink = n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  check(n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
