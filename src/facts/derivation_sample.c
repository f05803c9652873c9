// SPDX-License-Identifier: Apache-2.0
// What derivation_test.cpp reads the facts of, as derivation_sample.facts:
//   OMPI_CC=clang-19 mpicc -O2 -g -fpass-plugin=parcast-pass.so -c derivation_sample.c && objcopy
//   --dump-section parcast_facts=derivation_sample.facts derivation_sample.o /dev/null
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
struct block {
  int first, rows;
};
static int steps;
__attribute__((noinline)) static void split(int n, int p, int r, struct block* b) {
  b->rows = n / p + (r < n % p);
  b->first = r * (n / p) + (r < n % p ? r : n % p);
}
__attribute__((noinline)) static double work(const double* x, const struct block* b, int n) {
  double s = 0;
  for (int t = 0; t < steps; ++t)
    for (int i = 0; i < b->rows; ++i)
      for (int j = i; j < n; ++j) s += x[j];
  return s;
}
int main(int argc, char** argv) {
  int p, r;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  if (argc < 3) {
    fprintf(stderr, "usage\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int n = atoi(argv[1]);
  steps = (int)strtol(argv[2], 0, 10);
  struct block b;
  split(n, p, r, &b);
  double* x = malloc(n * sizeof *x);
  for (int i = 0; i < n; ++i) x[i] = i;
  printf("%g\n", work(x, &b, n));
  free(x);
  MPI_Finalize();
  return 0;
}
