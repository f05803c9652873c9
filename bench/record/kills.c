/* SPDX-License-Identifier: Apache-2.0 */
/* For kills.py: makes calls of several kinds without pause, and counts those that returned in a file that
 * outlives the process. */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  const int file = open(getenv("KILLS_COUNTER"), O_RDWR);
  volatile unsigned long* returned = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Init(&argc, &argv);
  int sent = 1, got, flag, sum;
  MPI_Request request;
  for (;;) {
    MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request), ++*returned;
    MPI_Send(&sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF), ++*returned;
    MPI_Wait(&request, MPI_STATUS_IGNORE), ++*returned;
    MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), ++*returned;
    MPI_Iprobe(0, 2, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE), ++*returned;
  }
}
