/* SPDX-License-Identifier: Apache-2.0
 * epochs groups|locks|all ROUNDS: one-sided accesses between groups, with exclusive locks of rank 0's part,
 * or with a shared lock of all parts. The window is the second one of its communicator. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double here[1];

/* Rank 0 writes to all others; these wait in even rounds, and test in odd ones. */
static void groups(int rounds, MPI_Win window) {
  MPI_Group world, first, others;
  const int zero = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &zero, &first);
  MPI_Group_excl(world, 1, &zero, &others);
  for (int round = 0; round < rounds; ++round) {
    int over = 0;
    if (rank == 0) {
      MPI_Win_start(others, 0, window);
      for (int target = 1; target < size; ++target) MPI_Put(here, 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window);
      MPI_Win_complete(window);
      continue;
    }
    MPI_Win_post(first, 0, window);
    if (round % 2 == 0) MPI_Win_wait(window);
    else
      while (!over) MPI_Win_test(window, &over);
  }
}

static void locks(int rounds, MPI_Win window) {
  for (int round = 0; round < rounds; ++round) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(here, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
  }
}

static void all(int rounds, MPI_Win window) {
  MPI_Win_lock_all(0, window);
  for (int round = 0; round < rounds; ++round) {
    MPI_Put(here, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, window);
    MPI_Win_flush((rank + 1) % size, window);
  }
  MPI_Win_unlock_all(window);
}

int main(int argc, char** argv) {
  double* there;
  MPI_Win other, window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(sizeof *there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &other);
  MPI_Win_allocate(sizeof *there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &there, &window);
  const int rounds = atoi(argv[2]);
  if (strcmp(argv[1], "groups") == 0) groups(rounds, window);
  else if (strcmp(argv[1], "locks") == 0) locks(rounds, window);
  else all(rounds, window);
  MPI_Win_free(&window);
  MPI_Win_free(&other);
  MPI_Finalize();
}
