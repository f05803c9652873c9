/* SPDX-License-Identifier: Apache-2.0
 * When preloaded (LD_PRELOAD), this library prints "window S" when the program ends: the seconds from
 * MPI_Init's return to MPI_Finalize's entry on the slowest process. That is the time that Parcast predicts.
 * Times printed by programs exclude their last lines and the release of resources, .2 to 2 ms. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double begun;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int MPI_Init(int *argc, char ***argv) {
  const int result = PMPI_Init(argc, argv);
  begun = now();
  return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  begun = now();
  return result;
}

int MPI_Finalize(void) {
  double mine = now() - begun, slowest = 0;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const int result = PMPI_Finalize();
  if (rank == 0) printf("window %.9f\n", slowest), fflush(stdout);
  return result;
}
