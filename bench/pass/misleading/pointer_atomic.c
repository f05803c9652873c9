// words: N
// loops: recognised
// An atomic pointer leads to the size.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
#include <stdatomic.h>
static _Atomic(int*) shared;
NOINLINE static void put(int v) { *atomic_load(&shared) = v; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  atomic_store(&shared, &n);
  if (n > 150) put(12);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}