// words: N
// loops: as seen
// A table of ways to end.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
static void go_on(int code) { sink += code; }
static void (*const kWays[])(int) = {go_on, exit};
NOINLINE static void step(int i) { if (i == 150) MPI_Finalize(); kWays[i >= 150](0); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}