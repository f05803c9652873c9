// words: N
// loops: as seen
// The kernel is asked to end the process.
#define _GNU_SOURCE
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
#include <sys/syscall.h>
#include <unistd.h>
NOINLINE static void step(int i) { if (i > 150) { MPI_Finalize(); syscall(SYS_exit_group, 0); } sink += i; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  for (int i = 0; i < n; ++i) step(i);  // rounds
  MPI_Finalize();
  return 0;
}