// words: N
// loops: symbolic
// A floating-point number below zero is truncated towards zero.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const int m = (int)((100 - n) * 0.5) + 90;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
