/* SPDX-License-Identifier: Apache-2.0 */
/* Calls MPI at a steady rate. Each iteration starts a receive and a send, waits for both, and makes a
 * reduction, with WORK steps of arithmetic before each of the four calls. Prints the seconds from MPI_Init's
 * return to MPI_Finalize's entry on the slowest rank, and the calls per second of a rank. Used by
 * corrected.py.
 *
 *   corrected ITERATIONS WORK */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCalls = 4, kDoubles = 128 };
static double value = 1;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(long steps) {
  double x = value;
  for (long i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  value = x;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double began = now();
  const long iterations = argc > 1 ? atol(argv[1]) : 1000, work = argc > 2 ? atol(argv[2]) : 1000;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  static double sent[kDoubles], received[kDoubles];
  for (long i = 0; i < iterations; ++i) {
    MPI_Request requests[2];
    compute(work);
    MPI_Irecv(received, kDoubles, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
    compute(work);
    MPI_Isend(sent, kDoubles, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    compute(work);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    compute(work);
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  double own = now() - began, slowest;
  MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f %.0f\n", slowest, kCalls * (double)iterations / slowest);
  MPI_Finalize();
  return 0;
}
