/* SPDX-License-Identifier: Apache-2.0
 * Every rank streams through its own arrays, larger than the caches, and computes in registers between
 * blocks:
 *
 *     streams ELEMENTS ROUNDS WORK
 *
 * With WORK 0 memory limits the speed all the time, with more work less of it. All ranks synchronise after
 * each round. Rank 0 prints "seconds S": the time from MPI_Init's return to MPI_Finalize's entry on the
 * slowest rank. "rounds S" is the time of the rounds alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBlock = 512 };
static volatile double sink;

static void go_through(double* a, const double* b, const double* c, long elements, long work) {
  double w = 1, x = 2, y = 3, z = 4;
  for (long from = 0; from + kBlock <= elements; from += kBlock) {
    for (long i = from; i < from + kBlock; ++i) a[i] = b[i] + 0.5 * c[i];
    for (long k = 0; k < work; ++k) w = 0.999 * w + 1e-3, x = 0.999 * x + 1e-3, y = 0.999 * y + 1e-3, z = 0.999 * z + 1e-3;
  }
  sink = w + x + y + z + a[elements / 2];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begin = MPI_Wtime();
  if (argc != 4) return fprintf(stderr, "usage: streams ELEMENTS ROUNDS WORK\n"), MPI_Abort(MPI_COMM_WORLD, 2), 2;
  const long elements = atol(argv[1]), rounds = atol(argv[2]), work = atol(argv[3]);
  double *a = malloc(8 * elements), *b = malloc(8 * elements), *c = malloc(8 * elements);
  for (long i = 0; i < elements; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  go_through(a, b, c, elements, work);
  MPI_Barrier(MPI_COMM_WORLD);
  const double first = MPI_Wtime();
  for (long round = 0; round < rounds; ++round) {
    go_through(a, b, c, elements, work);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double own[2] = {MPI_Wtime() - begin, MPI_Wtime() - first}, all[2];
  MPI_Reduce(own, all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("seconds %.9f\nrounds %.9f\n", all[0], all[1]);
  free(a), free(b), free(c);
  MPI_Finalize();
  return 0;
}
