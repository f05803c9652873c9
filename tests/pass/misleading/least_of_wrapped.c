// words: N
// loops: symbolic
// An unsigned number wraps before the minimum is taken.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned k = 100u - (unsigned)n, m = k < 50 ? k : 50;
  for (int i = 0; i < (int)m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
