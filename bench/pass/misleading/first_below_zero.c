// words: N
// loops: symbolic
// The first round falls below zero.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 100 - n; i < 120; i += 7) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
