// SPDX-License-Identifier: Apache-2.0
// Each rank adds its part of the first n numbers; the sum is n (n - 1) / 2.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long n = argc > 1 ? atol(argv[1]) : 100;
  double s = 0, all = 0;
  for (long i = rank; i < n; i += size) s += i;
  MPI_Reduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.17g\n", all);
  MPI_Finalize();
  return 0;
}
