// SPDX-License-Identifier: Apache-2.0
// e* = sum over i = 1 .. n of the product over j = 1 .. m of 1 + exp(-|i - j|), in the host-node model. Rank
// 0 is the host, which computes no terms; the other ranks are the nodes. The host broadcasts the limits m and
// n. The terms of the sum are distributed cyclically over the nodes. The nodes add up their parts, and node
// zero sends the sum to the host. All of this is repeated. (M. Parashar, S. Hariri, T. Haupt, G. C. Fox: An
// Interpretive Framework for Application Performance Prediction, ICPADS 1993, section 3.)
//
//   mpirun -n 5 estar 2000 500 20             a host and four nodes; n = 2000, m = 500, 20 times
//
// Prints the value and the host's time in seconds.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "parcast/parcast.h"

struct limits {
  long n, m;
};

static double product(long i, long m) {
  double value = 1;
  for (long j = 1; j <= m; ++j) value *= 1 + exp(-(double)labs(i - j));
  return value;
}

static double host(const struct limits* limits) {
  struct limits given = *limits;
  double value;
  MPI_Bcast(&given, sizeof given, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

static void node(MPI_Comm nodes) {
  struct limits limits;
  double mine = 0, value;
  int place, count;
  MPI_Comm_rank(nodes, &place);
  MPI_Comm_size(nodes, &count);
  MPI_Bcast(&limits, sizeof limits, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (long i = 1 + place; i <= limits.n; i += count) mine += product(i, limits.m);
  MPI_Allreduce(&mine, &value, 1, MPI_DOUBLE, MPI_SUM, nodes);
  if (place == 0) MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

static long whole_number(const char* text) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  return *text && !*end && value > 0 && value <= 1000000000 ? value : 0;
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Comm nodes;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long n = argc == 4 ? whole_number(argv[1]) : 0, m = argc == 4 ? whole_number(argv[2]) : 0, times = argc == 4 ? whole_number(argv[3]) : 0;
  if (n == 0 || m == 0 || times == 0 || size < 2) {
    if (rank == 0) fprintf(stderr, "usage: estar N M TIMES   (all >= 1; on 2 processes or more: a host and nodes)\n");
    MPI_Finalize();
    return 2;
  }
  parcast_parameter("n", (double)n);
  parcast_parameter("m", (double)m);
  parcast_parameter("times", (double)times);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &nodes);
  const struct limits limits = {n, m};
  const double start = MPI_Wtime();
  double value = 0;
  for (long time = 0; time < times; ++time) {
    if (rank == 0)
      value = host(&limits);
    else
      node(nodes);
  }
  if (rank == 0) printf("n %ld m %ld times %ld nodes %d\nvalue %.12e\nseconds %.6f\n", n, m, times, size - 1, value, MPI_Wtime() - start);
  MPI_Comm_free(&nodes);
  MPI_Finalize();
  return 0;
}
