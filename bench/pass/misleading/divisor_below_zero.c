// words: N
// loops: symbolic
// The divisor falls below zero.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const int m = (n * 3) / (100 - n + 1000 * (n == 100)) + 90;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
