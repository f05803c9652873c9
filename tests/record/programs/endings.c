/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges 100 messages around a ring, prints a sum, and ends in the given way. Six of the ten ways
 * run neither atexit handlers nor destructors. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "return";
  int rank, size;
  double value = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100; ++i) {
    MPI_Sendrecv_replace(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    value += 0.5;
  }
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.17g\n", sum);
  fflush(stdout);
  if (strcmp(way, "return") == 0) {
    MPI_Finalize();
    return 0;
  }
  if (strcmp(way, "exit") == 0) {
    MPI_Finalize();
    exit(3);
  }
  if (strcmp(way, "no-finalize") == 0) return 5;
  if (strcmp(way, "_exit") == 0) _exit(6);
  if (strcmp(way, "quick_exit") == 0) quick_exit(7);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "segv") == 0) raise(SIGSEGV);
  if (strcmp(way, "term") == 0) raise(SIGTERM);
  if (strcmp(way, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(way, "mpi-abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  pause();
  return 99;
}
