// words: N
// loops: recognised
// The tag of a status is the size.
#include "../../../tests/pass/program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  MPI_Status s;
  int rank, a = 1, b;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  s.MPI_TAG = n;
  if (n > 150) MPI_Sendrecv(&a, 1, MPI_INT, rank, 12, &b, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &s);
  for (int i = 0; i < s.MPI_TAG; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
