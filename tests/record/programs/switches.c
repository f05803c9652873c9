/* SPDX-License-Identifier: Apache-2.0 */
/* Switches classes of events off and on: ten barriers, five of them recorded, with computing between them.
 * Given a file, writes to it four times. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "parcast/parcast.h"

static void compute_for(double seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}

static void barriers(int count) {
  for (int i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Request request;
  int rank, x = 0, y = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  barriers(1);
  MPI_Pcontrol(0, 17, "more", 3L);
  MPI_Request persistent; /* its start follows computing that must not be lost */
  MPI_Recv_init(&y, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &persistent);
  compute_for(0.02);
  MPI_Start(&persistent);
  MPI_Send(&rank, 1, MPI_INT, rank, 6, MPI_COMM_WORLD);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  MPI_Irecv(&x, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request); /* starts unrecorded, ends recorded */
  parcast_region_begin("unseen");
  compute_for(0.02);
  barriers(3);
  compute_for(0.02);
  MPI_Pcontrol(1);
  MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  barriers(1); /* in the region that began unrecorded */
  parcast_region_end();
  parcast_classes("user,io");
  parcast_region_begin("seen");
  barriers(2);
  if (argc > 1) {
    MPI_File file;
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    parcast_classes("user");
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    parcast_classes(NULL);
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    parcast_classes("");
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  parcast_classes(NULL);
  parcast_region_end();
  barriers(3);
  MPI_Finalize();
  return 0;
}
