// words: N
// loops: symbolic
// The remainder of a number below zero has its sign.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const int m = (100 - n) % 7 + 50;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
