/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 receives in every way that depends on chance, and in some that do not; barriers separate the
 * ways. Three ranks. */
#include <mpi.h>

enum { kOthers = 2 };
static char room[4096];

static void receive_all(void) {
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 0, bytes = 0;
  for (int i = 0; i < kOthers; ++i) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    MPI_Recv(room, bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kOthers; ++i) MPI_Recv(room, sizeof room, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i <= kOthers; ++i) MPI_Recv(room, sizeof room, MPI_CHAR, i, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i <= kOthers; ++i) MPI_Recv(room, sizeof room, MPI_CHAR, i, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 1; i <= kOthers; ++i)
    MPI_Sendrecv(room, 1, MPI_CHAR, i, 50, room, sizeof room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kOthers; ++i) {
    MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(room, sizeof room, MPI_CHAR, &message, &status);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kOthers; ++i) {
    do MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &flag, &status);
    while (!flag);
    MPI_Recv(room, sizeof room, MPI_CHAR, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kOthers; ++i) {
    MPI_Irecv(room, sizeof room, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) receive_all();
  for (int tag = 1; rank > 0 && tag <= 8; ++tag) {
    if (tag > 1) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(room, 100 * rank, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    if (tag == 5) MPI_Recv(room, 1, MPI_CHAR, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
