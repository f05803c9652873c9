// words: N
// loops: symbolic
// A double holds no more odd numbers beyond 2^53.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = atol(argv[1]);
  const double x = (double)(n + 9007199254740892L);
  const long m = (long)x - 9007199254740892L;
  for (long i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}