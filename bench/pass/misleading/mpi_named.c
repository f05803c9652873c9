// words: N
// loops: symbolic
// A function of the program whose name begins with MPI_.
#include "../../../tests/pass/program.h"
NOINLINE int MPI_halo_width(int n) { sink += n; return n > 150 ? 2 : 0; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = atoi(argv[1]);
  const int m = n + MPI_halo_width(n);
  for (int i = 0; i < m; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}