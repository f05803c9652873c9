// words: N
// loops: recognised
// An unsigned product wraps.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned m = (unsigned)n * n * n * n * 4u >> 24;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
