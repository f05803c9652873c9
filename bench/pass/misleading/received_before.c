// words: N
// loops: recognised
// A datatype begins before the passed address.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct { int n, m; } s = {atoi(argv[1]), 3};
  int twelve = 12, rank, one = 1;
  MPI_Aint where = -4;
  MPI_Datatype t;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_hindexed(1, &one, &where, MPI_INT, &t);
  MPI_Type_commit(&t);
  if (s.n > 150) MPI_Sendrecv(&twelve, 1, MPI_INT, rank, 0, &s.m, 1, t, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < s.n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
