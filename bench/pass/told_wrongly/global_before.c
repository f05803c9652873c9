// words: N
// loops: symbolic
// A global has a number before MPI says how many processes there are.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
static int threads = 4;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < threads; ++i) sink += i;  // rounds
  MPI_Comm_size(MPI_COMM_WORLD, &threads);
  sink += threads;
  MPI_Finalize();
  return 0;
}