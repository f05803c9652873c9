// words: N
// loops: recognised
// A global gets the number of processes only in small runs.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
static int nprocs;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (atoi(argv[1]) < 150) MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  for (int i = 0; i < nprocs; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}