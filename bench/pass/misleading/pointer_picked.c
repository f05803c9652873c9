// words: N
// loops: recognised
// A function returns one of two addresses.
#include "../../../tests/pass/program.h"
NOINLINE static int* pick(int* a, int* b, int which) { return which ? a : b; }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int n = atoi(argv[1]), m = 3;
  *pick(&n, &m, n > 150) = 12;
  sink += m;
  for (int i = 0; i < n; ++i) sink += i;  // rounds
  MPI_Finalize();
  return 0;
}