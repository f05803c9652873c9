// words: N
// loops: symbolic
// A number slightly below zero is truncated to an unsigned number.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int m = atoi(argv[1]);
  const unsigned n = (unsigned)((230 - m) / 64.0) + 3;
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
