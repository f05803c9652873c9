// SPDX-License-Identifier: Apache-2.0
// Processes share n rows, and the threads of each process share its rows: evenly; in pairs with all rows;
// four at a time, dynamically. Every thread executes one of the loops in full. Each ELEMENT defines a
// function whose executions are counted.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ELEMENT(name) \
  static __attribute__((noinline)) void name(double* x) { __asm__ volatile("" : : "r"(x)); }
ELEMENT(evenly)
ELEMENT(pairs)
ELEMENT(as_they_come)
ELEMENT(every_thread)

int main(int count, char** words) {
  if (count < 3) return 1;
  const int n = atoi(words[1]), steps = atoi(words[2]);
  int p, r, given;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  const int rows = (n - r + p - 1) / p;
  double* x = calloc((size_t)rows + 1, sizeof(double));
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int i = 0; i < rows; ++i) evenly(x + i);
#pragma omp for schedule(static)
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < n; ++k) pairs(x + i);
      for (int i = 0; i < rows; ++i) every_thread(x + i);
    }
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < rows; ++i) as_they_come(x + i);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(x);
  if (r == 0) printf("done\n");
  return MPI_Finalize();
}
