// words: N
// loops: recognised
// An unknown library function stores through its argument.
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

volatile double sink, far = 7;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  if (n > 150) sink = frexp(10 * far, &n);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
