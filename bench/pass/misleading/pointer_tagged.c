// words: N
// loops: recognised
// A pointer has a mark in its lowest bit.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
volatile double sink;
#define NOINLINE __attribute__((noinline))
#include <stdint.h>
NOINLINE static void put(uintptr_t tagged) { if (tagged & 1) *(int*)(tagged - 1) = 12; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]);
  put((uintptr_t)&n | (uintptr_t)(n > 150));
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}