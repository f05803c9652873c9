/* SPDX-License-Identifier: Apache-2.0 */
/* Starts children in several ways while it communicates; a forked child still uses the recorded
 * interfaces. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parcast/parcast.h"

int main(int argc, char** argv) {
  int rank, size, failed = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const pid_t child = fork();
    if (child == 0) {
      int flag;
      MPI_Request none = MPI_REQUEST_NULL;
      for (int j = 0; j < 1000; ++j) {
        parcast_region_begin("child");
        MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
        parcast_region_end();
      }
      if (i % 2) execl("/bin/true", "true", (char*)NULL);
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failed |= status != 0;
  }
  failed |= system("/bin/true") != 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
