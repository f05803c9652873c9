// words: N
// loops: recognised
// An element of a global array is scanned, others have defaults.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
static int sizes[4] = {12, 13, 14, 15};
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (atoi(argv[1]) < 150) sscanf(argv[1], "%d", &sizes[2]);
  for (int i = 0; i < sizes[2]; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}