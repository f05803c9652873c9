// words: N
// loops: recognised
// A window returns errors, and the program uses an error code.
#include "../../../tests/pass/program.h"
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  int p, rank, *base, one = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win w;
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
  MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, w);
  const int failed = MPI_Put(&one, 1, MPI_INT, n > 150 ? p + 5 : rank, 0, 1, MPI_INT, w);
  MPI_Win_fence(0, w);
  const int m = failed ? 3 : n;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Win_free(&w);
  MPI_Finalize();
  return 0;
}