// words: N
// loops: symbolic
// Bounds of an inner loop fall below zero in its later rounds.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i)
    for (int j = (n - i) % 5 - 2; j < (120 - i) / 9; ++j) sink += j;  // rounds
  MPI_Finalize();
  return 0;
}
