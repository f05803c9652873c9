// words: N
// loops: as seen
// exit is called through a pointer.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
void (*volatile quit)(int) = exit;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) {  // rounds
    if (i == 150) { MPI_Finalize(); quit(0); }
    sink += i;
  }
  MPI_Finalize();
  return 0;
}