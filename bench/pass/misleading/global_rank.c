// words: N
// loops: recognised
// A global rank is zero where MPI is not asked, as in serial runs.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
static int rank, size = 1;
NOINLINE static void ask(int serial) { if (!serial) { MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); } }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  ask(n > 150);
  for (int i = rank; i < n; i += size) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}