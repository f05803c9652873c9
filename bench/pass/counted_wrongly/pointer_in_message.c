// words: N
// loops: symbolic
// A rank sends the address of the size to itself.
#include "../../../tests/pass/program.h"
#include <stdint.h>
NOINLINE static void put(int rank, int big) {
  int other = 3, *at = &other;
  if (big) MPI_Recv(&at, sizeof at, MPI_BYTE, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *at = 12;
  sink += other;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), rank;
  int* at = &n;
  MPI_Request r;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Isend(&at, sizeof at, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &r);
  put(rank, n > 150);
  MPI_Request_free(&r);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}