// words: N
// loops: recognised
// A global rank is zero when the program does not call MPI, as in serial runs.
#include "../../../tests/pass/program.h"
static int rank, size = 1;
NOINLINE static void ask(int serial) { if (!serial) { MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &size); } }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  ask(n > 150);
  for (int i = rank; i < n; i += size) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}