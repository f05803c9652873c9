// words: N
// loops: recognised
// An MPI call fails and returns, as the program requests.
#include "../program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int e = MPI_Send(&n, 1, MPI_INT, n > 150 ? 9999 : MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  const int m = e ? 3 : n;
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}
