// words: N
// loops: symbolic
// An unsigned first round wraps.
#include <mpi.h>
#include <stdlib.h>

volatile double sink;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const unsigned k = 100u - (unsigned)n;
  for (unsigned i = k; i < 120u; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
