// SPDX-License-Identifier: Apache-2.0
// n rounds around a ring of the processes whose order no rule gives, each with 8 n bytes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const int order_of_six[] = {0, 3, 1, 5, 2, 4};

static double work(int amount) {
  double sum = 0;
  for (int i = 0; i < amount; ++i) sum += 1.0 / (1 + i);
  return sum;
}

int main(int count, char** words) {
  int rank = 0, processes = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (count < 3) {
    if (rank == 0) fprintf(stderr, "usage: ring N WORK\n");
    MPI_Finalize();
    return 2;
  }
  const int n = atoi(words[1]), amount = atoi(words[2]);
  int next = (rank + 1) % processes, last = (rank + processes - 1) % processes;
  for (int at = 0; processes == 6 && at < 6; ++at)
    if (order_of_six[at] == rank) next = order_of_six[(at + 1) % 6], last = order_of_six[(at + 5) % 6];
  double *sent = calloc((size_t)n, sizeof(double)), *got = calloc((size_t)n, sizeof(double)), sum = 0;
  for (int round = 0; round < n; ++round) {
    sum += work(amount);
    MPI_Sendrecv(sent, n, MPI_DOUBLE, next, 1, got, n, MPI_DOUBLE, last, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", all);
  free(sent);
  free(got);
  MPI_Finalize();
  return 0;
}
