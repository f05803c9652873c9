/* SPDX-License-Identifier: Apache-2.0
 * When preloaded (LD_PRELOAD), this library prints "window S" when the program ends: the seconds from
 * MPI_Init's return to MPI_Finalize's entry on the slowest process. That is the time that Parcast predicts.
 * Times printed by programs exclude their last lines and the release of resources, .2 to 2 ms. */
#define _GNU_SOURCE
#include <dlfcn.h>
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

static int rank;
static double slowest;

static void measure(void) {
  double mine = now() - begun;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static void print(void) {
  if (rank == 0) printf("window %.9f\n", slowest), fflush(stdout);
}

int MPI_Finalize(void) {
  measure();
  const int result = PMPI_Finalize();
  print();
  return result;
}

/* Fortran's, which do not call those of C. */
static void call(const char *name, int *error) {
  void (*function)(int *);
  *(void **)(&function) = dlsym(RTLD_NEXT, name);
  function(error);
}

void mpi_init_(int *error) {
  call("mpi_init_", error);
  begun = now();
}

void mpi_finalize_(int *error) {
  measure();
  call("mpi_finalize_", error);
  print();
}
