// words: N
// loops: recognised
// One of two addresses is passed on.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

volatile double sink, far = 7;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 5;
  int* which = far > 3 ? &n : &m;
  if (n > 150) sink = frexp(10 * far, which);
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
