/* SPDX-License-Identifier: Apache-2.0 */
/* Polls that find nothing, with or without work between them: polls working|waiting. Prints the nanoseconds of work. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kPolls = 40000, kWork = 700 /* nanoseconds after each, at least */ };

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int works = argc > 1 && strcmp(argv[1], "working") == 0;
  int value = 0, sent = 1, done = 0;
  long long worked = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  const long long end = now() + 20000000;
  for (int i = 0; works ? i < kPolls : now() < end; ++i) {
    /* Many polls to a look at the clock, which takes a while itself. */
    for (int k = 0; k < (works ? 1 : 1000); ++k) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!works) continue;
    const long long begin = now();
    long long t = begin;
    while (t < begin + kWork) t = now();
    worked += t - begin;
  }
  MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("worked %lld\n", worked);
  MPI_Finalize();
  return 0;
}
