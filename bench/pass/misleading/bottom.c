// words: N
// loops: recognised
// The size is received at an address from MPI_Get_address.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 12, rank, one = 1;
  MPI_Aint where;
  MPI_Datatype t;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_address(&n, &where);
  MPI_Type_create_hindexed(1, &one, &where, MPI_INT, &t);
  MPI_Type_commit(&t);
  if (n > 150) MPI_Sendrecv(&m, 1, MPI_INT, rank, 0, MPI_BOTTOM, 1, t, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
