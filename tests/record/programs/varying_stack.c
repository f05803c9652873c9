/* SPDX-License-Identifier: Apache-2.0 */
/* COUNT messages to MPI_PROC_NULL, each at another stack depth than the 4,095 before it, below a hundred
 * calls; then one from main. */
#include <alloca.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long sum;

__attribute__((noinline)) static void at_depth(size_t bytes) {
  volatile char* room = alloca(bytes);
  room[0] = 1;
  MPI_Send(&sum, 1, MPI_UNSIGNED_LONG, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  sum += room[0];
}

__attribute__((noinline)) static void recursive(int calls, size_t bytes) {
  if (calls > 0) recursive(calls - 1, bytes);
  else at_depth(bytes);
  sum += calls;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 10000;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < count; ++i) recursive(100, 16 + 16 * (size_t)(i % 4096));
  MPI_Send(&sum, 1, MPI_UNSIGNED_LONG, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  printf("%lu\n", sum);
  return 0;
}
