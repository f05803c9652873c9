/* SPDX-License-Identifier: Apache-2.0 */
/* Polls that find nothing, with or without work between them: polls working|waiting|busy. Prints the
 * nanoseconds of work; a busy program does some untimed work after each poll. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kPolls = 40000, kWork = 700 /* nanoseconds after each, at least */, kBusy = 1000000 };

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void poll_busily(MPI_Request* request) {
  volatile unsigned state = 1;
  for (int i = 0, done; i < kBusy; ++i) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    for (int k = 0; k < 5; ++k) state = state * 1664525u + 1013904223u;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int works = argc > 1 && strcmp(argv[1], "working") == 0;
  int value = 0, sent = 1, done = 0;
  long long worked = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  const int busy = argc > 1 && strcmp(argv[1], "busy") == 0;
  if (busy) poll_busily(&request);
  const long long end = now() + 20000000;
  for (int i = 0; !busy && (works ? i < kPolls : now() < end); ++i) {
    /* Many polls per read of the clock, which takes time itself. */
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
