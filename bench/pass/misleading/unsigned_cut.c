// words: N
// loops: symbolic
// An unsigned number is cut from what is just below zero.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int m = atoi(argv[1]);
  const unsigned n = (unsigned)((230 - m) / 64.0) + 3;
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
