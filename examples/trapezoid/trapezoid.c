// SPDX-License-Identifier: Apache-2.0
// The integral of 4 / (1 + x^2) from 0 to 1 by the trapezoidal rule, in the host-node model. Rank 0 is the
// host, which integrates nothing; the other ranks are the nodes. The host broadcasts the limits and the
// number of intervals. The intervals are distributed cyclically over the nodes. The nodes add up their parts,
// and node zero sends the sum to the host. All of this is repeated. (M. Parashar, S. Hariri, T. Haupt, G. C.
// Fox: An Interpretive Framework for Application Performance Prediction, ICPADS 1993, section 3.)
//
//   mpirun -n 5 trapezoid 1000000 20          a host and four nodes; 1,000,000 intervals, 20 times
//
// Prints the value, which is pi up to 1 / (6 N^2), and the host's time in seconds.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "parcast/parcast.h"

struct task {
  double from, to;
  long intervals;
};

static double f(double x) { return 4 / (1 + x * x); }

/* Returns the part of node `node` of `nodes`: every `nodes`-th inner point; node zero also adds the ends. */
static double part(const struct task* task, int node, int nodes) {
  const double h = (task->to - task->from) / (double)task->intervals;
  double sum = node == 0 ? (f(task->from) + f(task->to)) / 2 : 0;
  for (long i = 1 + node; i < task->intervals; i += nodes) sum += f(task->from + (double)i * h);
  return h * sum;
}

static double host(const struct task* task) {
  struct task given = *task;
  double value;
  MPI_Bcast(&given, sizeof given, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return value;
}

static void node(MPI_Comm nodes) {
  struct task task;
  double mine, value;
  int place, count;
  MPI_Comm_rank(nodes, &place);
  MPI_Comm_size(nodes, &count);
  MPI_Bcast(&task, sizeof task, MPI_BYTE, 0, MPI_COMM_WORLD);
  mine = part(&task, place, count);
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
  const long intervals = argc == 3 ? whole_number(argv[1]) : 0, times = argc == 3 ? whole_number(argv[2]) : 0;
  if (intervals == 0 || times == 0 || size < 2) {
    if (rank == 0) fprintf(stderr, "usage: trapezoid N TIMES   (N, TIMES >= 1; on 2 processes or more: a host and nodes)\n");
    MPI_Finalize();
    return 2;
  }
  parcast_parameter("N", (double)intervals);
  parcast_parameter("times", (double)times);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &nodes);
  const struct task task = {0, 1, intervals};
  const double start = MPI_Wtime();
  double value = 0;
  for (long time = 0; time < times; ++time) {
    if (rank == 0)
      value = host(&task);
    else
      node(nodes);
  }
  if (rank == 0) printf("N %ld times %ld nodes %d\nvalue %.15f\nseconds %.6f\n", intervals, times, size - 1, value, MPI_Wtime() - start);
  MPI_Comm_free(&nodes);
  MPI_Finalize();
  return 0;
}
