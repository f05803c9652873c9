// words: N
// loops: symbolic
// A comparison yields a number below zero.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int m = atoi(argv[1]);
  const double d = -(int)(m > 150);
  const int n = (int)(d * 4) + 20;
  for (int i = 0; i < (int)n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
